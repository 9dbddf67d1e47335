import { createHash } from 'node:crypto';

import { type Agent, type AgentReply } from '#lib/agents';
import { type CouncilVote, Critics } from '#lib/council';
import { StoreUnavailableError } from '#lib/event-store';
import { retryAllowed } from '#lib/kernel';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { eventually } from '../support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { adoptGovernance, SHORT_TURN } from '../support/policies.js';

const TIMEOUT = 'One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.';
const CRASH = 'A module failed while processing your request. I can try a partial result or you can try again.';
const DEADLOCK =
  'I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?';
const REPAIR_LIMIT = 'I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?';
const WRITE_FAIL = 'I tried to save that but my memory failed. I might not remember this next time.';

let app: JobApp;
let tuff: Caller;

beforeEach(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await app.dispose();
});

describe('Golden tests of agents that fail (seed 001, Groups D and F; seed 000)', () => {
  it('T16_AGENT_TIMEOUT, T25_ERR_AGENT_TIMEOUT_MSG and F-FAIL-01', async () => {
    const noRetry = seedWhere((seed) => !retryAllowed(seed));
    const withRetry = seedWhere((seed) => retryAllowed(seed));
    await adoptGovernance(app, SHORT_TURN);
    install('math_agent', () => new Promise<never>(() => undefined));
    install('generic_agent', () => Promise.resolve(answer('I can only say that it is a number.')));
    const [first, second] = await Promise.all([
      tuff.ask('What is 2 + 2?', { job_seed: noRetry }),
      tuff.ask('What is 3 + 4?', { job_seed: withRetry }),
    ]);
    for (const { status, body } of [first, second]) {
      expect(status).toBe(200);
      expect(body.user_message).toBe(TIMEOUT);
      expect(body.final_answer).toBe('I can only say that it is a number.');
      expect(body.agent_id).toBe('generic_agent');
      expect(body.notices.map((notice) => notice.error_code)).toEqual(['AGENT_TIMEOUT']);
      expect(body.notices[0]!.user_message).toBe(TIMEOUT);
      expect(body.notices[0]!.developer_message).toBe('math_agent gave no answer within 1000 ms');
    }
    expect(await diversion(first.body.job_id)).toEqual([
      'AGENT_INVOKED math_agent',
      'AGENT_TIMEOUT math_agent',
      'ROUTER_DECISION generic_agent',
      'router_miss',
      'AGENT_INVOKED generic_agent',
      'AGENT_OUTPUT generic_agent',
    ]);
    expect(await diversion(second.body.job_id)).toEqual([
      'AGENT_INVOKED math_agent',
      'AGENT_TIMEOUT math_agent',
      'RETRY_ATTEMPT math_agent',
      'ROUTER_DECISION generic_agent',
      'router_miss',
      'AGENT_INVOKED generic_agent',
      'AGENT_OUTPUT generic_agent',
    ]);
    const fallback = [...PASSED_ON, 'AGENT_INVOKED', 'AGENT_OUTPUT', ...VOTED, ...END];
    await holds(first.body.job_id, noRetry, [...ASKED, 'AGENT_TIMEOUT', ...fallback]);
    await holds(second.body.job_id, withRetry, [...ASKED, 'AGENT_TIMEOUT', 'RETRY_ATTEMPT', ...fallback]);
    expect(await iterationsOf(first.body.job_id)).toEqual([
      { iteration: 1, router_event: idOf(noRetry, 3, 'ROUTER_DECISION'), agent_id: 'math_agent' },
      { iteration: 2, router_event: idOf(noRetry, 6, 'ROUTER_DECISION'), agent_id: 'generic_agent' },
    ]);
    // Each job is one failure, whatever became of its second try.
    await becomesDegraded('agent:math_v1', 2);
    await replaysToMatch(first.body.job_id, second.body.job_id);
  });

  it('T17_AGENT_CRASH', async () => {
    install('math_agent', () => Promise.reject(new TypeError('boom')));
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 't17' });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error_code: 'AGENT_ERROR', user_message: CRASH, severity: 'error' });
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    const crash = events.find((event) => event.type === 'AGENT_EXCEPTION')!;
    expect(crash.data).toMatchObject({ agent_id: 'math_agent', error_class: 'TypeError' });
    expect(JSON.stringify(events) + JSON.stringify(body)).not.toContain('boom');
    expect(body.developer_message).toBe('math_agent raised an exception');
    expectLogged(events, body);
    // What it said, and where, is for those who investigate alone.
    const ada = await app.caller('ada', ['admin'], ['otp']);
    const { body: evidence } = await ada.get<{ record: object }>(
      `/audit/evidence/${crash.data['evidence_ref'] as string}`,
    );
    expect(evidence.record).toMatchObject({
      event_type: 'AGENT_EXCEPTION',
      job_id: body.meta['job_id'],
      agent_id: 'math_agent',
      error_class: 'TypeError',
      message: 'boom',
      stack: expect.stringMatching(/^TypeError: boom\n +at /) as string,
    });
    const job_id = body.meta['job_id'] as string;
    await holds(job_id, 't17', [
      ...ASKED,
      'AGENT_EXCEPTION',
      ...PASSED_ON,
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
      ...PASSED_ON,
      ...END,
    ]);
    expect((await iterationsOf(job_id)).map(({ agent_id }) => agent_id)).toEqual(['math_agent', 'generic_agent', null]);
    await becomesDegraded('agent:math_v1', 1);
    await replaysToMatch(body.meta['job_id'] as string);
  });

  it('T19_REPAIR_LIMIT', async () => {
    const asked: (readonly string[])[] = [];
    install('knowledge_agent', (request) => {
      asked.push(request.suggested_changes);
      const evidence = [
        { key: 'world/fact/nothing/definition', revision: 7, value: 'x', timestamp: '2025-01-01T00:00:00.000Z' },
      ];
      return Promise.resolve({ ...answer('Something else.'), evidence });
    });
    const { status, body } = await tuff.ask("What is Ohm's law?", { job_seed: 't19' });
    expect(status).toBe(503);
    expect(body).toMatchObject({ error_code: 'REPAIR_LIMIT_EXCEEDED', severity: 'error', user_message: REPAIR_LIMIT });
    expect(asked).toEqual([[], ...Array<string[]>(3).fill(['Read the evidence again.', 'State what was found.'])]);
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    expect(body.developer_message).toBe('the critics refused 4 answers');
    expectLogged(events, body);
    const rounds = events.filter((event) => event.type === 'COUNCIL_DECISION').map((event) => event.data['outcome']);
    expect(rounds).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    const again = ['AGENT_INVOKED', 'AGENT_OUTPUT', ...VOTED];
    await holds(body.meta['job_id'] as string, 't19', [
      ...ASKED,
      'AGENT_OUTPUT',
      ...VOTED,
      ...again,
      ...again,
      ...again,
      ...END,
    ]);
    await replaysToMatch(body.meta['job_id'] as string);
  });

  it('T27_ERR_COUNCIL_DEADLOCK', async () => {
    const votes = [vote('council_factuality_v1', true), vote('council_coherence_v1', false)];
    jest.spyOn(app.parts.app.nest.get(Critics), 'collect').mockReturnValue({
      votes,
      unavailable: { council_safety_v1: 'not installed' },
      collection_timeout_reached: false,
    });
    const { status, body } = await tuff.ask("What is Ohm's law?", { job_seed: 't27' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ error_code: 'COUNCIL_DEADLOCK', severity: 'warning', user_message: DEADLOCK });
    expect(body.developer_message).toBe('the critics reached no majority; a person was asked to review');
    expectLogged(await app.stream(`job-${body.meta['job_id'] as string}`), body);
    expect(await diversion(body.meta['job_id'] as string)).toEqual([
      'AGENT_INVOKED knowledge_agent',
      'AGENT_OUTPUT knowledge_agent',
      'AGENT_INVOKED verification_agent',
      'AGENT_OUTPUT verification_agent',
      'ACTION_REQUESTED',
    ]);
    const round = ['AGENT_OUTPUT', 'COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];
    const [tick, ...end] = END;
    const asked = [
      ...ASKED,
      ...round,
      'AGENT_INVOKED',
      ...round,
      'COUNCIL_DEADLOCK',
      tick!,
      'ACTION_REQUESTED',
      ...end,
    ];
    await holds(body.meta['job_id'] as string, 't27', asked);
    const requested = await inboxOf(body.meta['job_id'] as string);
    const wish = (await app.stream(`job-${body.meta['job_id'] as string}`)).find((e) => e.type === 'ACTION_REQUESTED')!;
    expect(requested).toMatchObject({
      request_id: wish.data['request_id'],
      status: 'pending',
      origin: 'answer-council',
      required_approval_type: 'council_quorum',
    });
    await replaysToMatch(body.meta['job_id'] as string);
  });

  it('F-FAIL-02', async () => {
    const { eventStore } = app.parts.platform;
    const append = eventStore.append.bind(eventStore);
    const tries: string[] = [];
    jest.spyOn(eventStore, 'append').mockImplementation((stream, expected, events) => {
      if (!stream.startsWith('sem-user/')) return append(stream, expected, events);
      tries.push(stream);
      return Promise.reject(new StoreUnavailableError('the disk is gone'));
    });
    const { status, body } = await tuff.ask('Remember that my favorite color is blue', { job_seed: 'f-fail-02' });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error_code: 'SEM_WRITE_FAIL', severity: 'warning', user_message: WRITE_FAIL });
    const job = await app.stream(`job-${body.meta['job_id'] as string}`);
    const types = job.map((event) => event.type);
    expect(types.filter((type) => type.startsWith('MEMORY') || type === 'RETRY_ATTEMPT')).toEqual([
      'MEMORY_WRITE_REQUESTED',
      'RETRY_ATTEMPT',
      'MEMORY_WRITE_RESULT',
      'MEMORY_WRITE_FAIL',
    ]);
    await holds(body.meta['job_id'] as string, 'f-fail-02', [
      ...ASKED,
      'AGENT_OUTPUT',
      'MEMORY_WRITE_REQUESTED',
      // Of the write itself, which stands nowhere.
      null,
      'RETRY_ATTEMPT',
      'MEMORY_WRITE_RESULT',
      'MEMORY_WRITE_FAIL',
      ...END,
    ]);
    expect(job.find((event) => event.type === 'RETRY_ATTEMPT')!.data['attempt_index']).toBe(1);
    // Two tries; each asks the store once more under the same ids, in case only the answer was lost.
    expect(tries).toEqual(Array(4).fill('sem-user/profile/user_tuff/favorite_color'));
    expect(body.developer_message).toBe('the memory write failed: StoreUnavailableError');
    expectLogged(job, body);
    const failed = { error_code: 'SEM_WRITE_FAIL', attempts: 2 };
    const [result, fail] = ['MEMORY_WRITE_RESULT', 'MEMORY_WRITE_FAIL'].map((type) =>
      job.find((e) => e.type === type)!,
    );
    expect(result!.data).toMatchObject({ ...failed, ok: false });
    expect(fail!.data).toMatchObject({ ...failed, key: 'user/profile/user_tuff/favorite_color' });
    jest.restoreAllMocks();
    expect((await tuff.get('/sem/user/profile/user_tuff/favorite_color')).status).toBe(400);
    await replaysToMatch(body.meta['job_id'] as string);
  });
});

