import { jobStream } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';

import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { forgedJob } from '../support/forging.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';

const REPLAYED = { verdict: 'MATCH', authoritative: true, divergence: null, error_code: null, status: 'done' };

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const forgeries: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
  auditor = await app.caller('ann', ['auditor']);
});
afterAll(() => app.dispose({ tampered: forgeries }));

describe('REPLAY-01', () => {
  it('REPLAY-01: a job under seed s1 replays in audit mode to the stored answer, every step verified', async () => {
    await tuff.send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const { body: job } = await tuff.ask('What is my favourite colour?', { job_seed: 's1' });
    const before = await app.stream(jobStream(job.job_id));
    const { status, body } = await replay(job.job_id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...REPLAYED, job_id: job.job_id, mode: 'audit' });
    expect(body.steps.map(({ step, verdict, checked }) => [step, verdict, checked])).toEqual([
      ['signatures and hash chain', 'ok', 13],
      ['seal', 'ok', 1],
      ['ids', 'ok', 17],
      ['log references', 'ok', 13],
      ['quarantine', 'ok', 1],
      ['snapshots', 'ok', 6],
      ['request and pinned snapshots', 'ok', 2],
      ['classification', 'ok', 1],
      ['router decisions', 'ok', 1],
      ['agent turns', 'ok', 2],
      ['council', 'ok', 4],
      ['brainstate', 'ok', 1],
      ['reflective log and final answer', 'ok', 2],
    ]);
    expect(await app.stream(jobStream(job.job_id))).toEqual(before);
    expect((await auditor.get<ReplayResult>(`/replay/${body.replay_id}`)).body).toEqual(body);
    const recorded = await app.stream(`replay-${body.replay_id}`);
    expect(recorded.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['REPLAY_REQUEST', sha256(`replay:${body.replay_id}:0:REPLAY_REQUEST`)],
      ['REPLAY_RESULT', sha256(`replay:${body.replay_id}:1:REPLAY_RESULT`)],
    ]);
  });

  it.each([
    ['a miss', 'What is my favorite band?', 400],
    ['a wish', 'Remember that my favorite band is Queen', 200],
    ['a sum', '12.5% of 80', 200],
    ['calculus', 'Integrate x^2 dx', 200],
    ['a world fact', "What is Ohm's law?", 200],
    ['nobody’s question', 'Do something weird and unknown', 400],
    ['no language engine', 'Write a short poem about rains', 503],
    ['personal data', 'My card is 4111 1111 1111 1111', 403],
    ['text of every script', 'What is my favorite  日本語 \u{1F600} ‮?', 400],
  ])('REPLAY-01: %s replays to MATCH', async (_, query, expected) => {
    const { status, body } = await tuff.ask(query);
    expect(status).toBe(expected);
    const id = body.job_id ?? (body.meta['job_id'] as string);
    expect((await replay(id)).body).toMatchObject(REPLAYED);
  });

  it('is the same replay for the same Idempotency-Key, and 422 for another body', async () => {
    const { body: job } = await tuff.ask('7*6', { job_seed: 'same-replay' });
    const key = { 'idempotency-key': 'replay-once' };
    const first = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    const second = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(second.body).toEqual(first.body);
    expect(await app.stream(`replay-${first.body.replay_id}`)).toHaveLength(2);
    const other = await auditor.send('POST', '/replay/request', { job_id: 'job:other' }, key);
    expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of a job that is not there says so, and is asked anew once it is', async () => {
    const job_id = `job:${sha256('later:job').slice(0, 32)}`;
    const key = { 'idempotency-key': 'too-early' };
    const early = await auditor.send('POST', '/replay/request', { job_id }, key);
    expect([early.status, early.body.error_code]).toEqual([404, 'NOT_FOUND']);
    await tuff.ask('1+1', { job_seed: 'later' });
    const { body } = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id }, key);
    expect(body).toMatchObject(REPLAYED);
  });

  it('is for operators and auditors, not for users', async () => {
    const { status, body } = await tuff.send('POST', '/replay/request', { job_id: 'job:x' });
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
  });
});

describe('a record that was changed and signed again with the right key', () => {
  it('is found where a computed object differs, and the difference is told by pointer', async () => {
    const forged = await forge('forged-router', 'ROUTER_DECISION', { depth: 2 });
    const { status, body } = await replay(forged);
    expect(status).toBe(200);
    expect(body).toMatchObject({ verdict: 'MISMATCH', error_code: 'REPLAY_DIVERGENCE' });
    expect(body.divergence).toEqual({
      error_code: 'REPLAY_DIVERGENCE',
      event_number: 3,
      event_type: 'ROUTER_DECISION',
      differences: [{ pointer: '/data/depth', recorded: '2', computed: '1' }],
    });
    expect(body.steps.at(-1)).toMatchObject({ step: 'router decisions', verdict: 'failed' });
  });

  it('is RESULT_MISMATCH where the final answer differs', async () => {
    const forged = await forge('forged-answer', 'REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' });
    const { body } = await replay(forged);
    expect(body).toMatchObject({
      verdict: 'MISMATCH',
      error_code: 'RESULT_MISMATCH',
      divergence: { event_type: 'REFLECTIVE_LOG_WRITTEN', differences: [{ pointer: '/data/final_answer' }] },
    });
  });

  it('is an integrity failure where an output is not the one that the log names', async () => {
    const forged = await forge('forged-output', 'AGENT_OUTPUT', { text: '6 * 7 = 43.' });
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id: forged });
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toBe(`event ${sha256('forged-output:5:AGENT_OUTPUT')} is not what it refers to`);
  });

  it('is an integrity failure where the seal counts other events', async () => {
    const forged = await forge('forged-seal', 'JOB_SEALED', { count: 11 });
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id: forged });
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});

function replay(job_id: AnyBody['job_id']) {
  return auditor.send<ReplayResult>('POST', '/replay/request', { job_id, mode: 'audit' });
}

/** A job whose record was changed by somebody who holds the keys. */
async function forge(seed: string, type: string, change: JsonObject): Promise<string> {
  const forged = await forgedJob(app, seed, { type, change });
  forgeries.push(forged);
  return forged;
}
