import { createHash } from 'node:crypto';

import { goldenMessage } from '#lib/kernel';

import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { filesBelow } from '../support/live-folder.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const SSN = '123-45-6789';
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const PLAIN_JOB = [
  'JOB_ACCEPTED',
  'SNAPSHOTS_PINNED',
  'QCP_CLASSIFIED',
  'ROUTER_DECISION',
  'AGENT_INVOKED',
  'AGENT_OUTPUT',
  'COUNCIL_VOTE',
  'COUNCIL_VOTE',
  'COUNCIL_VOTE',
  'COUNCIL_DECISION',
  'BRAINSTATE_TICK',
  'REFLECTIVE_LOG_WRITTEN',
  'JOB_SEALED',
];

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
});
afterAll(() => app.dispose());

describe('Golden tests of memory, through a job (seed 001, Groups B and F)', () => {
  it('T8_SEM_MISS', async () => {
    const { status, body } = await tuff.ask('What is my favourite colour?', { job_seed: 't8' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error_code: 'SEM_NOT_FOUND',
      user_message: 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
      developer_message: `SEM lookup for key ${COLOR} returned empty.`,
    });
    const job = await jobOf('t8');
    expect(job.types).toEqual([...PLAIN_JOB.slice(0, 6), 'sem_miss', ...PLAIN_JOB.slice(10)]);
    expect(job.events[6]!.data).toEqual({ query_id: idOf('q-', 't8:query'), user_id: 'user_tuff', key: COLOR });
    expect(await app.stream(`sem-${COLOR}`)).toEqual([]);
  });

  it('T24_ERR_SEM_NOT_FOUND_MSG', async () => {
    const { status, body } = await tuff.ask('What is my favorite color?', { job_seed: 't24' });
    expect(status).toBe(400);
    expect(body.error_code).toBe('SEM_NOT_FOUND');
    expect(body.severity).toBe('info');
    expect(body.user_message).toBe(
      'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
    );
    expect(body.meta).toMatchObject({
      job_id: idOf('job:', 't24:job'),
      query_id: idOf('q-', 't24:query'),
      trace_id: `trace-${sha256('t24:trace').slice(0, 16)}`,
    });
    const { body: result } = await tuff.get(`/jobs/${idOf('job:', 't24:job')}`);
    expect(result).toMatchObject({ status: 'failed', final_answer: null, error: { error_code: 'SEM_NOT_FOUND' } });
  });

  it('T7_SEM_FAV_COLOR', async () => {
    const put = { value: 'blue', source: 'user', timestamp: '2025-11-29T12:00:00Z' };
    expect((await tuff.send('PUT', `/sem/${COLOR}`, put)).status).toBe(200);
    const { status, body } = await tuff.ask('What is my favourite colour?', { job_seed: 't7' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      job_id: idOf('job:', 't7:job'),
      job_seed: 't7',
      status: 'completed',
      user_message: 'Your favorite color is blue.',
      final_answer: 'Your favorite color is blue.',
      final_confidence: 1,
      agent_id: 'profile_agent',
      route_reason: 'profile_lookup',
      notices: [],
      replayable: true,
    });
    const job = await jobOf('t7');
    expect(job.types).toEqual(PLAIN_JOB);
    expect(job.events.map(({ metadata }) => metadata.event_id)).toEqual(
      PLAIN_JOB.map((type, i) => sha256(`t7:${i}:${type}`)),
    );
    expect(job.events[5]!.data['evidence']).toEqual([
      { key: COLOR, revision: 0, value: 'blue', timestamp: '2025-11-29T12:00:00Z' },
    ]);
    expect(job.log['sem_snapshot_hash']).toBe(sha256(`[["${COLOR}","blue","2025-11-29T12:00:00Z"]]`));
    expect((await tuff.get<{ value: unknown }>(`/sem/${COLOR}`)).body).toMatchObject({ exists: true, value: 'blue' });
  });

  it('remembers through a job what it then answers, in any spelling', async () => {
    const { body } = await tuff.ask('Remember that my favorite food is pizza', { job_seed: 'remember' });
    expect(body).toMatchObject({ status: 'completed', agent_id: 'operational_agent', route_reason: 'command' });
    const [put] = await app.stream('sem-user/profile/user_tuff/favorite_food');
    expect(put!.metadata.event_id).toBe(sha256('remember:7:SEM_PUT'));
    expect(put!.metadata).toMatchObject({ actor: { id: 'user_tuff', role: 'user' }, job_id: body.job_id });
    const job = await jobOf('remember');
    expect(job.events[7]).toMatchObject({
      type: 'MEMORY_WRITE_RESULT',
      data: { ok: true, applied: true, revision: 0, event_id: put!.metadata.event_id, attempts: 1 },
    });
    for (const question of ['What is my favourite food?', 'what is my FAVORITE food', "What's my favorite food?"]) {
      expect((await tuff.ask(question)).body.user_message).toBe('Your favorite food is pizza.');
    }
  });
});

