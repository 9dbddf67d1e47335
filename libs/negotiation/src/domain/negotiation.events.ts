import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

import type { NegotiationDecision, NegotiationPolicy, NegotiationVote } from './decision.js';
import type { QuorumPolicy } from './quorum.js';
import type { ArtifactType } from './window.js';

/** Events of `negotiation-{artifact_id}`; the words of a vote belong to its critic. */

export interface NegotiationProposed {
  readonly artifact_id: string;
  readonly artifact_type: ArtifactType;
  readonly artifact_content_type: string;
  readonly producer_id: string;
  readonly requested_critics: readonly string[];
  readonly negotiation_room_id: string;
  readonly quorum_policy: QuorumPolicy;
  /** ISO 8601, the server's. */
  readonly received_at: string;
  readonly due_at: string;
  /** What the decision will be made by, whatever is configured by then. */
  readonly policy: NegotiationPolicy;
  readonly idempotency: Idempotency | null;
}

/** Under which a repeated request is the same one. */
export interface Idempotency {
  readonly key: string;
  /** Hash of the decoded message, before times are filled in. */
  readonly digest: string;
}

export interface VoteRecord extends NegotiationVote {
  readonly artifact_id: string;
  readonly received_at: string;
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
  readonly recommendations: readonly string[];
  readonly idempotency: Idempotency | null;
}

export interface VoteWindowClosed {
  readonly artifact_id: string;
  readonly closed_at: string;
  readonly collection_timeout_reached: boolean;
}

/** Names the critics instead of holding their votes: those stand in the stream. */
export type NegotiationDecided = Omit<NegotiationDecision, 'votes'> & {
  readonly artifact_id: string;
  readonly decided_at: string;
  /** Critics whose votes were counted, in the order cast. */
  readonly voters: readonly string[];
  /** Critics for whom an abstention was counted, in request order. */
  readonly abstained: readonly string[];
};

const VOTE_FIELDS = [
  'artifact_id',
  'critic_id',
  'score',
  'confidence',
  'passed',
  'asks_for_person',
  'received_at',
  'idempotency',
];
const VOTE_WORDS = ['strengths', 'weaknesses', 'recommendations'];
const ofCritic = (data: JsonObject): string => data['critic_id'] as string;

export const negotiationEvents: readonly EventDefinition[] = [
  {
    type: 'NEGOTIATION_PROPOSED',
    version: 1,
    plain: [
      'artifact_id',
      'artifact_type',
      'artifact_content_type',
      'producer_id',
      'requested_critics',
      'negotiation_room_id',
      'quorum_policy',
      'received_at',
      'due_at',
      'policy',
      'idempotency',
    ],
  },
  { type: 'VOTE_CAST', version: 1, plain: VOTE_FIELDS, personal: VOTE_WORDS, subject: ofCritic },
  { type: 'LATE_VOTE', version: 1, plain: VOTE_FIELDS, personal: VOTE_WORDS, subject: ofCritic },
  { type: 'VOTE_WINDOW_CLOSED', version: 1, plain: ['artifact_id', 'closed_at', 'collection_timeout_reached'] },
  {
    type: 'NEGOTIATION_DECIDED',
    version: 1,
    plain: [
      'artifact_id',
      'decided_at',
      'voters',
      'abstained',
      'outcome',
      'escalation_reason',
      'reason',
      'aggregated_score',
      'policy',
      'votes_received',
      'votes_expected',
      'quorum_threshold',
      'quorum_met',
      'collection_timeout_reached',
      'unavailable_critics',
    ],
  },
];

interface NegotiationEventData {
  readonly NEGOTIATION_PROPOSED: NegotiationProposed;
  readonly VOTE_CAST: VoteRecord;
  readonly LATE_VOTE: VoteRecord;
  readonly VOTE_WINDOW_CLOSED: VoteWindowClosed;
  readonly NEGOTIATION_DECIDED: NegotiationDecided;
}

export function negotiationEvent<K extends keyof NegotiationEventData>(
  type: K,
  data: NegotiationEventData[K],
): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function negotiationStream(artifactId: string): string {
  return `negotiation-${artifactId}`;
}