/** Every job's events up to its first turn, those of an answer that the critics vote on, and those of its end. */
const ASKED = ['JOB_ACCEPTED', 'SNAPSHOTS_PINNED', 'QCP_CLASSIFIED', 'ROUTER_DECISION', 'AGENT_INVOKED'];
const PASSED_ON = ['ROUTER_DECISION', 'router_miss'];
const VOTED = ['COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];
const END = ['BRAINSTATE_TICK', 'REFLECTIVE_LOG_WRITTEN', 'JOB_SEALED'];

/** sha256(job_seed:sequence_index:type), spec/kernel.md. */
function idOf(seed: string, index: number, type: string): string {
  return createHash('sha256').update(`${seed}:${index}:${type}`).digest('hex');
}

/** Exactly these events, under exactly these ids. @param types null for a number that an event elsewhere has */
async function holds(jobId: string, seed: string, types: readonly (string | null)[]): Promise<void> {
  const events = await app.stream(`job-${jobId}`);
  const expected = types.flatMap((type, i) => (type === null ? [] : [[type, idOf(seed, i, type)]]));
  expect(events.map(({ type, metadata }) => [type, metadata.event_id])).toEqual(expected);
}

/** The job's log holds the very failure that was answered, both messages included. */
function expectLogged(events: Awaited<ReturnType<JobApp['stream']>>, answered: AnyBody): void {
  const { error_code, severity, user_message, developer_message } = answered;
  const { error } = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!.data;
  expect(error).toMatchObject({ error_code, severity, user_message, developer_message });
}

/** iteration_trace of the job's log. */
async function iterationsOf(jobId: string): Promise<readonly Record<string, unknown>[]> {
  const events = await app.stream(`job-${jobId}`);
  const log = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!;
  return log.data['iteration_trace'] as unknown as readonly Record<string, unknown>[];
}

/** What trust makes of the failures that jobs recorded (seed 001, T16 and T17: the agent is flagged degraded). */
async function becomesDegraded(nodeId: string, failures: number): Promise<void> {
  const operator = await app.caller('olga', ['operator']);
  const module = await eventually(async () => {
    const { body } = await operator.get<Record<string, unknown>>(`/modules/${nodeId}`);
    return (body['metrics'] as Record<string, unknown>)['consecutive_failures'] === failures ? body : null;
  });
  const reason = failures === 1 ? 'the last call failed' : `the last ${failures} calls failed`;
  expect(module).toMatchObject({ status: 'degraded', status_reason: reason });
}

function install(agent_id: string, reply: Agent['answer']): void {
  app.parts.app.nest.get(InstalledAgents).set(agent_id, { agent_id, external: false, answer: reply });
}

function answer(text: string): Extract<AgentReply, { kind: 'answer' }> {
  return { kind: 'answer', text, confidence: 0.9, reasoning_trace: [], evidence: [], memory_write: null };
}

function vote(council_agent_id: string, approve: boolean): CouncilVote {
  const scores = { factuality: 0.5, coherence: 0.5, safety: 1 };
  return { council_agent_id, scores, approve, suggested_changes: '', note: 'a synthetic vote', confidence: 1 };
}

function seedWhere(holds: (seed: string) => boolean): string {
  for (let i = 0; ; i++) if (holds(`t16-${i}`)) return `t16-${i}`;
}

/** The request for a person's review in the governance inbox, once the reactor has brought it there. */
async function inboxOf(jobId: string): Promise<Record<string, unknown>> {
  const council = await app.caller('cora', ['council']);
  const listed = await eventually(async () => {
    const { body } = await council.get<{ items: Record<string, unknown>[] }>('/actionrequest');
    return body.items.find((item) => item['kind'] === 'human_review');
  });
  const request = await council.get<Record<string, unknown>>(`/actionrequest/${listed['request_id'] as string}`);
  expect(request.body['payload']).toMatchObject({ job_id: jobId, reason_type: 'COUNCIL_DEADLOCK' });
  return request.body;
}

const DIVERTING = /^(AGENT_|ROUTER_DECISION|router_miss|RETRY_ATTEMPT|ACTION_REQUESTED)/;

/** What happened after the first routing, with the agent it happened to. */
async function diversion(jobId: string): Promise<string[]> {
  const events = await app.stream(`job-${jobId}`);
  const first = events.findIndex((event) => event.type === 'ROUTER_DECISION');
  return events
    .slice(first + 1)
    .filter((event) => DIVERTING.test(event.type))
    .map(({ type, data }) =>
      type === 'router_miss' || type === 'ACTION_REQUESTED' ? type : `${type} ${data['agent_id'] as string}`,
    );
}

async function replaysToMatch(...jobIds: string[]): Promise<void> {
  const auditor = await app.caller('ada', ['auditor']);
  for (const job_id of jobIds) {
    const { body } = await auditor.send<{ verdict: string }>('POST', '/replay/request', { job_id });
    expect(body.verdict).toBe('MATCH');
  }
}
