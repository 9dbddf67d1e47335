/** Messages as the loader of .proto files decodes and takes them. */

export interface WireTimestamp {
  readonly seconds: number;
  readonly nanos: number;
}

export interface WireQuorumPolicy {
  /** Which of the rules is set. */
  readonly rule?: 'minimum_votes' | 'minimum_fraction' | 'require_all';
  readonly minimum_votes?: number;
  readonly minimum_fraction?: number;
  readonly require_all?: boolean;
  readonly on_failure: number;
}

export interface WireProposal {
  readonly artifact_type: number;
  readonly artifact_id: string;
  readonly producer_id: string;
  readonly artifact: Uint8Array;
  readonly artifact_content_type: string;
  readonly requested_critics: readonly string[];
  readonly negotiation_room_id: string;
  readonly created_at: WireTimestamp | null;
  readonly vote_collection_timeout_s: number;
  readonly quorum_policy: WireQuorumPolicy | null;
}

export interface WireVote {
  readonly artifact_id: string;
  readonly critic_id: string;
  readonly score: number;
  readonly confidence: number;
  readonly passed: boolean;
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
  readonly recommendations: readonly string[];
  readonly negotiation_room_id: string;
  readonly voted_at: WireTimestamp | null;
}

export interface WireAsked {
  readonly artifact_id: string;
  readonly negotiation_room_id: string;
}

export interface WireDecision {
  readonly artifact_id: string;
  readonly outcome: number;
  readonly votes: readonly WireVote[];
  readonly aggregated_score: object | null;
  readonly policy_version: string;
  readonly reason: string;
  readonly negotiation_room_id: string;
  readonly decided_at: WireTimestamp;
  readonly quorum_met: boolean;
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly collection_timeout_reached: boolean;
  readonly unavailable_critics: readonly string[];
  readonly late_votes: readonly { critic_id: string; vote: WireVote; received_at: WireTimestamp }[];
}

export interface WireAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly string[];
}
