import { eventually } from '../../../../test/support/eventually.js';
import { answerOf, mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

const KEY = 'user/profile/user_tuff/favorite_color';

let served: ServedFolder;
let put: string;
beforeAll(async () => {
  served = await ServedFolder.open('audit');
  put = (await answer<{ event_id: string }>('sem', 'put', KEY, 'zanzibarblue')).event_id;
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);
const answer = <T = Record<string, unknown>>(...args: string[]) => answerOf<T>('--data', served.path, ...args);

describe('mace audit', () => {
  it('event shows one without what was said, and with it once that is recorded', async () => {
    const { code, out } = await mace('audit', 'event', put);
    expect(code).toBe(0);
    expect(out).toMatch(/^type +SEM_PUT$/m);
    expect(out).not.toContain('zanzibarblue');
    expect((await mace('audit', 'event', put, '--unredacted')).out).toContain('zanzibarblue');
    // A list is as new as its read model.
    const items = await eventually(async () => {
      const looks = ['audit', 'events', '--type', 'admin_access_event'];
      const page = await answer<{ items: { data: object }[] }>(...looks);
      return page.items.length > 0 ? page.items : null;
    });
    expect(items.map(({ data }) => data)).toMatchObject([{ resource: `event/${put}`, unredacted: true }]);
  });

  it('events and stream list what happened where, and say how to go on', async () => {
    const { out, err } = await mace('audit', 'events', '--type', 'SEM_PUT', '--limit', '1');
    expect(out).toMatch(/^POSITION +TYPE +SIGNED_BY +STREAM +EVENT_ID$/m);
    expect(err).toMatch(/^more: --cursor /);
    const { items } = await answer<{ items: { event_id: string; canonical: string }[] }>(
      ...['audit', 'stream', `sem-${KEY}`, '--form', 'stored'],
    );
    expect(items.map(({ event_id }) => event_id)).toEqual([put]);
    expect(items[0]!.canonical).toContain('"$enc"');
  });

  it('says what is not there, and exits 1', async () => {
    for (const args of [
      ['event', 'f'.repeat(64)],
      ['stream', 'job-none'],
      ['events', '--stream', 'job-none'],
      ['evidence', 'f'.repeat(64)],
    ]) {
      expect((await mace('audit', ...args)).code).toBe(1);
    }
  });
});
