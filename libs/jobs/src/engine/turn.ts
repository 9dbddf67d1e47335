import { isOutOfService, type ProviderFailure } from '#lib/agents';
import { tokensOf } from '#lib/brainstate';
import type { Candidate } from '#lib/council';
import { type ErrorEnvelope, retryAllowed } from '#lib/kernel';

import type { AgentOutput } from '../domain/jobs.events.js';
import { artifactName } from '../domain/missing.js';
import type { AgentResult, InvokeAgent } from './effects.js';
import type { Job, Steps } from './job.js';
import { type Place, placeOf } from './place.js';
import { recordViolation } from './violation.js';

/** Whose turn it is. */
export interface TurnOf {
  readonly agent_id: string;
  readonly node_id: string;
  readonly depth: number;
  readonly token_budget: number;
}

export interface TurnNumber {
  readonly iteration: number;
  /** 1 for the first turn of a job, one more after each repair. */
  readonly attempt: number;
  /** What the council asked to change in the answer before. */
  readonly suggestions: readonly string[];
  /** The answer to be checked, where checking is what the turn is for. */
  readonly candidate?: Candidate;
}

type Reply = Exclude<AgentResult, { kind: 'timeout' | 'exception' | 'violation' }>;

type Unavailable = Extract<AgentResult, { kind: 'unavailable' }>;
type Exception = Extract<AgentResult, { kind: 'exception' }>;
/** What may pass by itself: the same agent is asked once more where the seed allows it. */
type Passing = Extract<AgentResult, { kind: 'timeout' }> | Unavailable;

/**
 * One turn of an agent. After a timeout, or where its language engine is out of service, the same agent gets one
 * immediate second try where the seed allows it, whose failure is no second one of the turn (spec/decisions.md "Failures
 * inside a job", "An engine that fails").
 */
export function* takeTurn(job: Job, of: TurnOf, turn: TurnNumber): Steps<AgentResult> {
  const { agent_id, depth, token_budget } = of;
  const { iteration, attempt, suggestions: suggested_changes, candidate } = turn;
  const { user_id } = job.input.accepted;
  const timeout_ms = job.input.limits.agent_timeout_ms;
  const place = placeOf(of, iteration, attempt);
  job.recorder.record('AGENT_INVOKED', { user_id, depth, token_budget, suggested_changes, ...place });
  job.invoked.push(agent_id);
  const effect: InvokeAgent = {
    kind: 'invoke_agent',
    ...place,
    retry: 0,
    depth,
    token_budget,
    timeout_ms,
    suggested_changes,
    intent_tags: job.intentTags,
    ...(candidate ? { candidate } : {}),
    ...(job.missed ? { after_miss: true } : {}),
  };
  const result = known(yield* job.ask(effect));
  if (!mayPass(job, result)) return recordResult(job, place, result);
  if (result.kind === 'timeout') {
    const { kind: _, ...call } = result;
    job.recorder.record('AGENT_TIMEOUT', { ...place, timeout_ms, ...call });
  } else recordOutOfService(job, place, result);
  if (!retryAllowed(job.input.jobSeed)) return noteFailure(job, place, result);
  job.recorder.record('RETRY_ATTEMPT', { attempt_index: 1, agent_id, iteration });
  return recordRetry(job, place, result, known(yield* job.ask({ ...effect, retry: 1 })));
}

function mayPass(job: Job, result: AgentResult): result is Passing {
  if (result.kind === 'timeout') return true;
  return result.kind === 'unavailable' && job.input.engineVersion > 1 && isOutOfService(result.failures ?? []);
}

const KINDS: Readonly<Record<AgentResult['kind'], true>> = {
  answer: true,
  miss: true,
  declined: true,
  unavailable: true,
  timeout: true,
  exception: true,
  violation: true,
};

/** A result of a kind that no rule is about is a crash: nothing can be done with it, and its agent is not asked again. */
function known(result: AgentResult): AgentResult {
  return Object.hasOwn(KINDS, result.kind) ? result : { kind: 'exception', reason: 'a result of unknown kind' };
}

function recordResult(job: Job, place: Place, result: Exclude<AgentResult, { kind: 'timeout' }>): AgentResult {
  if (result.kind === 'exception') {
    recordException(job, place, result);
    return noteFailure(job, place, result);
  }
  if (result.kind === 'violation') recordViolation(job, place, result);
  else recordOutput(job, place, result);
  if (result.kind === 'unavailable' && wasAsked(job, result)) job.notices.push(unanswered(job, result));
  return result;
}

/** Whether engines were asked, so that the router decides again: with none there is nothing to go on with. */
export function wasAsked(job: Job, { failures }: Unavailable): boolean {
  return job.input.engineVersion > 1 && failures !== undefined && failures.length > 0;
}

