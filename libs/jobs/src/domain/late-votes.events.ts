import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/**
 * A critic voted on an answer when the collection was closed; the vote never counts. In `system-council` and not in the
 * job's stream, which follows from its own record and may be sealed by now. Its words are not kept: they may quote the
 * answer.
 */
export interface LateVote {
  readonly job_id: string;
  readonly candidate_event_id: string;
  readonly council_agent_id: string;
  readonly approve: boolean;
  readonly scores: { readonly factuality: number; readonly coherence: number; readonly safety: number };
  readonly confidence: number;
}

export const COUNCIL_STREAM = 'system-council';

export const lateVoteEvents: readonly EventDefinition[] = [
  {
    type: 'COUNCIL_LATE_VOTE',
    version: 1,
    plain: ['job_id', 'candidate_event_id', 'council_agent_id', 'approve', 'scores', 'confidence'],
  },
];

export function lateVoteEvent(late: LateVote): DomainEvent {
  return { type: 'COUNCIL_LATE_VOTE', data: late as unknown as JsonObject };
}
