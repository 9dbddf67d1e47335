import { generateSync } from 'otplib';

import type { Agent, AgentReply } from '#lib/agents';
import { type CouncilVote, Critics } from '#lib/council';
import { Snapshots } from '#lib/governance';
import { type ErrorCode, retryAllowed } from '#lib/kernel';
import { ProjectionHost } from '#lib/projections';
import { ReplayClock, type ReplayResult } from '#lib/replay';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { forgedJob } from './forging.js';
import type { Answer, AnyBody, Caller, JobApp } from './job-app.js';
import { adoptGovernance, SHORT_TURN } from './policies.js';
import { breakStore } from './store-faults.js';
import { tamper } from './tampering.js';

/** An application in which one failure is about to be produced. */
export interface Stage {
  readonly app: JobApp;
  readonly tuff: Caller;
  readonly eve: Caller;
  readonly auditor: Caller;
  readonly operator: Caller;
  readonly council: Caller;
  /** Tells the jobs of one failure from those of another in the same application. */
  readonly label: string;
  /** Jobs that were changed on the way, by job_id. */
  readonly tampered: string[];
}

/** Asks for the failure once more, in the form that `headers` ask for; `n` tells the requests apart. */
export type Request = (headers: Record<string, string>, n: number) => Promise<Answer<AnyBody>>;

/** Makes a failure due, and answers the request that meets it. */
export type Producer = (stage: Stage) => Request | Promise<Request>;

const COLOR = '/sem/user/profile/user_tuff/favorite_color';

