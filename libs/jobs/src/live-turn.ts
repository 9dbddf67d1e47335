import type { Agent, AgentFault, AgentReply, AgentRequest } from '#lib/agents';
import { canonicalCopy } from '#lib/kernel';
import { allows, type ModulePolicy } from '#lib/selfrep';

import type { JobAccepted } from './domain/jobs.events.js';
import type { AgentResult, EvidenceKept, ExceptionKept, InvokeAgent, KeepEvidence, OfCall } from './engine/effects.js';
import type { EngineInput } from './engine/input.js';
import type { LateAnswer } from './domain/late-answers.events.js';
import { checkReply } from './live-reply.js';
import { type EffectPorts, type Overstep, TurnGrant } from './turn-grant.js';

/** What live turns are made of; the same for all of them. */
export interface TurnParts {
  readonly ports: EffectPorts;
  keep(tried: Omit<KeepEvidence, 'kind' | 'target'> & Overstep, accepted: JobAccepted): Promise<EvidenceKept>;
  /** Keeps what an agent raised as evidence, and tells operators of it. */
  crashed(
    crash: Crash,
    place: Omit<KeepEvidence, 'kind' | 'target' | 'action'>,
    accepted: JobAccepted,
  ): Promise<Partial<ExceptionKept>>;
  readonly lateAnswers: { record(answer: LateAnswer): void };
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

export interface LiveTurn {
  readonly agent: Agent;
  /** Of the agent's module, as the job pinned it. */
  readonly policy: ModulePolicy;
  readonly effect: InvokeAgent;
  readonly input: EngineInput;
  /** Aborted when the run is abandoned. */
  readonly abandoned: AbortSignal;
}

/** An exception that an agent raised, in texts of bounded length. */
export interface Crash {
  readonly error_class: string;
  readonly message: string;
  readonly stack: string;
}

/** Why a turn ended before its agent answered. */
type Ended = 'timeout' | 'abandoned' | 'overstep';

interface Signals {
  readonly turn: AbortController;
  /** Absent where its agent did not look at it. */
  closing?: AbortController;
}

/**
 * One turn of an agent, under the policy of its module and within its time. An overstep ends it at once, and is what the
 * turn comes to, whatever the agent makes of the refusal. What comes after the timeout is recorded as late, and is no
 * result. An agent that never answers keeps nothing but its own promise.
 */
export async function takeLiveTurn(turn: LiveTurn, parts: TurnParts): Promise<AgentResult> {
  const { agent, policy, effect, abandoned } = turn;
  const signals: Signals = { turn: new AbortController() };
  const began = parts.clock();
  let overstep = null as Overstep | null;
  let end = (_: Ended): void => undefined;
  const ended = new Promise<Ended>((resolve) => (end = resolve));
  const onOverstep = (tried: Overstep): void => {
    overstep ??= tried;
    end('overstep');
  };
  const { token_budget } = effect;
  const { user_id } = turn.input.accepted;
  const grant = new TurnGrant(parts.ports, { policy, user_id, token_budget, turn: signals.turn, onOverstep });
  const timer = setTimeout(() => end('timeout'), effect.timeout_ms);
  const onAbandoned = (): void => end('abandoned');
  abandoned.addEventListener('abort', onAbandoned);
  const answering = answerOf(agent, requestOf(turn, grant, signals), began, parts);
  try {
    const first = await Promise.race([answering, ended]);
    grant.end();
    if (!overstep && typeof first !== 'string') return await kept(first, turn, parts);
    signals.turn.abort();
    const isLate = !overstep && first === 'timeout';
    if (isLate) watchForLate(answering, began + effect.timeout_ms, { turn, signals }, parts);
    else signals.closing?.abort();
    if (overstep) return await refused(overstep, turn, parts);
    return { kind: 'timeout', ...callOf(agent) };
  } finally {
    clearTimeout(timer);
    abandoned.removeEventListener('abort', onAbandoned);
  }
}

function requestOf({ policy, effect, input }: LiveTurn, effects: TurnGrant, signals: Signals): AgentRequest {
  const { query_text, user_id, job_id } = input.accepted;
  const { depth, token_budget, suggested_changes, candidate, after_miss } = effect;
  const { node_id, iteration, attempt, retry, intent_tags, timeout_ms } = effect;
  const asked = { ...(candidate ? { candidate } : {}), ...(after_miss ? { after_miss } : {}) };
  const reads_memory = policy.allowed_actions.includes('sem.read') && allows(policy, 'sem.read');
  return {
    turn: { job_id, node_id, iteration, attempt, retry, intent_tags, timeout_ms, reads_memory },
    query_text,
    user_id,
    depth,
    token_budget,
    suggested_changes,
    ...asked,
    effects,
    get signal() {
      return signals.turn.signal;
    },
    get closing() {
      return (signals.closing ??= new AbortController()).signal;
    },
  };
}

type Answered = AgentResult | { readonly kind: 'raised'; readonly thrown: unknown };

/** An agent that throws, or says what is no reply or what no record can hold, has crashed: the job goes on without it. */
async function answerOf(
  agent: Agent,
  request: AgentRequest,
  began: number,
  { clock, ports: { memory } }: Pick<TurnParts, 'clock' | 'ports'>,
): Promise<Answered> {
  try {
    const mayRead = (key: string): boolean => memory.mayRead(key, request.user_id);
    const given = await agent.answer(request);
    const call = callOf(agent, given);
    if (isFault(given)) return { kind: 'exception', reason: given.reason, error_class: given.error_class, ...call };
    const checked = checkReply(canonicalCopy(given), mayRead);
    if ('fault' in checked) return { kind: 'exception', reason: checked.fault, ...call };
    return { ...checked.reply, time_ms: Math.round((clock() - began) * 1000) / 1000, ...call };
  } catch (thrown) {
    return { kind: 'raised', thrown };
  }
}

function callOf({ endpoint_revision }: Agent, reply?: Pick<AgentReply, 'call'>): OfCall {
  return endpoint_revision === undefined ? {} : { call: { endpoint_revision, ...reply?.call } };
}

/** Of any other form it is a reply like another, and none that has a form. */
function isFault(given: unknown): given is AgentFault {
  if (typeof given !== 'object' || given === null) return false;
  const { kind, reason, error_class } = given as Record<string, unknown>;
  return kind === 'failed' && typeof reason === 'string' && typeof error_class === 'string' && CLASS.test(error_class);
}

async function kept(answered: Answered, { effect, input }: LiveTurn, parts: TurnParts): Promise<AgentResult> {
  if (answered.kind !== 'raised') return answered;
  const { agent_id, node_id, iteration, attempt } = effect;
  const crash = crashOf(answered.thrown);
  const found = await parts.crashed(crash, { agent_id, node_id, iteration, attempt }, input.accepted);
  return { kind: 'exception', reason: crash.error_class, ...found };
}

const MAX_MESSAGE = 4000;
const MAX_STACK = 16_000;

function crashOf(thrown: unknown): Crash {
  const { message, stack } = (thrown instanceof Error ? thrown : {}) as Record<'message' | 'stack', unknown>;
  const text = (value: unknown, most: number): string =>
    typeof value === 'string' ? value.slice(0, most).toWellFormed() : '';
  return { error_class: nameOf(thrown), message: text(message, MAX_MESSAGE), stack: text(stack, MAX_STACK) };
}

/** What a class may be called: an agent may have put anything into the name of an error. */
const CLASS = /^[A-Za-z_$][\w$]{0,63}$/;

/** The kind of a crash, never its message: a message may quote what somebody typed. */
export function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'a thrown value that is no error';
  const name: unknown = thrown.name;
  return typeof name === 'string' && CLASS.test(name) ? name : 'Error';
}