/** What failed is still the one turn: how its second try failed is on record and no second failure. */
function recordRetry(job: Job, place: Place, first: Passing, result: AgentResult): AgentResult {
  if (mayPass(job, result)) {
    if (result.kind === 'unavailable') recordOutOfService(job, place, result, { retry: 1 });
    return noteFailure(job, place, first);
  }
  switch (result.kind) {
    case 'exception':
      recordException(job, place, result, { retry: 1 });
      return noteFailure(job, place, first);
    case 'violation':
      noteFailure(job, place, first);
      return recordResult(job, place, result);
    default:
      return recordResult(job, place, result);
  }
}

interface OfRetry {
  readonly retry?: 1;
}

function recordException(job: Job, place: Place, { kind: _, ...result }: Exception, retry: OfRetry = {}): void {
  const { user_id } = job.input.accepted;
  job.recorder.record('AGENT_EXCEPTION', { ...place, user_id, ...retry, ...result });
}

/** Every provider was asked: the turn has no output. */
function recordOutOfService(job: Job, place: Place, result: Unavailable, retry: OfRetry = {}): void {
  const { failures = [], time_ms, call } = result;
  const attempts = failures.map(({ provider, kind, status = null }) => ({ provider, class: kind, status }));
  job.recorder.record('LLM_SERVICE_DOWN', { ...place, ...retry, attempts, time_ms, ...(call && { call }) });
  recordRefusedKeys(job, place, failures);
  addTime(job, place, time_ms);
}

function recordRefusedKeys(
  job: Job,
  { iteration, agent_id }: Place,
  failures: readonly Pick<ProviderFailure, 'provider' | 'kind'>[],
): void {
  for (const { provider, kind } of failures) {
    if (kind === 'auth') job.recorder.record('AUTH_ERROR', { iteration, agent_id, provider });
  }
}

function recordOutput(job: Job, place: Place, result: Reply): void {
  const answer = result.kind === 'answer' ? result : null;
  const { output_hash } = result;
  const kept = output_hash === undefined ? answer : null;
  const output: AgentOutput = {
    user_id: job.input.accepted.user_id,
    ...place,
    outcome: result.kind,
    confidence: answer?.confidence ?? 0,
    tokens: answer ? tokensOf(answer.text) : 0,
    time_ms: result.time_ms,
    text: kept?.text ?? '',
    reasoning_trace: kept?.reasoning_trace ?? [],
    evidence: kept?.evidence ?? [],
    memory_write: kept?.memory_write ?? null,
    detail: result.kind === 'miss' ? result.key : result.kind === 'answer' ? '' : result.reason,
    ...('failures' in result && result.failures ? { failures: result.failures } : {}),
    ...(output_hash === undefined ? {} : { output_hash }),
    ...(result.call === undefined ? {} : { call: result.call }),
  };
  const ref = job.recorder.record('AGENT_OUTPUT', output);
  job.outputs.push(ref);
  if (output_hash !== undefined) job.unkept.push(artifactName('agent_output', ref.event_id));
  recordRefusedKeys(job, place, ('failures' in result && result.failures) || []);
  job.evidence = answer?.evidence ?? [];
  job.tokens += output.tokens;
  addTime(job, place, output.time_ms);
}

function addTime(job: Job, { agent_id }: Place, time_ms: number): void {
  job.timings[agent_id] = (job.timings[agent_id] ?? 0) + time_ms;
}

type Failure = Passing | Exception;

const REASONS: Readonly<Record<Failure['kind'], string>> = {
  timeout: 'timeout',
  exception: 'exception',
  unavailable: 'language engine',
};

function noteFailure(job: Job, { agent_id, node_id }: Place, failure: Failure): AgentResult {
  job.failures.push({ node_id, reason: REASONS[failure.kind] });
  job.notices.push(noticeOf(job, agent_id, failure));
  return failure;
}

function noticeOf(job: Job, agent_id: string, failure: Failure): ErrorEnvelope {
  switch (failure.kind) {
    case 'timeout':
      return job.error('AGENT_TIMEOUT', 'no_answer', { agent_id, timeout_ms: job.input.limits.agent_timeout_ms });
    case 'exception':
      return job.error('AGENT_ERROR', 'raised', { agent_id });
    case 'unavailable':
      return unanswered(job, failure);
  }
}

function unanswered(job: Job, { failures = [] }: Unavailable): ErrorEnvelope {
  const attempts = failures.map(({ provider, kind, status }) =>
    [provider, `(${kind}${status === undefined ? '' : ` ${status}`})`].join(' '),
  );
  return job.error('LLM_SERVICE_DOWN', 'none_answered', { attempts: attempts.join(', ') });
}