/** For each error code the request that is answered with it. */
export const PRODUCERS: Partial<Record<ErrorCode, Producer>> = {
  SEM_NOT_FOUND: asking('What is my favorite planet?'),
  SEM_WRITE_FAIL: ({ app, tuff }) => {
    breakStore(app, { kind: 'refused' }, ({ method, stream }) => method === 'append' && isSem(stream));
    return (headers) => tuff.send('PUT', COLOR, { value: 'blue' }, headers);
  },
  ROUTER_NO_MATCH: asking('Do something weird and unknown'),
  AGENT_TIMEOUT: async (stage) => {
    await adoptGovernance(stage.app, SHORT_TURN);
    install(stage, 'math_agent', () => new Promise<never>(() => undefined));
    return asking('What is 2 + 2?')(stage);
  },
  AGENT_ERROR: (stage) => {
    install(stage, 'math_agent', () => Promise.reject(new TypeError('boom')));
    return asking('What is 2 + 2?')(stage);
  },
  LLM_SERVICE_DOWN: asking('Write a poem about rain'),
  COUNCIL_DEADLOCK: (stage) => {
    votes(stage, [true, false], 0.5);
    return asking("What is Ohm's law?")(stage);
  },
  REPAIR_LIMIT_EXCEEDED: (stage) => {
    votes(stage, [false, false, false], 0.5);
    return asking("What is Ohm's law?")(stage);
  },
  INVALID_INPUT:
    ({ tuff }) =>
    (headers) =>
      tuff.send('POST', '/jobs', '{"query_text": "hi"', headers),
  PRIVACY_BLOCKED: asking('My SSN is 523-45-6789'),
  LOG_INVALID: async (stage) => {
    const job = await tamperedJob(stage);
    return (headers) => stage.tuff.get(`/jobs/${job}/log`, headers);
  },
  STORAGE_FULL: ({ app, tuff }) => {
    breakStore(app, { kind: 'full' }, ({ method, stream }) => method === 'append' && isSem(stream));
    return (headers) => tuff.send('PUT', COLOR, { value: 'blue' }, headers);
  },
  PERMISSION_DENIED:
    ({ tuff }) =>
    (headers) =>
      tuff.send('PUT', '/sem/world/fact/pi/value', { value: 3 }, headers),
  INTEGRITY_FAILURE: async (stage) => replaying(stage, await tamperedJob(stage)),
  ROUTER_NO_SNAPSHOT: ({ app, tuff }) => {
    jest.spyOn(app.parts.app.nest.get(Snapshots), 'loadFresh').mockResolvedValue(null);
    return (headers) => tuff.send('POST', '/router/decide', { query_text: '2+2' }, headers);
  },
  DATA_UNAVAILABLE: ({ app, tuff }) => {
    breakStore(app, { kind: 'refused' }, ({ method, stream }) => method !== 'append' && isSem(stream));
    return (headers) => tuff.get(COLOR, headers);
  },
  IDEMPOTENCY_KEY_REUSED: async ({ tuff }) => {
    const key = { 'idempotency-key': 'twice' };
    await tuff.send('PUT', COLOR, { value: 'blue' }, key);
    return (headers) => tuff.send('PUT', COLOR, { value: 'red' }, { ...headers, ...key });
  },
  UNAUTHENTICATED:
    ({ tuff }) =>
    (headers) =>
      tuff.get('/jobs', { ...headers, authorization: 'Bearer none' }),
  NOT_FOUND:
    ({ tuff }) =>
    (headers) =>
      tuff.get('/nowhere', headers),
  CONFLICT: async ({ tuff, council }) => {
    const { body } = await tuff.ask('2+2', { job_seed: 'labelled' });
    const path = `/reflective-logs/${body.log_id}/ground_truth`;
    await council.send('POST', path, { correct: true });
    return (headers) => council.send('POST', path, { correct: true }, headers);
  },
  JOB_SEED_CONFLICT: async ({ tuff, eve }) => {
    await tuff.ask('2+2', { job_seed: 'taken' });
    return (headers) => eve.send('POST', '/jobs', { query_text: '2+2', job_seed: 'taken' }, headers);
  },
  IMMUTABLE_FIELD: async ({ tuff }) => {
    const { body } = await tuff.ask('2+2');
    return (headers) => tuff.send('PATCH', `/reflective-logs/${body.log_id}`, { final_answer: '5' }, headers);
  },
  RATE_LIMITED: async ({ app }) => {
    const rita = await app.caller('rita', ['user'], ['otp']);
    const { body } = await rita.send<{ secret: string }>('POST', '/auth/otp/enrol', {});
    const otp = wrongCode(body.secret);
    // Five wrong codes lock it.
    for (let i = 0; i < 5; i++) await rita.send('POST', '/auth/step-up', { otp });
    return (headers) => rita.send('POST', '/auth/step-up', { otp }, headers);
  },
  PRECONDITION_FAILED: async ({ tuff }) => {
    await tuff.send('PUT', COLOR, { value: 'blue' });
    return (headers) => tuff.send('PUT', COLOR, { value: 'red' }, { ...headers, 'if-match': '"7"' });
  },
  MISSING_SNAPSHOT: async (stage) => {
    const job = await forgedJob(stage.app, 'elsewhere', null, async (elsewhere) => {
      const olga = await elsewhere.caller('olga', ['operator']);
      await olga.send('POST', '/events/failure', { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' });
    });
    stage.tampered.push(job);
    return replaying(stage, job);
  },
  MISSING_PERSISTED_AGENT_OUTPUT: async (stage) => {
    const change = { replayable: false, missing_artifacts: ['agent output 1'] };
    const job = await forgedJob(stage.app, 'not-kept', { type: 'REFLECTIVE_LOG_WRITTEN', change });
    stage.tampered.push(job);
    return replaying(stage, job);
  },
  FORCE_CONTINUE_REQUIRED: async (stage) => {
    const job = await forgedJob(stage.app, 'stopped', { type: 'ROUTER_DECISION', change: { depth: 2 } });
    stage.tampered.push(job);
    const { body } = await stage.auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job });
    const ada = await stage.app.caller('ada', ['admin'], ['otp']);
    return (headers) => ada.send('POST', `/replay/${body.replay_id}/force_continue`, {}, headers);
  },
  REPLAY_TIMEOUT: async (stage) => {
    const { body } = await stage.tuff.ask('2+2', { job_seed: 'takes-long' });
    let now = 0;
    jest.spyOn(stage.app.parts.app.nest.get(ReplayClock), 'now').mockImplementation(() => (now += 60_000));
    return replaying(stage, body.job_id);
  },
  WAIT_TIMEOUT: async ({ app, tuff }) => {
    await app.parts.app.nest.get(ProjectionHost).runner('jobs').stop();
    return (headers) => tuff.get(`/reflective-logs/${'0'.repeat(64)}`, headers);
  },
};

/** After these an application is not what it was: parts of it are broken, replaced or stopped. */
export const LASTING: ReadonlySet<ErrorCode> = new Set([
  'SEM_WRITE_FAIL',
  'STORAGE_FULL',
  'DATA_UNAVAILABLE',
  'AGENT_TIMEOUT',
  'AGENT_ERROR',
  'LOW_CONFIDENCE',
  'LOG_INVALID',
  'INTEGRITY_FAILURE',
  'WAIT_TIMEOUT',
]);

