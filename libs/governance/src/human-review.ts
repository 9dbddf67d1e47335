import { type EventLog, IntegrityError } from '#lib/event-store';
import { type Provenance, reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import {
  isRequestStream,
  type ActionApproved,
  type ActionRejected,
  type ActionRequested,
} from './domain/action-requests.events.js';
import { requestId } from './domain/proposal.js';
import type { Proposals } from './proposals.js';

/** Name of the reactor that brings jobs' wishes for a review before people. */
export const HUMAN_REVIEW = 'human-review';

/** The request for a person's review of a job, by the id of the job's ACTION_REQUESTED. */
export function reviewRequestId(wishEventId: string): string {
  return requestId(reactionSeed(HUMAN_REVIEW, wishEventId), 0);
}

/** Brings what the critics of an answer could not agree on before people, once an event. */
export function humanReviewReaction(proposals: Proposals, now: () => number): Reaction {
  return {
    name: HUMAN_REVIEW,
    types: ['ACTION_REQUESTED'],
    async react({ stream, data, metadata }: ProjectedEvent): Promise<void> {
      if (isRequestStream(stream)) return;
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

const RULING = 'human-review-ruling';

/** What people decided of a request for a person's review of a job. */
export interface ReviewRuling {
  readonly job_id: string;
  readonly request_id: string;
  readonly ruling: 'approved' | 'rejected';
  readonly author_role: 'council' | 'emergency';
  readonly decided_at: string;
}

/**
 * Hands on what people ruled on a job, once a decision. A request that ended without a quorum was not ruled on.
 * @param deliver appends under the provenance given, so that a second call appends nothing
 * @param onTampered told of a request, or of what it is about, that does not verify: no ruling is made of it
 */
export function rulingReaction(
  log: EventLog,
  deliver: (ruling: ReviewRuling, provenance: Provenance) => Promise<void>,
  onTampered: (error: IntegrityError) => void,
): Reaction {
  return {
    name: RULING,
    types: ['ACTION_APPROVED', 'ACTION_REJECTED'],
    async react(event: ProjectedEvent): Promise<void> {
      try {
        const ruling = await rulingOf(log, event);
        if (!ruling) return;
        const { event_id, trace_id: traceId } = event.metadata;
        await deliver(ruling, {
          jobSeed: reactionSeed(RULING, event_id),
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId,
          causationId: event_id,
        });
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
        onTampered(error);
      }
    },
  };
}

async function rulingOf(log: EventLog, { type, data, stream }: ProjectedEvent): Promise<ReviewRuling | null> {
  if (type === 'ACTION_REJECTED' && (data as unknown as ActionRejected).reason === 'no_quorum') return null;
  const { events } = await log.load(stream);
  const { action, payload } = events[0]!.data as unknown as ActionRequested;
  const { job_id } = payload;
  if (action !== 'human_review' || typeof job_id !== 'string') return null;
  const { request_id, decided_at, approval_type } = data as unknown as ActionApproved;
  return {
    job_id,
    request_id,
    ruling: type === 'ACTION_APPROVED' ? 'approved' : 'rejected',
    author_role: approval_type === 'emergency' ? 'emergency' : 'council',
    decided_at,
  };
}
