import { reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import type { Proposals } from './proposals.js';

const HUMAN_REVIEW = 'human-review';

/** Brings what the critics of an answer could not agree on before people, once an event. */
export function humanReviewReaction(proposals: Proposals, now: () => number): Reaction {
  return {
    name: HUMAN_REVIEW,
    types: ['HUMAN_REVIEW_REQUESTED'],
    async react({ data, metadata }: ProjectedEvent): Promise<void> {
      const { event_id, trace_id: traceId } = metadata;
      await proposals.propose({
        payload: { action: 'human_review', job_id: data['job_id']!, reason_type: data['reason']! },
        justification: 'The critics of this answer reached no majority.',
        evidence: data['candidate_event_ids'] as readonly string[],
        origin: 'answer-council',
        provenance: {
          jobSeed: reactionSeed(HUMAN_REVIEW, event_id),
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId,
          causationId: event_id,
        },
        now: now(),
      });
    },
  };
}
