import type { RebuildView } from '#lib/projections';

import { until } from '../../../test/support/eventually.js';
import { inside, own } from '../../../test/support/inside-server.js';
import type { ServedProcess } from '../../../test/support/served-process.js';
import { linesOf, Workshop } from '../../../test/support/workshop.js';

const HELD = `
  const held = () => {
    process.stderr.write('HELD\\n');
    return new Promise(() => undefined);
  };
`;

/** Says what is written of the projection `sem`; stays behind the nth batch of a generation that is made. */
const telling = (nth?: number): string => `${HELD}
  ${own('GenerationWriter', 'libs/projections/src/generation-writer.js')}
  const real = GenerationWriter.prototype.apply;
  let batches = 0;
  GenerationWriter.prototype.apply = async function (changes, to, change) {
    const { name, projection } = this.generation;
    const from = this.current.position;
    await real.call(this, changes, to, change);
    if (projection !== 'sem' || from === to) return;
    process.stderr.write(['WROTE', name, from, to].join(' ') + '\\n');
    if (name.includes('_') && (batches += 1) === ${String(nth)}) await held();
  };
`;

/** Stays before the nth time that it is said which generation of `sem` is live now, or behind it. */
const atChange = (place: 'before' | 'behind', nth: number): string => `${HELD}
  ${own('Ownership', 'libs/projections/src/ownership.js')}
  const real = Ownership.prototype.goLive;
  let changes = 0;
  Ownership.prototype.goLive = async function (live) {
    if (this.projection.name !== 'sem' || (changes += 1) !== ${nth}) return real.call(this, live);
    if ('${place}' === 'behind') await real.call(this, live);
    await held();
  };
`;

/** Of some twenty. */
const BATCHES = 6;

interface Written {
  readonly generation: string;
  readonly from: string;
  readonly to: string;
}

describe('a rebuild, a swap and a rollback by a worker that is killed in the middle of each', () => {
  let shop: Workshop;
  let worker: ServedProcess;
  let told = '';
  beforeAll(async () => {
    shop = await Workshop.open('worker-rebuilds', { MACE_PROJECTION_LEASE_MS: '1000' });
    await live(telling(BATCHES));
    await put('blue');
    await shop.caughtUp();
  }, 180_000);
  afterAll(() => shop?.close());

  /** Another life of the worker, which ends where it is held. */
  async function live(...sources: readonly string[]): Promise<void> {
    worker = await shop.worker('worker', inside(...sources));
  }

  async function killHeld(): Promise<void> {
    await until(() => worker.log().includes('HELD'), 'the place where it is killed');
    await worker.kill();
    told += worker.log();
  }

  const written = (): readonly Written[] =>
    [...(told + worker.log()).matchAll(/^WROTE (\S+) (\d+) (\d+)$/gm)].map(([, generation, from, to]) => ({
      generation: generation!,
      from: from!,
      to: to!,
    }));

  async function put(name: string): Promise<void> {
    const path = `/sem/user/profile/user_user/${name}`;
    expect((await shop.call('user', 'PUT', path, { value: 'x' })).status).toBe(200);
  }

  /** What a list answers, which is read from the documents. */
  async function listed(): Promise<readonly string[]> {
    const path = '/sem?prefix=user/profile/user_user';
    const { body } = await shop.call<{ items: readonly string[] }>('admin', 'GET', path);
    return body.items.map((key) => key.replace(/^.*\//, '')).sort();
  }

  const newest = async (): Promise<RebuildView> =>
    (await shop.call<{ items: readonly RebuildView[] }>('operator', 'GET', '/projections/sem/rebuilds')).body.items[0]!;

  it('goes on with a rebuild behind its last batch, and finds the same', async () => {
    const command = shop.mace('api', 'projections', 'rebuild', 'sem');
    await killHeld();
    const { generation, state } = await newest();
    expect(state).toBe('running');
    await put('green');
    await live(telling(), atChange('before', 1));
    expect(await command).toMatchObject({ code: 0, out: expect.stringMatching(/^sem: ready, .*\nSAME at position/) });
    const batches = written().filter((one) => one.generation === generation);
    expect(batches.length).toBeGreaterThan(BATCHES);
    // Each event was read by one batch: none was left out at the kill, and none taken twice.
    for (const [i, { from }] of batches.entries()) expect(from).toBe(i === 0 ? '0' : batches[i - 1]!.to);
  });

  it('answers from the generation of before until a killed swap is made, and then from the rebuilt one', async () => {
    const command = shop.mace('api', 'projections', 'swap', 'sem');
    await killHeld();
    expect((await newest()).state).toBe('swapping');
    expect(await listed()).toEqual(['blue', 'green']);
    await put('red');
    await live(atChange('behind', 2));
    expect(await command).toMatchObject({ code: 0, out: expect.stringMatching(/^sem: swapped, /) });
    await shop.caughtUp();
    expect(await listed()).toEqual(['blue', 'green', 'red']);
  });

  it('goes on from the generation of before where it was killed behind a rollback', async () => {
    const command = shop.mace('api', 'projections', 'rollback', 'sem');
    await killHeld();
    expect(await command).toMatchObject({ code: 0, out: expect.stringMatching(/^sem: rolled_back, /) });
    expect(await listed()).toEqual(['blue', 'green', 'red']);
    await put('black');
    worker = await shop.worker('worker');
    await shop.caughtUp();
    expect(await listed()).toEqual(['black', 'blue', 'green', 'red']);
  });

  it('leaves documents as a rebuild from nothing makes them', async () => {
    const fresh = await shop.mace('api', 'projections', 'rebuild', 'sem', '--swap', '--json');
    expect(fresh.code).toBe(0);
    expect(JSON.parse(fresh.out)).toMatchObject({ state: 'swapped', equal: true });
    expect(linesOf(worker)).toEqual([
      expect.stringMatching(/warn {2}the process that served this data folder before ended without stopping /),
    ]);
    expect(await worker.stop()).toBe(0);
  });
});
