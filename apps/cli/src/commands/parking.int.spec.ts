import type { ParkedView, ProjectionListing } from '#lib/projections';

import { emptyHead } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { eventually } from '../../../../test/support/eventually.js';
import { answerOf as answer, mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

let served: ServedFolder;
let parked: ParkedView;
beforeAll(async () => {
  served = await ServedFolder.open('parking');
  await mace('sem', 'put', 'user/profile/user_tuff/favorite_color', 'blue');
  parked = await poison('one');
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);
const answerOf = <T>(...args: string[]) => answer<T>('--data', served.path, ...args);
interface Items<T> {
  readonly items: readonly T[];
}

/** Where something is in the way the exit code is 1, with the list all the same. */
const views = async (...args: string[]): Promise<readonly ParkedView[]> =>
  (JSON.parse((await mace('--json', 'projections', 'parked', 'sem', ...args)).out) as Items<ParkedView>).items;
const listing = async (): Promise<ProjectionListing> =>
  (await answerOf<Items<ProjectionListing>>('projections', 'list')).items.find(({ name }) => name === 'sem')!;

/** An event that no command writes and that the projection of memory cannot take; answers it where it has halted. */
async function poison(name: string): Promise<ParkedView> {
  const jobSeed = systemSeed('poison', name);
  const provenance = {
    jobSeed,
    sequenceIndex: 0,
    actor: { id: 'system', role: 'system' },
    traceId: traceId(jobSeed),
  };
  const data = {
    key: `no key of ${name}`,
    source: 'system',
    timestamp: '2025-01-01T00:00:00Z',
    deletion_manifest: null,
  };
  await served.events.append(emptyHead(`sem-${name}`), [{ type: 'sem_delete', data }], provenance);
  return eventually(async () => (await views()).find(({ state }) => state === 'halted'));
}

describe('mace projections parked, park, replay, discard and skip', () => {
  it('shows the event at which a projection has halted, with exit code 1', async () => {
    expect(parked).toMatchObject({ event_type: 'sem_delete', reason_class: 'projecting', done: true, by: null });
    const { code, out } = await mace('projections', 'parked', 'sem');
    expect([code, out]).toEqual([1, expect.stringContaining(`${parked.position}`)]);
    expect(out).toMatch(/halted +sem_delete +projecting/);
    expect(await listing()).toMatchObject({ state: 'halted', error: { event_id: parked.event_id, attempts: 3 } });
    expect((await mace('projections', 'parked', 'jobs')).code).toBe(0);
  });

  it('refuses what cannot be meant, and says with --dry-run what it would send', async () => {
    expect((await mace('projections', 'discard', 'sem', parked.position)).err).toMatch(/park it first, or skip it/);
    expect((await mace('projections', 'replay', 'sem', '1')).err).toMatch(/nothing parked at position 1/);
    expect((await mace('projections', 'replay', 'sem', 'one')).code).toBe(64);
    expect((await mace('projections', 'replay', 'jobs')).err).toMatch(/jobs: nothing is halted or parked/);
    expect((await mace('projections', 'skip', 'sem', 'f'.repeat(64))).err).toMatch(/has no such event parked/);
    const dry = await mace('projections', 'park', 'sem', '--reason', 'why', '--dry-run');
    expect(dry.out).toBe(`would send POST /projections/sem/parked/${parked.position}/park {"reason":"why"}`);
    expect((await listing()).state).toBe('halted');
  });

  it('parks it, goes on, tells that a replay without a cure is none, and gives it up', async () => {
    await mace('sem', 'put', 'user/profile/user_tuff/favorite_food', 'soup');
    const park = await mace('projections', 'park', 'sem', '--reason', 'call me: anna.huber@mailbox.org');
    expect([park.code, park.out]).toEqual([0, `sem: position ${parked.position} is parked`]);
    await eventually(async () => ((await listing()).state === 'live' ? true : null));
    expect(await listing()).toMatchObject({ parked: 1 });
    expect((await mace('sem', 'list')).out).toContain('favorite_food');

    const replay = await mace('projections', 'replay', 'sem');
    expect([replay.code, replay.out]).toEqual([
      1,
      `sem: position ${parked.position} still cannot be taken (projecting) and is parked`,
    ]);
    const all = ['projections', 'discard', 'sem', '--all', '--reason', 'a test'] as const;
    const [discarded] = (await answerOf<Items<ParkedView>>(...all)).items;
    expect(discarded).toMatchObject({ state: 'discarded', done: true, by: 'local', reason: 'a test', replays: 1 });
    expect((await mace('projections', 'parked', 'sem')).code).toBe(0);
    expect((await views('--all')).length).toBe(1);
  });

  it('skips the next by its id, and what is rebuilt then is the same', async () => {
    const { event_id } = await poison('two');
    expect((await mace('projections', 'skip', 'sem', event_id)).code).toBe(0);
    await eventually(async () => ((await listing()).state === 'live' ? true : null));
    expect((await mace('projections', 'rebuild', 'sem')).out).toMatch(/\nSAME at position/);
    expect((await mace('projections', 'rerun', 'sem', '--from', '0')).out).toMatch(/SAME/);
  });
});
