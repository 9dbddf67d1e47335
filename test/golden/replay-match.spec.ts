import { jobStream, World } from '#lib/jobs';
import type { ReplayResult } from '#lib/replay';
import { SelfrepSnapshots } from '#lib/selfrep';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { type Caller, type JobApp } from '../support/job-app.js';
import { PLAIN, POEM, REPLAYED, ReplayHouse } from '../support/replay-house.js';

/** Jobs that replay to what they were (seed 002 section 11). */

let house: ReplayHouse;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let operator: Caller;

beforeAll(async () => {
  house = await ReplayHouse.open();
  ({ app, tuff, auditor, operator } = house);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => house.dispose());

describe('REPLAY-01', () => {
  it('REPLAY-01: a job under seed s1 with a persisted engine’s output replays in production mode to the stored answer', async () => {
    const { body: job } = await tuff.ask('Write a short poem about rain', {
      job_seed: 's1',
      persist_agent_outputs: true,
    });
    expect(job.final_answer).toBe(POEM);
    const before = await app.stream(jobStream(job.job_id));
    const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
    const { status, body } = await house.replay(job.job_id, 'production');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...REPLAYED, job_id: job.job_id, mode: 'production' });
    expect(asked).not.toHaveBeenCalled();
    expect(await app.stream(jobStream(job.job_id))).toEqual(before);
    expect((await auditor.get<ReplayResult>(`/replay/${body.replay_id}${PLAIN}`)).body).toEqual(body);
    const recorded = await app.stream(`replay-${body.replay_id}`);
    expect(recorded.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['REPLAY_REQUEST', sha256(`replay:${body.replay_id}:0:REPLAY_REQUEST`)],
      ['REPLAY_RESULT', sha256(`replay:${body.replay_id}:1:REPLAY_RESULT`)],
    ]);
  });

  it('REPLAY-01: every step of it is told, with what it checked and what it took', async () => {
    await tuff.send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const { body: job } = await tuff.ask('What is my favourite colour?');
    await house.covered();
    const { body } = await house.replay(job.job_id, 'production');
    const modules = app.parts.app.nest.get(InstalledAgents).size;
    expect(body.steps.map(({ step, verdict, checked }) => [step, verdict, checked])).toEqual([
      ['signatures and hash chain', 'ok', 13],
      ['seal', 'ok', 1],
      ['ids', 'ok', 17],
      ['log references', 'ok', 13],
      ['quarantine', 'ok', 1],
      ['snapshots', 'ok', 6],
      ['trust reductions', 'ok', modules],
      ['request and pinned snapshots', 'ok', 2],
      ['classification', 'ok', 1],
      ['router decisions', 'ok', 1],
      ['agent turns', 'ok', 2],
      ['council decisions', 'ok', 4],
      ['brainstate ticks', 'ok', 1],
      ['notices', 'ok', 0],
      ['final answer', 'ok', 1],
      ['reflective log and seal', 'ok', 2],
      ['merkle log', 'ok', 13],
    ]);
    for (const { cost_us } of body.steps) expect(Number.isInteger(cost_us) && cost_us >= 0).toBe(true);
  });

  it.each([
    ['a miss', 'What is my favorite band?', 400],
    ['a wish', 'Remember that my favorite band is Queen', 200],
    ['a sum', '12.5% of 80', 200],
    ['calculus', 'Integrate x^2 dx', 200],
    ['a claim', 'Verify that 12.5% of 80 is 10', 200],
    ['a world fact', "What is Ohm's law?", 200],
    ['nobody’s question', 'Do something weird and unknown', 400],
    ['an engine’s words', 'Write a short poem about rains', 200],
    ['no language engine', 'Plan my week', 503],
    ['personal data', 'My card is 4111 1111 1111 1111', 403],
    ['text of every script', 'What is my favorite  日本語 \u{1F600} ‮?', 400],
  ])('REPLAY-01: %s replays to MATCH in every mode', async (_, query, expected) => {
    const { status, body } = await tuff.ask(query);
    expect(status).toBe(expected);
    const id = body.job_id ?? (body.meta['job_id'] as string);
    for (const mode of ['audit', 'reexecute', 'production'] as const) {
      expect((await house.replay(id, mode)).body).toMatchObject({ ...REPLAYED, mode });
    }
  });

  it('is the same replay for the same Idempotency-Key, and 422 for another body', async () => {
    const { body: job } = await tuff.ask('7*6', { job_seed: 'same-replay' });
    const key = { 'idempotency-key': 'replay-once' };
    const first = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    const second = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(second.body).toEqual(first.body);
    expect(await app.stream(`replay-${first.body.replay_id}`)).toHaveLength(2);
    const other = await auditor.send('POST', '/replay/request', { job_id: `job:${'0'.repeat(32)}` }, key);
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
    const { status, body } = await tuff.send('POST', '/replay/request', { job_id: `job:${'0'.repeat(32)}` });
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
  });

  it.each([
    ['job:x'],
    [`job:${'A'.repeat(32)}`],
    [` job:${'0'.repeat(32)}`],
    [`job:${'0'.repeat(32)}\n`],
    ['0'.repeat(32)],
  ])('takes no text but a job’s id: %j is refused with the form, asked for or listed', async (job_id) => {
    const form = '^job:[0-9a-f]{32}$';
    const asked = await auditor.send('POST', '/replay/request', { job_id });
    const listed = await auditor.get(`/replay?job_id=${encodeURIComponent(job_id)}`);
    for (const { status, body } of [asked, listed]) {
      expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
      expect(body.developer_message).toMatch(/^(?:body|query)\.job_id: /);
      expect(body.developer_message).toContain(form);
    }
  });
});

