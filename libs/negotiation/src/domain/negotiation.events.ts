import {
  type DomainEvent,
  type EventDefinition,
  type Form,
  isJsonObject,
  isText,
  type JsonObject,
  listOf,
} from '#lib/kernel';

import type { Unavailability } from './critic.js';
import type { EscalationReason, NegotiationDecision, NegotiationPolicy, NegotiationVote } from './decision.js';
import type { QuorumPolicy } from './quorum.js';
import type { Escalation, OptionsInForce } from './room-options.js';
import type { ArtifactType } from './window.js';

/** Events of `negotiation-{artifact_id}`; the words of a vote belong to its critic. */

export interface NegotiationProposed {
  readonly artifact_id: string;
  readonly artifact_type: ArtifactType;
  readonly artifact_content_type: string;
  /** SHA-256 of the artifact as it is stored, encrypted under the producer's data key. */
  readonly artifact_ref: string;
  /** The producer's raw id, as proposed. */
  readonly producer_id: string;
  /** The producer's normal form, whose data key the artifact is under. */
  readonly producer_principal: string;
  readonly requested_critics: readonly string[];
  readonly negotiation_room_id: string;
  readonly quorum_policy: QuorumPolicy;
  /**
   * Votes that make the quorum, or their weight where they are weighed: a fraction is kept to 9 decimals, which may not be
   * what it was reckoned from.
   */
  readonly quorum_threshold: number;
  /** As the producer says, or the server's where it says nothing; never used for order. ISO 8601. */
  readonly created_at: string;
  /** ISO 8601, the server's. */
  readonly received_at: string;
  readonly due_at: string;
  /** What the decision will be made by, whatever is configured by then. */
  readonly policy: NegotiationPolicy;
  /** What the policy's options came to for the quorum; absent where it has none, and in version 1. */
  readonly options?: OptionsInForce;
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
  /** The critic's normal form, whose words these are. */
  readonly critic_principal: string;
  /** As the critic says, or the server's where it says nothing; never used for order. ISO 8601. */
  readonly voted_at: string;
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
  /** Each critic that was asked and did not vote, in request order. */
  readonly unavailable: readonly Unavailability[];
}

/** Senior critics are asked before people are, in a window of their own: once, after the window before it has closed. */
export interface SeniorCriticsAsked extends Escalation {
  readonly artifact_id: string;
  /** Votes of theirs that make the quorum, or their weight where they are weighed. */
  readonly quorum_threshold: number;
  /** What the policy's options came to for their quorum; absent where it has none. */
  readonly options?: OptionsInForce;
}

/** Names the critics instead of holding their votes: those stand in the stream. */
export type NegotiationDecided = Omit<NegotiationDecision, 'votes' | 'weight_received'> & {
  readonly artifact_id: string;
  readonly decided_at: string;
  /** Critics whose votes were counted, in the order cast. */
  readonly voters: readonly string[];
  /** Critics for whom an abstention was counted, in request order. */
  readonly abstained: readonly string[];
  /** What the policy's options came to; absent where it has none, and in version 1. */
  readonly options?: OptionsInForce;
};

/** What somebody outside ruled on an escalated negotiation, by `sw4rm.hitl`: beside the decision, which stays. */
export interface HitlRuled {
  readonly artifact_id: string;
  /** Of the NEGOTIATION_DECIDED that was put to them. */
  readonly decision_event_id: string;
  readonly reason_type: EscalationReason;
  /** Normal form; what was ruled is kept under the producer's data key. */
  readonly producer_principal: string;
  /** The server's, ISO 8601. */
  readonly ruled_at: string;
  readonly action: string;
  readonly rationale: string;
  /** SHA-256 of the payload as it is stored, encrypted; null where there was none. */
  readonly payload_ref: string | null;
}

const VOTE_FIELDS = [
  'artifact_id',
  'critic_id',
  'critic_principal',
  'score',
  'confidence',
  'passed',
  'asks_for_person',
  'voted_at',
  'received_at',
  'idempotency',
];
const VOTE_WORDS = ['strengths', 'weaknesses', 'recommendations'];
const ofCritic = (data: JsonObject): string => data['critic_principal'] as string;

const isObjectOrAbsent: Form = (value) => value === undefined || isJsonObject(value);

export const negotiationEvents: readonly EventDefinition[] = [
  {
    type: 'NEGOTIATION_PROPOSED',
    version: 2,
    plain: [
      'artifact_id',
      'artifact_type',
      'artifact_content_type',
      'artifact_ref',
      'producer_id',
      'producer_principal',
      'requested_critics',
      'negotiation_room_id',
      'quorum_policy',
      'quorum_threshold',
      'created_at',
      'received_at',
      'due_at',
      'policy',
      // Ids and numbers; absent in version 1, which had no options.
      'options',
      'idempotency',
    ],
    forms: { options: isObjectOrAbsent },
    upcasters: { 1: (data) => data },
  },
  { type: 'VOTE_CAST', version: 1, plain: VOTE_FIELDS, personal: VOTE_WORDS, subject: ofCritic },
  { type: 'LATE_VOTE', version: 1, plain: VOTE_FIELDS, personal: VOTE_WORDS, subject: ofCritic },
  {
    type: 'VOTE_WINDOW_CLOSED',
    version: 1,
    plain: ['artifact_id', 'closed_at', 'collection_timeout_reached', 'unavailable'],
  },
  {
    type: 'SENIOR_CRITICS_ASKED',
    version: 1,
    plain: ['artifact_id', 'critics', 'opened_at', 'due_at', 'before', 'quorum_threshold', 'options'],
    forms: { critics: listOf(isText), before: isJsonObject, options: isObjectOrAbsent },
  },
  {
    type: 'NEGOTIATION_DECIDED',
    version: 2,
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
      // As above.
      'options',
    ],
    forms: { options: isObjectOrAbsent },
    upcasters: { 1: (data) => data },
  },
  {
    type: 'HITL_RULED',
    version: 1,
    plain: ['artifact_id', 'decision_event_id', 'reason_type', 'producer_principal', 'ruled_at', 'payload_ref'],
    personal: ['action', 'rationale'],
    subject: (data) => data['producer_principal'] as string,
  },
];

interface NegotiationEventData {
  readonly NEGOTIATION_PROPOSED: NegotiationProposed;
  readonly VOTE_CAST: VoteRecord;
  readonly LATE_VOTE: VoteRecord;
  readonly VOTE_WINDOW_CLOSED: VoteWindowClosed;
  readonly SENIOR_CRITICS_ASKED: SeniorCriticsAsked;
  readonly NEGOTIATION_DECIDED: NegotiationDecided;
  readonly HITL_RULED: HitlRuled;
}

export function negotiationEvent<K extends keyof NegotiationEventData>(
  type: K,
  data: NegotiationEventData[K],
): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

/** What the names of negotiations' streams begin with. */
export const NEGOTIATION_STREAM = 'negotiation-';

/** Types of the events that stand in them. */
export const NEGOTIATION_EVENT_TYPES: readonly string[] = negotiationEvents.map(({ type }) => type);

export function negotiationStream(artifactId: string): string {
  return NEGOTIATION_STREAM + artifactId;
}