async function refused(overstep: Overstep, { effect, input }: LiveTurn, parts: TurnParts): Promise<AgentResult> {
  const { agent_id, node_id, iteration, attempt } = effect;
  const { action } = overstep;
  const kept = await parts.keep({ agent_id, node_id, iteration, attempt, ...overstep }, input.accepted);
  return { kind: 'violation', action, ...kept };
}

/** Only an answer is late: what an agent says because it was called off is none, and a crash is nobody's business now. */
function watchForLate(
  answering: Promise<Answered>,
  due: number,
  { turn: { effect, input, abandoned }, signals: { closing } }: { readonly turn: LiveTurn; readonly signals: Signals },
  { lateAnswers, clock }: TurnParts,
): void {
  const { agent_id, node_id, iteration, attempt, retry } = effect;
  const place = { job_id: input.accepted.job_id, agent_id, node_id, iteration, attempt, retry };
  const close = (): void => closing?.abort();
  const timer = closing && setTimeout(close, effect.timeout_ms).unref();
  if (closing) abandoned.addEventListener('abort', close);
  void answering.then(({ kind }) => {
    clearTimeout(timer);
    abandoned.removeEventListener('abort', close);
    if (kind === 'answer' && !abandoned.aborted)
      lateAnswers.record({ ...place, late_by_ms: Math.round(clock() - due) });
  });
}
