import { tokensOf } from '#lib/brainstate';
import type { Candidate } from '#lib/council';
import { retryAllowed } from '#lib/kernel';

import type { AgentOutput } from '../domain/jobs.events.js';
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

/**
 * One turn of an agent. After a timeout the same agent gets one immediate second try where the seed allows it, whose
 * failure is no second AGENT_TIMEOUT (spec/decisions.md "Failures inside a job").
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
    ...(candidate ? { candidate } : {}),
  };
  const result = known(yield* job.ask(effect));
  if (result.kind !== 'timeout') return recordResult(job, place, result);
  job.recorder.record('AGENT_TIMEOUT', { ...place, timeout_ms });
  if (!retryAllowed(job.input.jobSeed)) return noteFailure(job, place, result);
  job.recorder.record('RETRY_ATTEMPT', { attempt_index: 1, agent_id, iteration });
  return recordRetry(job, place, known(yield* job.ask({ ...effect, retry: 1 })));
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
    const { user_id } = job.input.accepted;
    job.recorder.record('AGENT_EXCEPTION', { ...place, user_id, reason: result.reason });
    return noteFailure(job, place, result);
  }
  if (result.kind === 'violation') recordViolation(job, place, result);
  else recordOutput(job, place, result);
  return result;
}

/** What failed is still the one turn, which timed out: a crash of its second try is on record and no second failure. */
function recordRetry(job: Job, place: Place, result: AgentResult): AgentResult {
  switch (result.kind) {
    case 'timeout':
      return noteFailure(job, place, result);
    case 'exception': {
      const { user_id } = job.input.accepted;
      job.recorder.record('AGENT_EXCEPTION', { ...place, user_id, retry: 1, reason: result.reason });
      return noteFailure(job, place, { kind: 'timeout' });
    }
    case 'violation':
      noteFailure(job, place, { kind: 'timeout' });
      return recordResult(job, place, result);
    default:
      return recordResult(job, place, result);
  }
}

function recordOutput(job: Job, place: Place, result: Reply): void {
  const answer = result.kind === 'answer' ? result : null;
  const output: AgentOutput = {
    user_id: job.input.accepted.user_id,
    ...place,
    outcome: result.kind,
    confidence: answer?.confidence ?? 0,
    tokens: answer ? tokensOf(answer.text) : 0,
    time_ms: result.time_ms,
    text: answer?.text ?? '',
    reasoning_trace: answer?.reasoning_trace ?? [],
    evidence: answer?.evidence ?? [],
    memory_write: answer?.memory_write ?? null,
    detail: result.kind === 'miss' ? result.key : result.kind === 'answer' ? '' : result.reason,
    ...('failures' in result && result.failures ? { failures: result.failures } : {}),
  };
  job.outputs.push(job.recorder.record('AGENT_OUTPUT', output));
  for (const { provider, kind } of output.failures ?? []) {
    const { iteration, agent_id } = place;
    if (kind === 'auth') job.recorder.record('AUTH_ERROR', { iteration, agent_id, provider });
  }
  job.evidence = output.evidence;
  job.tokens += output.tokens;
  job.timings[place.agent_id] = (job.timings[place.agent_id] ?? 0) + output.time_ms;
}

function noteFailure(job: Job, { agent_id, node_id }: Place, result: AgentResult): AgentResult {
  const timedOut = result.kind === 'timeout';
  job.failures.push({ node_id, reason: timedOut ? 'timeout' : 'exception' });
  job.notices.push(
    timedOut
      ? job.error('AGENT_TIMEOUT', `${agent_id} gave no answer within ${job.input.limits.agent_timeout_ms} ms`)
      : job.error('AGENT_ERROR', `${agent_id} raised an exception`),
  );
  return result;
}
