import type { RebuildView } from '#lib/projections';

import { answerOf as answer, mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

let served: ServedFolder;
beforeAll(async () => {
  served = await ServedFolder.open('rebuilds');
  await mace('sem', 'put', 'user/profile/user_tuff/favorite_color', 'blue');
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);
const answerOf = <T>(...args: string[]) => answer<T>('--data', served.path, ...args);

const keysListed = async (): Promise<string> => (await mace('sem', 'list')).out;

describe('mace projections rebuild, swap and rollback', () => {
  it('rebuilds beside the live one, finds the same, and exits with 0', async () => {
    const { code, out, err } = await mace(
      'projections',
      'rebuild',
      'sem',
      '--reason',
      'call me: anna.huber@mailbox.org',
    );
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^sem: ready, rb-[0-9a-f]{32}, \d+ positions, generation v1_[0-9a-f]{16}\n/);
    expect(out).toMatch(/\nSAME at position \d+, digest [0-9a-f]{64}$/);
    const { items } = await answerOf<{ items: RebuildView[] }>('projections', 'rebuilds', 'sem');
    const [view] = items;
    expect(view).toMatchObject({ state: 'ready', equal: true, begun_by: 'local' });
    expect(view!.reason).toMatch(/^call me: \[redacted:/);
    expect(view!.processed).toBe(view!.total);
  });

  it('refuses another one while that one is ready, which needs an answer first', async () => {
    const { code, err } = await mace('projections', 'rebuild', 'sem');
    expect(code).toBe(1);
    expect(err).toMatch(/is ready; swap or cancel it first/);
  });

  it('swaps the newest and rolls it back, and queries are answered all the while', async () => {
    const before = await keysListed();
    expect(before).toContain('favorite_color');
    const swapped = await mace('projections', 'swap', 'sem');
    expect([swapped.code, swapped.out]).toEqual([0, expect.stringMatching(/^sem: swapped, /)]);
    expect(await keysListed()).toBe(before);
    const back = await mace('projections', 'rollback', 'sem');
    expect([back.code, back.out]).toEqual([0, expect.stringMatching(/^sem: rolled_back, /)]);
    expect(await keysListed()).toBe(before);
    expect((await mace('projections', 'cancel', 'sem')).err).toMatch(/is rolled_back; what runs or is ready/);
  });

  it('with --swap does both, and says with --dry-run what it would send', async () => {
    const dry = await mace('projections', 'rebuild', 'jobs', '--reason', 'why', '--dry-run');
    expect(dry.out).toBe('would send POST /projections/jobs/rebuild {"reason":"why"}');
    const swap = await mace('projections', 'rebuild', 'jobs', '--swap', '--dry-run');
    expect(swap.out.split('\n')[1]).toBe('would swap it in then, where both digests are the same');
    const view = await answerOf<RebuildView>('projections', 'rebuild', 'jobs', '--swap');
    expect(view).toMatchObject({ projection: 'jobs', state: 'swapped', equal: true });
    expect((await mace('projections', 'list')).out).toMatch(/\njobs +live /);
  });

  it('says what is not there', async () => {
    expect((await mace('projections', 'rebuild', 'nothing')).code).toBe(1);
    expect((await mace('projections', 'swap', 'halts')).err).toMatch(/halts was never rebuilt/);
    expect((await mace('projections', 'swap', 'sem', '--rebuild', 'rb-nothing')).err).toMatch(/no rebuild rb-nothing/);
  });
});