describe('Golden tests of the router, through a job (seed 001, Group C)', () => {
  it('T15_ROUTER_FALLBACK', async () => {
    const { status, body } = await tuff.ask('Do something weird and unknown', { job_seed: 't15' });
    expect(status).toBe(400);
    expect(body.error_code).toBe('ROUTER_NO_MATCH');
    expect(body.user_message).toBe('I don’t have a module for that type of request yet.');
    const job = await jobOf('t15');
    const [first, second] = job.events.filter(({ type }) => type === 'ROUTER_DECISION');
    expect(first!.data).toMatchObject({ agent_id: 'generic_agent', route_reason: 'fallback_generic', depth: 0 });
    expect(second!.data).toMatchObject({ agent_id: null, excluded: ['agent:generic_v1'] });
    expect(job.types.filter((type) => type === 'router_miss')).toHaveLength(2);
  });
});

describe('Golden tests of bad input (seed 001, Group F)', () => {
  const INVALID = 'Your request looks malformed or too large. Please shorten it or fix the format.';

  it.each([
    ['malformed JSON', '{"query_text": "hi"'],
    ['no JSON at all', 'hello'],
    ['an empty body', ''],
    ['a body of another shape', '[]'],
    ['an empty query', '{"query_text": ""}'],
    ['a query of the wrong type', '{"query_text": 5}'],
    ['an unknown field', '{"query_text": "hi", "colour": "blue"}'],
    ['8,001 characters', JSON.stringify({ query_text: 'x'.repeat(8001) })],
    ['over 256 KB', JSON.stringify({ query_text: 'x'.repeat(300_000) })],
    ['a lone surrogate', '{"query_text": "\\ud800"}'],
    ['a prototype', '{"query_text": "hi", "__proto__": {"admin": true}}'],
    ['tags that are no texts', '{"query_text": "hi", "context_tags": {"a": 1}}'],
    ['a priority beyond 1', '{"query_text": "hi", "priority": 1.5}'],
  ])('T28_ERR_INVALID_INPUT: %s', async (_, payload) => {
    const before = (await app.jobTexts()).length;
    const { status, body } = await tuff.send('POST', '/jobs', payload);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_code: 'INVALID_INPUT', status: 400, severity: 'info', user_message: INVALID });
    expect(body.developer_message).not.toBe('');
    expect((await app.jobTexts()).length).toBe(before);
  });
});

describe('F-PRIV-01', () => {
  it('F-PRIV-01: a job that holds a social security number is blocked, and the number is nowhere', async () => {
    const { status, body } = await tuff.ask(`Remember that my SSN is ${SSN}`, {
      job_seed: 'f-priv-01',
      context_tags: { note: `it is ${SSN}` },
    });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      severity: 'warning',
      user_message: 'I can’t store or repeat that kind of sensitive personal information.',
    });
    const job = await jobOf('f-priv-01');
    expect(job.types).toEqual([
      'JOB_ACCEPTED',
      'SNAPSHOTS_PINNED',
      'PII_FLAGGED',
      'PII_FLAGGED',
      'REFLECTIVE_LOG_WRITTEN',
      'JOB_SEALED',
    ]);
    expect(job.events[2]!.data).toMatchObject({
      pii_type: 'us_ssn',
      category: 'high',
      redaction_reason: 'PII_DETECTED',
    });
    expect(job.log).toMatchObject({ status: 'blocked', agents_invoked: [], final_answer: null });
    expect((await tuff.get(`/jobs/${body.meta['job_id'] as string}`)).body).toMatchObject({ status: 'blocked' });
    await expectNowhere(SSN, [JSON.stringify(body), JSON.stringify(job.events)]);
  });

  it('F-PRIV-01: a memory write that holds one is blocked, and the number is nowhere', async () => {
    const { status, body } = await tuff.send('PUT', '/sem/user/profile/user_tuff/ssn', { value: SSN });
    expect(status).toBe(403);
    expect(body).toMatchObject({ error_code: 'PRIVACY_BLOCKED', user_message: goldenMessage('PRIVACY_BLOCKED') });
    expect(await app.stream('sem-user/profile/user_tuff/ssn')).toEqual([]);
    expect((await app.stream('access-user_tuff')).map(({ type }) => type)).toContain('PII_FLAGGED');
    await expectNowhere(SSN, [JSON.stringify(body)]);
  });

  it('F-PRIV-01: a seed, a key or a path that holds one is refused and never recorded', async () => {
    const before = (await app.jobTexts()).length;
    const answers = [
      await tuff.ask('2+2', { job_seed: SSN }),
      await tuff.send('POST', '/jobs', { query_text: '2+2' }, { 'idempotency-key': SSN }),
      await tuff.get(`/jobs/${SSN}`),
    ];
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
      answers.map(() => [403, 'PRIVACY_BLOCKED']),
    );
    expect((await app.jobTexts()).length).toBe(before);
    await expectNowhere(
      SSN,
      answers.map(({ body }) => JSON.stringify(body)),
    );
  });
});

async function jobOf(seed: string) {
  const events = await app.stream(`job-${idOf('job:', `${seed}:job`)}`);
  const log = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!.data;
  return { events, log, types: events.map(({ type }) => type) };
}

async function expectNowhere(secret: string, more: readonly string[]): Promise<void> {
  const digits = secret.replaceAll('-', '');
  for (const text of [...(await app.texts()), ...more]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(digits);
  }
  for (const { bytes } of filesBelow(app.folder)) expect(bytes.includes(secret)).toBe(false);
}

function idOf(prefix: string, text: string): AnyBody['job_id'] {
  return `${prefix}${sha256(text).slice(0, 32)}`;
}
