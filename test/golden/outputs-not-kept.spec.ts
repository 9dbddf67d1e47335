import { jobId, sha256Hex } from '#lib/kernel';

import { type Behaviour, LlmServer } from '../fixtures/llm-server/llm-server.js';
import { eventually } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

/** `persist_agent_outputs: false` (seed 002 sections 7 and 9; spec/replay.md): what an engine says is kept as a hash alone. */

const KEY = 'MACE_TEST_ENGINE_KEY';
const POEM = 'Write a poem about rain';
const SAID = 'Rain falls on rain, and rain it is that falls.';
const UNKEPT = { persist_agent_outputs: false };

let app: JobApp;
let tuff: Caller;
let server: LlmServer;
const made: string[] = [];

beforeAll(() => void (process.env[KEY] = 'sk-for-a-test'));
afterAll(() => void delete process.env[KEY]);
afterEach(async () => {
  await app.dispose({ tampered: made.splice(0) });
  await server.close();
});

it('keeps the final answer and a keyed hash, and names the output that a replay would miss', async () => {
  await start([{ kind: 'answer', text: SAID }]);
  const { status, body } = await tuff.ask(POEM, { ...UNKEPT, job_seed: 'unkept' });
  made.push(body.job_id);
  expect([status, body.final_answer, body.replayable]).toEqual([200, SAID, false]);

  const events = await app.stream(`job-${body.job_id}`);
  const output = events.find(({ type }) => type === 'AGENT_OUTPUT')!;
  expect(output.data).toMatchObject({ outcome: 'answer', text: '', reasoning_trace: [], evidence: [] });
  const { output_hash } = output.data;
  expect(output_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(output_hash).not.toBe(sha256Hex(SAID));
  const holding = events.filter(({ data }) => JSON.stringify(data).includes('Rain falls'));
  expect(holding.map(({ type }) => type)).toEqual(['REFLECTIVE_LOG_WRITTEN']);

  const { body: log } = await tuff.get(`/jobs/${body.job_id}/log`);
  expect(log.missing_artifacts).toEqual([`agent_output:${output.metadata.event_id}`]);
  expect(log.agent_outputs).toMatchObject([{ text: '[not kept]' }]);
  const auditor = await app.caller('ann', ['auditor']);
  for (const mode of ['audit', 'reexecute', 'production']) {
    const replay = await auditor.send('POST', '/replay/request', { job_id: body.job_id, mode });
    expect([mode, replay.status, replay.body.error_code]).toEqual([mode, 409, 'MISSING_PERSISTED_AGENT_OUTPUT']);
  }
});

it('keeps what agents of this house say, and replays such a job', async () => {
  await start([{ kind: 'answer', text: SAID }]);
  const { body } = await tuff.ask('What is 6 * 7?', UNKEPT);
  expect(body).toMatchObject({ final_answer: '6 * 7 = 42.', replayable: true });
  const events = await app.stream(`job-${body.job_id}`);
  expect(events.find(({ type }) => type === 'AGENT_OUTPUT')!.data).toMatchObject({ text: '6 * 7 = 42.' });
});

it('hashes the same words of two jobs to different ones', async () => {
  await start([{ kind: 'answer', text: SAID }]);
  const hashes = [];
  for (const job_seed of ['one', 'two']) {
    const { body } = await tuff.ask(POEM, { ...UNKEPT, job_seed });
    made.push(body.job_id);
    const events = await app.stream(`job-${body.job_id}`);
    hashes.push(events.find(({ type }) => type === 'AGENT_OUTPUT')!.data['output_hash']);
  }
  expect(new Set(hashes).size).toBe(2);
});

it('closes a job as failed that ends while an engine is asked, and asks no engine again', async () => {
  await start([{ kind: 'hang' }]);
  const job = jobId('left');
  made.push(job);
  const asking = tuff.send(
    'POST',
    '/jobs',
    { query_text: POEM, ...UNKEPT, job_seed: 'left' },
    { prefer: 'respond-async' },
  );
  await eventually(() => (server.seen.length > 0 ? true : null), 'the question at the engine');
  await asking;
  await app.whileClosed(() => undefined);
  tuff = await app.caller('tuff');
  const found = await eventually(async () => {
    const { body } = await tuff.get(`/jobs/${job}`);
    return body.status === 'running' ? null : body;
  });
  expect(found).toMatchObject({ status: 'failed', final_answer: null, replayable: false });
  expect(found.error!.developer_message).toBe(
    'the job was left unfinished and could not be continued: what an outside engine said was not kept, as the job asked',
  );
  expect(server.seen).toHaveLength(1);
  const invoked = (await app.stream(`job-${job}`)).find(({ type }) => type === 'AGENT_INVOKED')!;
  const { body: log } = await tuff.get(`/jobs/${job}/log`);
  expect(log.missing_artifacts).toEqual([`agent_output:${invoked.metadata.event_id}`]);
});

async function start(behaviours: readonly Behaviour[]): Promise<void> {
  server = await LlmServer.start(...behaviours);
  const provider = { base_url: server.url, api_key_env: KEY, model: 'a-model', timeout_ms: 60_000 };
  app = await JobApp.open({}, { MACE_LLM_PROVIDERS: JSON.stringify([provider]) });
  tuff = await app.caller('tuff');
}
