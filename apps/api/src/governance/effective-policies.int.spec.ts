import { MathEngine } from '#lib/agents';
import { type RequestView, SNAPSHOT_KINDS, Snapshots } from '#lib/governance';
import { DETECTOR_VERSION } from '#lib/privacy';
import { SelfrepSnapshots } from '#lib/selfrep';

import { changeReads } from '../../../../test/support/changed-reads.js';
import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** What is in force is what everybody decides by, and what a job pins (spec/decisions.md: all constants live in snapshots). */

type Body = Readonly<Record<string, unknown>>;

let app: JobApp;
let tuff: Caller;
let ada: Caller;
let council: Caller[];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  ada = await app.caller('ada', ['admin'], ['otp']);
  council = await Promise.all(['anna', 'ben', 'cara'].map((name) => app.caller(name, ['council'], ['otp'])));
});
afterAll(() => app.dispose());

async function changePolicy(policy: string, change: object): Promise<RequestView> {
  const { body: asked } = await ada.send<RequestView>('POST', '/governance/policy/propose', {
    policy,
    change,
    justification: 'tried in a test',
  });
  const { request_id: id, proposal_digest } = asked;
  for (const member of council)
    await member.send('POST', `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest });
  const request = async () => (await ada.get<RequestView>(`/actionrequest/${id}`)).body;
  await until(async () => (await request()).status === 'executed');
  return request();
}

const approve = (node_id: string) =>
  council[0]!.send<Body>('POST', '/apt/event', {
    node_id,
    event_type: 'COUNCIL_APPROVAL',
    payload: { approve: true },
  });

describe('the policy of modules and trust', () => {
  it('is of the high class, says what changed, and holds for the next event of trust and the next job', async () => {
    const node_id = 'tool:thermometer';
    await ada.send('POST', '/module/register', { node_id, type: 'tool', display_name: 'T', version: '1.0.0' });
    expect((await approve(node_id)).body).toMatchObject({ apt_before: 0.5, apt_after: 0.5995 });

    const request = await changePolicy('selfrep', { approval_gain: 0.2 });
    expect(request).toMatchObject({ risk_class: 'high', required_approval_type: 'council_quorum' });
    expect(request.execution).toMatchObject({
      result: { policy: 'selfrep', changed: [{ pointer: '/approval_gain', from: 0.1, to: 0.2 }] },
    });
    expect((await approve(node_id)).body).toMatchObject({ apt_before: 0.5995, apt_after: 0.7989005 });
    expect((await ada.send<Body>('POST', '/apt/recompute', { node_id })).body).toMatchObject({
      equal: true,
      apt: 0.7989005,
      first_difference: null,
    });
    const { nest } = app.parts.app;
    const constantsOf = () => nest.get(SelfrepSnapshots).current.body['constants'] as Body;
    await until(() => constantsOf()['approval_gain'] === 0.2);
    const { body: job } = await tuff.ask('What is 4 + 4?');
    const pinned = await nest.get(Snapshots).loadFresh(job.snapshots['selfrep']!);
    expect(pinned!.body['constants']).toMatchObject({ approval_gain: 0.2, decay: 0.001 });
  });

  it('is refused out of range, by pointer and form', async () => {
    const { status, body } = await ada.send<Body>('POST', '/governance/policy/propose', {
      policy: 'selfrep',
      change: { fails_offline: 0 },
      justification: 'tried in a test',
    });
    expect([status, body['error_code'], body['developer_message']]).toEqual([
      400,
      'INVALID_INPUT',
      'change: /fails_offline: a whole number from 1 to 1000. Failures in a row that take a module offline (FAILS_OFFLINE).',
    ]);
  });

  it('is the same after a restart: what the council changed stays, though the file says otherwise', async () => {
    await app.whileClosed(() => undefined);
    tuff = await app.caller('tuff');
    const { body: job } = await tuff.ask('What is 5 + 4?');
    const pinned = await app.parts.app.nest.get(Snapshots).loadFresh(job.snapshots['selfrep']!);
    expect(pinned!.body['constants']).toMatchObject({ approval_gain: 0.2 });
  });
});

describe('the policy of privacy', () => {
  const LONDON = 'Remember that my locker is 020 7946 0958';

  it('holds, once it has changed, for the next query and the next job, and over a restart', async () => {
    expect((await tuff.ask(LONDON)).status).toBe(200);
    const request = await changePolicy('privacy', { phone_regions: ['US', 'GB'] });
    expect(request).toMatchObject({ risk_class: 'high', execution: { result: { policy: 'privacy' } } });
    await until(async () => (await tuff.ask(LONDON)).status === 403);
    const pinned = async () => {
      const { body: job } = await tuff.ask('What is 9 + 4?');
      return app.parts.app.nest.get(Snapshots).loadFresh(job.snapshots['privacy']!);
    };
    const expected = { body: { phone_regions: ['US', 'GB'], detector_version: DETECTOR_VERSION } };
    expect(await pinned()).toMatchObject(expected);
    await app.whileClosed(() => undefined);
    tuff = await app.caller('tuff');
    expect(await pinned()).toMatchObject(expected);
    expect((await tuff.ask(LONDON)).body.error_code).toBe('PRIVACY_BLOCKED');
  });

  it('is refused with a category lowered, by pointer and form', async () => {
    const { status, body } = await ada.send<Body>('POST', '/governance/policy/propose', {
      policy: 'privacy',
      change: { categories: { email: 'low' } },
      justification: 'tried in a test',
    });
    expect([status, body['developer_message']]).toEqual([
      400,
      'change: /categories/email: one of medium, high. A category may be raised, and not lowered.',
    ]);
  });
});

describe('a job', () => {
  it('pins all six snapshots before it does anything else', async () => {
    const { body: job } = await tuff.ask('What is 6 + 4?');
    const [accepted, pinned, next] = await app.stream(`job-${job.job_id}`);
    expect([accepted!.type, pinned!.type, next!.type]).toEqual(['JOB_ACCEPTED', 'SNAPSHOTS_PINNED', 'QCP_CLASSIFIED']);
    expect(Object.keys(pinned!.data['snapshots'] as object).sort()).toEqual([...SNAPSHOT_KINDS].sort());
    expect(job.snapshots).toEqual(pinned!.data['snapshots']);
  });

  it('pins what was looked for in its query, and the tables on which that depends', async () => {
    const { body: job } = await tuff.ask('What is 8 + 4?');
    const pinned = await app.parts.app.nest.get(Snapshots).loadFresh(job.snapshots['privacy']!);
    expect(pinned!.body).toMatchObject({
      second_factor_max_age_s: 300,
      detector_version: DETECTOR_VERSION,
      categories: { us_ssn: 'high', email: 'medium', first_name: 'low' },
      blocking: ['high', 'medium'],
      tables: { icu: process.versions['icu'], unicode: process.versions['unicode'] },
    });
    expect((pinned!.body['tables'] as Body)['phone_metadata']).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+/);
  });

  it.each(SNAPSHOT_KINDS)('pins a snapshot %s that is signed, and refused once a byte of it differs', async (kind) => {
    const { body: job } = await tuff.ask('What is 7 + 4?');
    const id = job.snapshots[kind]!;
    const snapshots = new Snapshots(app.parts.platform.events, app.parts.platform.ring);
    expect(await snapshots.loadFresh(id)).toMatchObject({ kind, snapshot_id: id, signature: expect.any(String) });

    const putBack = changeReads(app.parts.platform.eventStore, `snapshot-${id}`, (event) => ({
      ...event,
      text: event.text.replace(/"signature":"./g, '"signature":"x'),
    }));
    try {
      await expect(new Snapshots(app.parts.platform.events, app.parts.platform.ring).load(id)).rejects.toMatchObject({
        name: 'IntegrityError',
      });
    } finally {
      putBack();
    }
  });

  it('that is running when a policy changes is decided to its end by what it pinned; the next one by the new', async () => {
    const math = app.parts.app.nest.get(MathEngine);
    const solve = math.solve.bind(math);
    let [begin, release] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = jest.spyOn(math, 'solve').mockImplementation(async (query, signal) => {
      begin();
      await released;
      return solve(query, signal);
    });
    const answering = tuff.ask('What is 2^200?');
    await begun;
    await changePolicy('safety', { max_answer_length: 40 });
    release();
    const { body: running } = await answering;
    held.mockRestore();
    expect(running).toMatchObject({ status: 'completed', notices: [] });
    const next = await tuff.ask('What is 2^200?');
    expect([next.status, next.body.error_code]).toEqual([503, 'REPAIR_LIMIT_EXCEEDED']);
  });
});
