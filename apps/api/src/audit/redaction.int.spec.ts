import { jobStream } from '#lib/jobs';
import type { ErrorEnvelope, JsonObject } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { resign } from '../../../../test/support/resigning.js';

/** Who sees what of others' records, on every route that shows one (spec/privacy.md, "Who may do what"). */

const SAID = 'zanzibarblue';

let app: JobApp;
let operator: Caller;
let auditor: Caller;
let admin: Caller;
let paths: Readonly<Record<string, string>>;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  const [tuff, council] = await Promise.all([app.caller('tuff'), app.caller('cleo', ['council'], ['otp'])]);
  [operator, auditor, admin] = await Promise.all([
    app.caller('olga', ['operator']),
    app.caller('ann', ['auditor']),
    app.caller('ada', ['admin']),
  ]);
  const key = '/sem/user/profile/user_tuff/favorite_color';
  const put = await tuff.send<{ event_id: string }>('PUT', key, { value: SAID });
  const { body: job } = await tuff.ask('What is my favorite color?');
  await tuff.send('POST', `/jobs/${job.job_id}/feedback`, { upvote: true, comment: SAID });
  await tuff.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: { note: SAID } });
  const asked = await council.send<{ request_id: string }>('POST', '/actionrequest/create', {
    kind: 'sem_put',
    payload: { key: 'user/profile/user_tuff/favorite_band', value: SAID },
    justification: SAID,
  });
  const made = await council.send<JsonObject>('POST', '/brainstate/create_snapshot', { job_seed: 'redaction' });
  const brainstate = made.body['brainstate_snapshot_id'] as string;
  const insert = { brainstate_snapshot_id: brainstate, type: 'user_hint', value: SAID };
  const inserted = await council.send<{ event_id: string }>('POST', '/brainstate/insert', insert);
  const tick = { brainstate_snapshot_id: brainstate, event_ids: [inserted.body.event_id] };
  const statuses = [put.status, asked.status, made.status, inserted.status];
  expect([...statuses, (await council.send('POST', '/brainstate/tick', tick)).status]).toEqual([
    200, 200, 200, 200, 200,
  ]);
  paths = {
    job: `/jobs/${job.job_id}`,
    'log of a job': `/jobs/${job.job_id}/log`,
    'events of a job': `/jobs/${job.job_id}/events`,
    'explanation of a job': `/jobs/${job.job_id}/explain`,
    event: `/audit/event/${put.body.event_id}`,
    stream: `/audit/streams/${encodeURIComponent(`job-${job.job_id}`)}`,
    'action request': `/actionrequest/${asked.body.request_id}`,
    'governance events': `/governance/events/${asked.body.request_id}`,
    brainstate: `/brainstate/${brainstate}`,
  };
});
afterAll(() => app.dispose({ tampered }));

const RECORDS = [
  'job',
  'log of a job',
  'events of a job',
  'explanation of a job',
  'event',
  'stream',
  'action request',
  'governance events',
  'brainstate',
];

async function looks(who: string): Promise<readonly JsonObject[]> {
  const events = await app.stream(`access-${who}`);
  return events
    .filter(({ type, data }) => type === 'admin_access_event' && data['unredacted'] === true)
    .map((e) => e.data);
}

describe.each(RECORDS)('the record of another: %s', (record) => {
  it('is without what was said for an auditor, and for an operator who may see it', async () => {
    const before = (await looks('user_ann')).length;
    const { status, body } = await auditor.get<JsonObject>(paths[record]!);
    expect([status, JSON.stringify(body).includes(SAID)]).toEqual([200, false]);
    expect(JSON.stringify((await operator.get<JsonObject>(paths[record]!)).body)).not.toContain(SAID);
    expect(await looks('user_ann')).toHaveLength(before);
  });

  it('is with what was said for an auditor who asks, once an admin_access_event says so', async () => {
    const before = (await looks('user_ann')).length;
    const { status, body } = await auditor.get<JsonObject>(`${paths[record]!}?unredacted=true`);
    expect([status, JSON.stringify(body).includes(SAID)]).toEqual([200, true]);
    expect(await looks('user_ann')).toHaveLength(before + 1);
  });

  it('is refused where the look cannot be recorded', async () => {
    const { events } = app.parts.platform;
    const failing = jest.spyOn(events, 'execute').mockRejectedValue(new Error('no room'));
    try {
      const { status, body } = await auditor.get<ErrorEnvelope>(`${paths[record]!}?unredacted=true`);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(body)).not.toContain(SAID);
    } finally {
      failing.mockRestore();
    }
  });

  it('is never with what was said for an operator', async () => {
    const { status, body } = await operator.get<ErrorEnvelope>(`${paths[record]!}?unredacted=true`);
    expect([403, 404]).toContain(status);
    expect(JSON.stringify(body)).not.toContain(SAID);
  });

  it('is for an admin what it is for an auditor, but for what admins decide or watch over', async () => {
    const { body } = await admin.get<JsonObject>(paths[record]!);
    const decides = ['action request', 'governance events', 'brainstate'].includes(record);
    expect(JSON.stringify(body).includes(SAID)).toBe(decides);
    const { body: whole } = await admin.get<JsonObject>(`${paths[record]!}?unredacted=true`);
    expect(JSON.stringify(whole)).toContain(SAID);
  });
});