/** A stage on an application. */
export async function stageOn(app: JobApp, label: string): Promise<Stage> {
  const [tuff, eve, auditor, operator, council] = await Promise.all([
    app.caller('tuff'),
    app.caller('eve'),
    app.caller('ann', ['auditor']),
    app.caller('olga', ['operator']),
    app.caller('cora', ['council'], ['otp']),
  ]);
  return { app, tuff, eve, auditor, operator, council, label, tampered: [] };
}

/** Codes that stand inside an answer of 200: the answer, and where it names the code. */
export const PRODUCED_INSIDE: Partial<
  Record<ErrorCode, { readonly of: Producer; readonly at: (body: AnyBody) => unknown }>
> = {
  LOW_CONFIDENCE: {
    of: (stage) => {
      install(stage, 'knowledge_agent', () => Promise.resolve(answer('Perhaps.', 0)));
      votes(stage, [true, true, true], 0.7);
      return asking("What is Ohm's law?")(stage);
    },
    at: ({ notices }) => notices[0],
  },
  RESULT_MISMATCH: {
    of: (stage) => forged(stage, 'REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' }),
    at: ({ error_code }) => ({ error_code }),
  },
  REPLAY_DIVERGENCE: {
    of: (stage) => forged(stage, 'ROUTER_DECISION', { depth: 2 }),
    at: ({ error_code }) => ({ error_code }),
  },
};

function asking(query_text: string): (stage: Stage) => Request {
  return ({ tuff, label }) =>
    (headers, n) =>
      tuff.send('POST', '/jobs', { query_text, job_seed: seedWithoutRetry(`${label}-${n}`) }, headers);
}

/** A seed under which a timed-out agent is not asked again. */
function seedWithoutRetry(label: string): string {
  for (let i = 0; ; i++) if (!retryAllowed(`${label}-${i}`)) return `${label}-${i}`;
}

function replaying({ auditor }: Stage, job_id: string): Request {
  return (headers) => auditor.send('POST', '/replay/request', { job_id }, headers);
}

async function tamperedJob({ app, tuff, tampered }: Stage): Promise<string> {
  const { body } = await tuff.ask('2+2', { job_seed: 'tampered' });
  const stream = `job-${body.job_id}`;
  await app.whileClosed(() => tamper(app.folder, stream, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'));
  tampered.push(body.job_id);
  return body.job_id;
}

async function forged(stage: Stage, type: string, change: Record<string, string | number>): Promise<Request> {
  const job = await forgedJob(stage.app, `forged-${type}`, { type, change });
  stage.tampered.push(job);
  return replaying(stage, job);
}

function install({ app }: Stage, agent_id: string, reply: Agent['answer']): void {
  app.parts.app.nest.get(InstalledAgents).set(agent_id, { agent_id, external: false, answer: reply });
}

function answer(text: string, confidence: number): AgentReply {
  return { kind: 'answer', text, confidence, reasoning_trace: [], evidence: [], memory_write: null };
}

const CRITICS = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];

/** The critics vote so from now on; one without a ballot does not answer. */
function votes({ app }: Stage, ballots: readonly boolean[], score: number): void {
  const cast = ballots.map((approve, i): CouncilVote => ({
    council_agent_id: CRITICS[i]!,
    scores: { factuality: score, coherence: score, safety: score },
    approve,
    suggested_changes: '',
    note: 'a synthetic vote',
    confidence: 1,
  }));
  const unavailable = Object.fromEntries(CRITICS.slice(cast.length).map((critic) => [critic, 'not installed']));
  jest
    .spyOn(app.parts.app.nest.get(Critics), 'collect')
    .mockReturnValue({ votes: cast, unavailable, collection_timeout_reached: false });
}

function isSem(stream: string | null): boolean {
  return stream?.startsWith('sem-user/') ?? false;
}

/** Six digits that an authenticator shows neither now nor in the minutes around. */
function wrongCode(secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const shown = new Set([-3, -2, -1, 0, 1, 2, 3].map((step) => generateSync({ secret, epoch: now + step * 30 })));
  return ['000000', '000001', '000002', '000003', '000004', '000005', '000006', '000007'].find(
    (code) => !shown.has(code),
  )!;
}
