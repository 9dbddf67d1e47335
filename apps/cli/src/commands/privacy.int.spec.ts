import { emptyHead } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';
import {
  CATEGORY_OF,
  CORPUS_FLOORS,
  DETECTOR_VERSION,
  followPrivacyPolicy,
  PRIVACY_DEFAULTS,
  privacyPolicy,
} from '#lib/privacy';

import { until } from '../../../../test/support/eventually.js';
import { mace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

describe('mace privacy corpus', () => {
  it('prints a row for every type and one for all, and ends with 0', async () => {
    const ended = await mace('privacy', 'corpus');
    expect([ended.code, ended.err]).toEqual([0, '']);
    const out = ended.out.split('\n');
    expect(out[0]).toMatch(/^TYPE +LABELS +FOUND +WRONG +RECALL +PRECISION$/);
    expect(out.slice(1, -1).map((line) => line.split(' ')[0])).toEqual(Object.keys(CATEGORY_OF).sort());
    expect(out.at(-1)).toMatch(/^in all +\d+ +\d+ +\d+ +[01]\.\d{4} +[01]\.\d{4}$/);
  });

  it('lists misses only where they are asked for, as many as the figures say', async () => {
    const parsed = async (...more: string[]) => {
      const { out } = await mace('privacy', 'corpus', '--json', ...more);
      return JSON.parse(out) as {
        all: { labels: number; found: number; wrong: number };
        misses?: object[];
        floors: object;
        detector_version: number;
      };
    };
    const { misses, floors, detector_version } = await parsed();
    expect([misses, floors, detector_version]).toEqual([undefined, CORPUS_FLOORS, DETECTOR_VERSION]);
    const { misses: listed, all } = await parsed('--misses');
    expect(listed).toHaveLength(all.labels - all.found + all.wrong);
  });
});

describe('mace privacy drift', () => {
  const MAIL = 'quentin.roe@pennyfarthing-cycles.org';
  let served: ServedFolder;
  beforeAll(async () => {
    served = await ServedFolder.open('drift');
  });
  afterAll(() => served.close());
  const run = (...args: string[]) => mace('--data', served.path, ...args);

  it('finds none in what was judged by these rules, with consents and without', async () => {
    const token = (await run('token', '--user', 'tuff', '--role', 'user')).out;
    const asTuff = (...args: string[]) => run('--token', token, ...args);
    await asTuff('consent', 'grant', '--type', 'email', '--scope', 'persistent', '--text', 'I agree.');
    expect((await asTuff('sem', 'put', 'user/profile/user_tuff/contact', MAIL)).code).toBe(0);
    expect((await asTuff('sem', 'put', 'user/profile/user_tuff/favorite_color', 'blue')).code).toBe(0);
    expect((await asTuff('ask', '6 * 7')).code).toBe(0);
    const { code, out } = await run('privacy', 'drift');
    expect([code, out]).toEqual([0, expect.stringMatching(/^no drift: version \d+ of the rules finds in \d+ events/)]);
  });

  it('names the event of what other rules had passed over, by its types, and shows nothing of it', async () => {
    const stream = 'sem-user/profile/user_tuff/note';
    const data = {
      key: 'user/profile/user_tuff/note',
      value: `write to ${MAIL}`,
      source: 'user',
      timestamp: '2026-01-01T00:00:00.000Z',
      value_hash: '0'.repeat(64),
      applied: true,
    };
    const jobSeed = systemSeed('drift', 'note');
    const actor = { id: 'user_tuff', role: 'user' };
    const by = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    const { events } = await served.events.append(emptyHead(stream), [{ type: 'SEM_PUT', data }], by);
    const { code, out, err } = await run('privacy', 'drift', '--json');
    const { items, ...told } = JSON.parse(out) as { items: object[] };
    expect(code).toBe(2);
    expect(told).toEqual({ detector_version: DETECTOR_VERSION, looked_at: expect.any(Number) });
    expect(items).toEqual([
      { event_id: events[0]!.metadata.event_id, type: 'SEM_PUT', stream, found: ['email'], gone: [] },
    ]);
    expect(out + err).not.toContain(MAIL);
    const looks = await run('audit', 'events', '--type', 'admin_access_event');
    expect(looks.out).toContain('admin_access_event');
  });

  it('finds by the policy that is in force in the log, whatever the release says', async () => {
    const policies = served.policies;
    const { body } = await policies.current('privacy');
    await policies.adopt('privacy', { ...body, phone_regions: ['GB'] }, Date.now());
    await until(() => privacyPolicy().phone_regions.includes('GB'));
    // As the command's own process begins.
    followPrivacyPolicy(PRIVACY_DEFAULTS);
    const stream = 'sem-user/profile/user_tuff/locker';
    const data = {
      key: 'user/profile/user_tuff/locker',
      value: '020 7946 0958',
      source: 'user',
      timestamp: '2026-01-01T00:00:00.000Z',
      value_hash: '0'.repeat(64),
      applied: true,
    };
    const jobSeed = systemSeed('drift', 'locker');
    const actor = { id: 'user_tuff', role: 'user' };
    const by = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    await served.events.append(emptyHead(stream), [{ type: 'SEM_PUT', data }], by);
    const { items } = JSON.parse((await run('privacy', 'drift', '--json')).out) as { items: object[] };
    expect(items).toContainEqual(expect.objectContaining({ stream, found: ['phone'], gone: [] }));
  });

  it('is for who may read everything', async () => {
    const token = (await run('token', '--user', 'tuff', '--role', 'user')).out;
    expect((await run('--token', token, 'privacy', 'drift')).code).toBe(77);
  });
});
