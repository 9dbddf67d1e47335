import { emptyHead, type EventLog } from '#lib/event-store';
import { MaceError, type JsonObject } from '#lib/kernel';

import { BrainStateSnapshots } from './brainstate-snapshots.js';
import { BRAINSTATE_DEFAULTS, type ConstantWarning } from './domain/constants.js';
import type { StoredSnapshot } from './ports.js';

const { a_gain: _, max_attempts: __, ...OLDER } = BRAINSTATE_DEFAULTS;

function kept(bodies: Readonly<Record<string, JsonObject>>, kind = 'brainstate') {
  const load = (id: string): Promise<StoredSnapshot> =>
    Object.hasOwn(bodies, id)
      ? Promise.resolve({ snapshot_id: id, kind, config_hash: 'c', body: bodies[id]! })
      : Promise.reject(new MaceError('MISSING_SNAPSHOT', id));
  const told: [string, readonly ConstantWarning[]][] = [];
  const log = { fold: () => Promise.resolve({ state: null, head: emptyHead('x') }) } as unknown as EventLog;
  const store = { load, ensure: () => Promise.reject(new Error('makes none')) };
  const snapshots = new BrainStateSnapshots(
    log,
    store,
    () => ({}),
    (id, warnings) => void told.push([id, warnings]),
  );
  return { snapshots, told };
}

describe('a BrainState snapshot that is looked into', () => {
  it('and lacks constants, or has one that is none, is told of once, each with the default in its place', async () => {
    const { snapshots, told } = kept({ old: { ...OLDER, e_gain: 7 }, other: OLDER });
    for (const id of ['old', 'old', 'other', 'old']) await snapshots.load(id);
    expect(told).toEqual([
      [
        'old',
        [
          { constant: 'a_gain', used: 0.25, reason: 'missing' },
          { constant: 'e_gain', used: 0.15, reason: 'out of range' },
          { constant: 'max_attempts', used: 3, reason: 'missing' },
        ],
      ],
      [
        'other',
        [expect.objectContaining({ constant: 'a_gain' }), expect.objectContaining({ constant: 'max_attempts' })],
      ],
    ]);
  });

  it('and holds them all is not told of, nor what is no snapshot of BrainState', async () => {
    const { snapshots, told } = kept({ whole: { ...BRAINSTATE_DEFAULTS } });
    await snapshots.load('whole');
    await expect(snapshots.load('none')).rejects.toThrow('no BrainState snapshot none');
    const others = kept({ router: {} }, 'router');
    await expect(others.snapshots.load('router')).rejects.toThrow('no BrainState snapshot router');
    expect([...told, ...others.told]).toEqual([]);
  });
});