describe('what memory holds of a person', () => {
  const key = '/sem/user/profile/user_tuff/favorite_color';

  it.each([key, `${key}/history`])('is shown to an admin once that is recorded: %s', async (path) => {
    const before = (await looks('user_ada')).length;
    const { status, body } = await admin.get<JsonObject>(path);
    expect([status, JSON.stringify(body).includes(SAID)]).toEqual([200, true]);
    expect(await looks('user_ada')).toHaveLength(before + 1);
  });

  it('is not shown to an admin where that cannot be recorded', async () => {
    const { events } = app.parts.platform;
    const failing = jest.spyOn(events, 'execute').mockRejectedValue(new Error('no room'));
    try {
      for (const path of [key, `${key}/history`]) {
        const { status, body } = await admin.get<ErrorEnvelope>(path);
        expect(status).toBeGreaterThanOrEqual(500);
        expect(JSON.stringify(body)).not.toContain(SAID);
      }
    } finally {
      failing.mockRestore();
    }
  });
});

describe('what was stored under a consent', () => {
  const EMAIL = 'zebulon.quuxworthy@pennyfarthing-cycles.org';
  const at = '/sem/user/profile/user_tuff/work_contact';

  it('is told to nobody once that is revoked, not to an auditor who asks either', async () => {
    const tuff = await app.caller('tuff');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await tuff.send<{ consent_id: string }>('POST', '/consents', grant);
    const { body: put } = await tuff.send<{ event_id: string }>('PUT', at, { value: EMAIL });
    const seen = async () => JSON.stringify((await auditor.get(`/audit/event/${put.event_id}?unredacted=true`)).body);
    expect(await seen()).toContain(EMAIL);
    expect((await tuff.send('POST', `/consents/${consent.consent_id}/revoke`, {})).status).toBe(200);
    expect(await seen()).not.toContain(EMAIL);
    expect(await seen()).toContain('[revoked]');
  });

  it('is told to nobody of a job either, in its stream, in lists, by an admin or an auditor', async () => {
    const nils = await app.caller('nils');
    const key = '/sem/user/profile/user_nils/work_contact';
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await nils.send<{ consent_id: string }>('POST', '/consents', grant);
    expect((await nils.send('PUT', key, { value: EMAIL })).status).toBe(200);
    const { body: answer } = await nils.ask(`Is ${EMAIL} where I can be reached?`);
    const stream = `job-${answer.job_id ?? ((answer as unknown as ErrorEnvelope).meta['job_id'] as string)}`;
    const seen = (): Promise<string> =>
      toldUnredacted([
        `/audit/streams/${encodeURIComponent(stream)}?`,
        '/audit/events?limit=200&',
        `/audit/events?stream=${encodeURIComponent(stream)}&`,
      ]);
    expect(await seen()).toContain(EMAIL);
    expect((await nils.send('POST', `/consents/${consent.consent_id}/revoke`, {})).status).toBe(200);
    expect(await seen()).not.toContain(EMAIL);
  });
});

describe('what a replay quotes of a job', () => {
  const EMAIL = 'zebulon.quuxworthy@pennyfarthing-cycles.org';

  it('is told to nobody once a consent of the job is revoked, in no list and no stream', async () => {
    const rolf = await app.caller('rolf');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await rolf.send<{ consent_id: string }>('POST', '/consents', grant);
    expect((await rolf.send('PUT', '/sem/user/profile/user_rolf/work_contact', { value: EMAIL })).status).toBe(200);
    const { body: job } = await rolf.ask(`Is ${EMAIL} where I can be reached?`);
    const job_id = job.job_id ?? ((job as unknown as ErrorEnvelope).meta['job_id'] as string);
    await resign(app, jobStream(job_id), 'REFLECTIVE_LOG_WRITTEN', { final_answer: `It was never ${EMAIL}.` });
    tampered.push(job_id);
    const { body: replayed } = await operator.send<ReplayResult>('POST', '/replay/request', { job_id });
    expect(replayed.verdict).toBe('MISMATCH');
    const seen = (): Promise<string> =>
      toldUnredacted([
        `/replay/${replayed.replay_id}?`,
        `/audit/streams/replay-${replayed.replay_id}?`,
        '/audit/events?type=REPLAY_DIVERGENCE&',
        '/audit/events?type=REPLAY_RESULT&',
      ]);
    expect(await seen()).toContain(EMAIL);
    expect((await rolf.send('POST', `/consents/${consent.consent_id}/revoke`, {})).status).toBe(200);
    expect(await seen()).not.toContain(EMAIL);
  });
});

