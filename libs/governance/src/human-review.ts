import { type EventLog, IntegrityError } from '#lib/event-store';
import { type Provenance, reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import {
  isRequestStream,
  type ActionApproved,
  type ActionRejected,
  type ActionRequested,
} from './domain/action-requests.events.js';
import { HUMAN_REVIEW_ACTION } from './domain/action-kinds.js';
import { requestId } from './domain/proposal.js';
import type { Proposals } from './proposals.js';

/** Name of the reactor that brings jobs' wishes for a review before people. */
export const HUMAN_REVIEW = 'human-review';

/** The request for a person's review of a job, by the id of the ACTION_REQUESTED in the job's stream or beside its log. */
export function reviewRequestId(wishEventId: string): string {
  return requestId(reactionSeed(HUMAN_REVIEW, wishEventId), 0);
}

/** Why people are asked, by what the job told its person. */
const JUSTIFICATIONS: Readonly<Record<string, string>> = {
  COUNCIL_DEADLOCK: 'The critics of this answer reached no majority.',
  REPAIR_LIMIT_EXCEEDED: 'The critics refused every answer, and the person who asked wants people to look at it.',
  LOW_CONFIDENCE: 'The answer was given with little confidence, and the person who asked wants people to look at it.',
};

/**
 * Brings a wish for a person's review before governance, once an event: that of a job in its stream, or that of the job's
 * owner beside its log. An owner's yes to what the job itself asked for makes no second request.
 * @param now real time, milliseconds since the Unix epoch
 * @throws what `Proposals.propose` throws
 */
export async function bringBeforePeople(
  proposals: Proposals,
  { data, metadata }: Pick<ProjectedEvent, 'data' | 'metadata'>,
  now: number,
): Promise<void> {
  const { event_id, trace_id: traceId } = metadata;
  const isOwners = typeof data['requested_by'] === 'string';
  if (isOwners && data['request_id'] !== reviewRequestId(event_id)) return;
  const reason = data['reason'] as string;
  await proposals.propose({
    payload: { action: HUMAN_REVIEW_ACTION, job_id: data['job_id']!, reason_type: reason },
    justification: JUSTIFICATIONS[reason] ?? reason,
    evidence: data['candidate_event_ids'] as readonly string[],
    ...(isOwners ? {} : { origin: 'answer-council' }),
    provenance: {
      jobSeed: reactionSeed(HUMAN_REVIEW, event_id),
      sequenceIndex: 0,
      actor: isOwners ? metadata.actor : { id: 'system', role: 'system' },
      traceId,
      causationId: event_id,
    },
    now,
  });
}

/** Brings before people what the critics of an answer could not agree on, and what a job's owner wants to be reviewed. */
export function humanReviewReaction(proposals: Proposals, now: () => number): Reaction {
  return {
    name: HUMAN_REVIEW,
    types: ['ACTION_REQUESTED'],
    react: async (event: ProjectedEvent): Promise<void> => {
      if (!isRequestStream(event.stream)) await bringBeforePeople(proposals, event, now());
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
  if (action !== HUMAN_REVIEW_ACTION || typeof job_id !== 'string') return null;
  const { request_id, decided_at, approval_type } = data as unknown as ActionApproved;
  return {
    job_id,
    request_id,
    ruling: type === 'ACTION_APPROVED' ? 'approved' : 'rejected',
    author_role: approval_type === 'emergency' ? 'emergency' : 'council',
    decided_at,
  };
}