it('what was routed replays as it was, whatever can be called by then', async () => {
  const { nest } = app.parts.app;
  const agents = nest.get(InstalledAgents);
  const poet = agents.get('creative_agent')!;
  const decisions = async (job_id: string) =>
    (await app.stream(jobStream(job_id)))
      .filter(({ type }) => type === 'ROUTER_DECISION')
      .map(({ data }) => data['agent_id']);
  const served = (await tuff.ask('Write a poem about sleet')).body.job_id;
  try {
    agents.delete('creative_agent');
    await nest.get(SelfrepSnapshots).renew();
    const without = (await tuff.ask('Write a poem about hail')).body.meta['job_id'] as string;
    expect([await decisions(served), await decisions(without)]).toEqual([['creative_agent'], ['generic_agent', null]]);
    for (const mode of ['audit', 'reexecute', 'production'] as const) {
      expect((await house.replay(served, mode)).body).toMatchObject(REPLAYED);
      expect((await house.replay(without, mode)).body).toMatchObject(REPLAYED);
    }
    agents.set('creative_agent', poet);
    expect((await house.replay(without, 'reexecute')).body).toMatchObject(REPLAYED);
  } finally {
    agents.set('creative_agent', poet);
    await nest.get(SelfrepSnapshots).renew();
  }
});

describe('the list of replays', () => {
  it('tells them newest first, of one job and of one verdict', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'listed' });
    const ids: string[] = [];
    for (const mode of ['audit', 'reexecute'] as const)
      ids.unshift((await house.replay(job.job_id, mode)).body.replay_id);
    const listed = async (query: string) => {
      const { body } = await operator.get<{ items: readonly ReplayResult[] }>(`/replay?${query}`);
      return body.items.map(({ replay_id }) => replay_id);
    };
    await house.caughtUp();
    expect(await listed(`job_id=${job.job_id}`)).toEqual(ids);
    expect(await listed(`job_id=${job.job_id}&verdict=MATCH&limit=1`)).toEqual([ids[0]]);
    expect(await listed(`job_id=${job.job_id}&verdict=MISMATCH`)).toEqual([]);
  });
});