describe('what somebody looks for', () => {
  it.each(['stream', 'type'])('reaches no record of the look where it is personal: %s', async (name) => {
    const sought = 'hidden.canary@pennyfarthing-cycles.org';
    const { status, body } = await auditor.get<ErrorEnvelope>(
      `/audit/events?${name}=${encodeURIComponent(sought)}&unredacted=true`,
    );
    expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    expect((await app.texts()).join('\n')).not.toContain(sought);
  });
});

describe('what is asked in another’s name', () => {
  const color = '/sem/user/profile/user_bob/favorite_color';
  const asked = { query_text: 'What is my favorite color?', user_id: 'bob' };
  const told = { query_text: 'Remember that my favorite color is black', user_id: 'bob' };

  beforeAll(async () => {
    const bob = await app.caller('bob');
    expect((await bob.send('PUT', color, { value: SAID })).status).toBe(200);
  });

  it('is on record before it is answered, and needs no second factor', async () => {
    const looks = async (): Promise<JsonObject[]> =>
      (await app.stream('access-user_ada'))
        .filter(({ type, data }) => type === 'admin_access_event' && data['action'] === 'ask')
        .map(({ data }) => data);
    const { status, body } = await admin.send<JsonObject>('POST', '/jobs', { ...asked, job_seed: 'for-bob' });
    expect([status, body['final_answer']]).toEqual([200, expect.stringContaining(SAID)]);
    expect(await looks()).toEqual([
      expect.objectContaining({ resource: `job/${body['job_id'] as string}`, unredacted: true }),
    ]);
    expect((await admin.send('POST', '/jobs', { ...asked, job_seed: 'for-bob' })).status).toBe(200);
    expect(await looks()).toHaveLength(2);
    const keyed = { 'idempotency-key': 'for-bob-again' };
    for (let time = 0; time < 2; time++) {
      const again = await admin.send<JsonObject>('POST', '/jobs', asked, keyed);
      expect([again.status, again.body['final_answer']]).toEqual([200, body['final_answer']]);
    }
    expect(await looks()).toHaveLength(3);
  });

  it('is not answered where that cannot be recorded', async () => {
    const { events } = app.parts.platform;
    const failing = jest.spyOn(events, 'execute').mockRejectedValue(new Error('no room'));
    try {
      const { status, body } = await admin.send('POST', '/jobs', asked);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(body)).not.toContain(SAID);
    } finally {
      failing.mockRestore();
    }
  });

  it('writes nothing without a second factor, as a direct write would not, and the refusal is on record', async () => {
    const { status, headers, body } = await admin.send<ErrorEnvelope>('POST', '/jobs', told);
    expect([status, body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
    const direct = await admin.send<ErrorEnvelope>('PUT', color, { value: 'black' });
    expect([direct.status, direct.body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(headers['www-authenticate']).toBe(direct.headers['www-authenticate']);
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    expect(events[0]!.data['asked_by']).toEqual({ id: 'user_ada', roles: ['admin'], elevated: false });
    expect(events.find(({ type }) => type === 'MEMORY_WRITE_RESULT')!.data).toMatchObject({
      ok: false,
      error_code: 'UNAUTHENTICATED',
      attempts: 1,
    });
    expect((await app.stream('sem-user/profile/user_bob/favorite_color')).map(({ type }) => type)).toEqual(['SEM_PUT']);
    const again = await (await app.caller('bob')).get<JsonObject>(color);
    expect(again.body['value']).toBe(SAID);
  });

  it('writes with a second factor, under the admin’s name and not as the person’s own word', async () => {
    const elevated = await app.caller('ada', ['admin'], ['otp']);
    const { status, body } = await elevated.send<JsonObject>('POST', '/jobs', told);
    expect(status).toBe(200);
    const [, put] = await app.stream('sem-user/profile/user_bob/favorite_color');
    expect(put).toMatchObject({
      type: 'SEM_PUT',
      data: { value: 'black', source: 'system' },
      metadata: { actor: { id: 'user_ada', role: 'admin' }, job_id: body['job_id'] },
    });
    const events = await app.stream(`job-${body['job_id'] as string}`);
    expect(events[0]!.data['asked_by']).toEqual({ id: 'user_ada', roles: ['admin'], elevated: true });
  });

  it('is for nobody but an admin', async () => {
    const eve = await app.caller('eve', ['user', 'agent', 'operator', 'auditor'], ['otp']);
    expect((await eve.send('POST', '/jobs', asked)).status).toBe(403);
  });
});

/** All that an auditor and an admin are told there who ask for what was said. */
async function toldUnredacted(paths: readonly string[]): Promise<string> {
  const answers = [];
  for (const who of [auditor, admin]) {
    for (const path of paths) answers.push(await who.get(`${path}unredacted=true`));
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return JSON.stringify(answers.map(({ body }) => body));
}
