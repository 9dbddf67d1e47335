import type { ProviderFailure } from '#lib/agents';
import type { AnswerDecision, CollectedVotes, CouncilVote } from '#lib/council';
import type { DomainEvent } from '#lib/kernel';

import type { AgentOutput, LlmServiceDown } from '../domain/jobs.events.js';
import type { EpisodicRedactions } from '../domain/episode-redaction.js';
import type {
  AgentResult,
  Effect,
  EffectResult,
  EvidenceKept,
  ExceptionKept,
  OfCall,
  PreparedWrite,
  RecordedCall,
  WriteResult,
} from './effects.js';

/**
 * The result of an effect as the record tells it: `recorded[at]` is the first event after those the engine has yielded.
 * Null where the record ends before the effect's result.
 */
export function recordedResult(effect: Effect, recorded: readonly DomainEvent[], at: number): EffectResult | null {
  const event = recorded[at];
  if (!event) return null;
  switch (effect.kind) {
    case 'invoke_agent':
      return agentResult(event, recorded[at - 1]);
    case 'prepare_write':
      return event.type === 'MEMORY_WRITE_REQUESTED' ? preparedWrite(event) : null;
    case 'write_memory':
      return writeResult(recorded[event.type === 'RETRY_ATTEMPT' ? at + 1 : at]);
    case 'collect_votes':
      return votes(recorded, at);
    case 'keep_evidence':
      return event.type === 'POLICY_VIOLATION' ? evidenceKept(event) : null;
    case 'check_artifacts':
      return event.type === 'REFLECTIVE_LOG_WRITTEN' ? (event.data['missing_artifacts'] as readonly string[]) : null;
    case 'find_personal':
      return event.type === 'episodic_summary' ? ((event.data as EpisodicRedactions).redactions ?? []) : null;
  }
}

function agentResult(event: DomainEvent, before: DomainEvent | undefined): AgentResult | null {
  if (event.type === 'AGENT_TIMEOUT') return { kind: 'timeout', ...callOf(event.data) };
  if (event.type === 'AGENT_EXCEPTION') {
    const { reason, error_class, evidence_ref } = event.data as Record<'reason', string> & Partial<ExceptionKept>;
    const kept = {
      ...(error_class === undefined ? {} : { error_class }),
      ...(evidence_ref === undefined ? {} : { evidence_ref }),
    };
    return { kind: 'exception', reason, ...kept, ...callOf(event.data) };
  }
  if (event.type === 'POLICY_VIOLATION') {
    return { kind: 'violation', action: event.data['action'] as string, ...evidenceKept(event) };
  }
  if (event.type === 'LLM_SERVICE_DOWN') return outOfService(event.data as unknown as LlmServiceDown);
  if (event.type !== 'AGENT_OUTPUT') {
    // The one retry after a timeout leaves no event of its own where it times out too.
    const retried = before?.type === 'RETRY_ATTEMPT' && before.data['agent_id'] !== undefined;
    return retried ? { kind: 'timeout' } : null;
  }
  const output = event.data as unknown as AgentOutput;
  // Only its hash was kept: there is nothing to go on with.
  if (output.output_hash !== undefined) return null;
  const { time_ms } = output;
  const call = callOf(event.data);
  const failures = output.failures ? { failures: output.failures as readonly ProviderFailure[] } : {};
  switch (output.outcome) {
    case 'miss':
      return { kind: 'miss', key: output.detail, time_ms, ...call };
    case 'declined':
      return { kind: 'declined', reason: output.detail, time_ms, ...call };
    case 'unavailable':
      return { kind: 'unavailable', reason: output.detail, time_ms, ...failures, ...call };
    case 'answer': {
      const { text, confidence, reasoning_trace, evidence, memory_write } = output;
      const said = { text, confidence, reasoning_trace, evidence, memory_write };
      return { kind: 'answer', ...said, time_ms, ...failures, ...call };
    }
    // An outcome of no kind that an engine records.
    default:
      return null;
  }
}

/** The engine looks at the failures alone; in words they stand nowhere. */
function outOfService({ attempts, time_ms, call }: LlmServiceDown): AgentResult {
  const failures = attempts.map(({ provider, class: kind, status }) => ({
    provider,
    kind: kind as ProviderFailure['kind'],
    ...(status === null ? {} : { status }),
  }));
  return { kind: 'unavailable', reason: '', failures, time_ms, ...(call && { call }) };
}

function callOf({ call }: DomainEvent['data']): OfCall {
  return call === undefined ? {} : { call: call as unknown as RecordedCall };
}

function evidenceKept(event: DomainEvent): EvidenceKept {
  return { evidence_ref: (event.data['evidence_ref'] as string | undefined) ?? null };
}

function preparedWrite(event: DomainEvent): PreparedWrite {
  const { key_revision, timestamp } = event.data as unknown as PreparedWrite;
  return { key_revision, timestamp };
}

function writeResult(event: DomainEvent | undefined): WriteResult | null {
  return event?.type === 'MEMORY_WRITE_RESULT' ? (event.data as unknown as WriteResult) : null;
}

/** Who was unavailable, and why, stands in the decision: it is taken from there, and the decision made again from it. */
function votes(recorded: readonly DomainEvent[], at: number): CollectedVotes | null {
  const cast: CouncilVote[] = [];
  for (let i = at; recorded[i]?.type === 'COUNCIL_VOTE'; i++) cast.push(voteOf(recorded[i]!));
  const decided = recorded[at + cast.length];
  // Votes at the very end of the record may be only some of those cast.
  if (decided?.type !== 'COUNCIL_DECISION') return null;
  const { unavailable_reasons, collection_timeout_reached } = decided.data as unknown as Partial<AnswerDecision>;
  return {
    votes: cast,
    unavailable: unavailable_reasons ?? {},
    collection_timeout_reached: collection_timeout_reached ?? false,
  };
}

function voteOf(event: DomainEvent): CouncilVote {
  const { council_agent_id, scores, approve, suggested_changes, note, confidence } =
    event.data as unknown as CouncilVote;
  return { council_agent_id, scores, approve, suggested_changes, note, confidence };
}
