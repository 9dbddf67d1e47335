import { countVotes, type QuorumFailureAction, type QuorumRule, type VoteForm } from '#lib/negotiation';

import { type CouncilDecision, type CouncilThresholds, type CouncilVote, decideCouncil } from './domain/vote.js';

/** Who judges answers and how their votes are collected: a part of the governance snapshot that a job pins. */
export interface AnswerCouncilPolicy {
  readonly critics: readonly CriticSeat[];
  readonly quorum: QuorumRule;
  readonly on_failure: QuorumFailureAction;
  readonly vote_collection_timeout_ms: number;
  /** How long outside critics may vote, seconds; DEFAULT_OUTSIDE_WINDOW_S where absent. */
  readonly outside_window_s?: number;
}

/** The room's own default (spec/negotiation-room.md, "The window"). */
export const DEFAULT_OUTSIDE_WINDOW_S = 300;

export interface CriticSeat {
  readonly critic_id: string;
  /** How much its vote counts beside the others', over 0. */
  readonly weight: number;
  /** Present where it is asked in the Negotiation Room: it votes as any SW4RM critic, by the raw id of its token. */
  readonly outside?: true;
  /** Present where its vote is asked of a URL, one JSON request a vote (docs/agents.md). */
  readonly endpoint?: CriticEndpoint;
  /** Present where a language engine votes under this prompt. */
  readonly prompt?: CriticPrompt;
}

export interface CriticEndpoint {
  readonly kind: 'http';
  /** http or https, without credentials. */
  readonly url: string;
  /** Variable of the environment that holds what is sent as a bearer token. */
  readonly secret_ref?: string;
  /** By which votes are signed, Ed25519, 32 bytes in base64url. */
  readonly public_key?: string;
}

export interface CriticPrompt {
  readonly system: string;
  /** `model` of an entry of MACE_LLM_PROVIDERS; where absent, all of them in their order. */
  readonly model?: string;
  readonly max_tokens?: number;
}

/** Whether asking whoever has this seat leaves the process by what the seat says itself. */
export function isElsewhere({ outside, endpoint, prompt }: CriticSeat): boolean {
  return outside === true || endpoint !== undefined || prompt !== undefined;
}

/** What a vote collection brought. */
export interface CollectedVotes {
  /** Well-formed votes of critics that were asked, in the order they were asked in. */
  readonly votes: readonly CouncilVote[];
  /** Why a critic that was asked gave no such vote, by its id; never with words of the critic. */
  readonly unavailable: Readonly<Record<string, string>>;
  /** True where the window ended before every critic had voted or failed. */
  readonly collection_timeout_reached: boolean;
}

/** A council's decision with all that it was made of, under the names of spec/negotiation-room.md. */
export interface AnswerDecision extends CouncilDecision {
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly quorum_threshold: number;
  readonly quorum_met: boolean;
  readonly collection_timeout_reached: boolean;
  /** In the order asked, also where the quorum is met. */
  readonly unavailable_critics: readonly string[];
  readonly unavailable_reasons: Readonly<Record<string, string>>;
  /** Critics whose abstention was counted as a refusal; FAIL_WITH_ABSTAIN only. */
  readonly abstained: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
}

export interface JudgedVotes {
  /** The votes that counted: the first of each critic with a seat. */
  readonly cast: readonly CouncilVote[];
  readonly decision: AnswerDecision;
}

const FORM: VoteForm<CouncilVote> = {
  critic: ({ council_agent_id }) => council_agent_id,
  abstention: (council_agent_id) => ({
    council_agent_id,
    scores: { factuality: 0, coherence: 0, safety: 0 },
    approve: false,
    suggested_changes: '',
    note: '',
    confidence: 0,
  }),
};

/**
 * Collection follows the Negotiation Room, the verdict is the answer council's own (spec/decisions.md "The answer
 * council"): without a quorum under FAIL_CLOSED, and without any vote, it is a deadlock whatever the votes say. Pure.
 */
export function decideAnswer(
  { votes, unavailable, collection_timeout_reached }: CollectedVotes,
  policy: AnswerCouncilPolicy,
  thresholds: CouncilThresholds,
): JudgedVotes {
  const { critics, on_failure, quorum: rule } = policy;
  const requested = critics.map(({ critic_id }) => critic_id);
  const count = countVotes(requested, votes, { rule, on_failure }, FORM);
  const { cast, injected, unavailable_critics } = count;
  const { threshold: quorum_threshold, ...quorum } = count.quorum;
  const weights = Object.fromEntries(critics.map(({ critic_id, weight }) => [critic_id, weight]));
  const verdict = decideCouncil(injected.length > 0 ? [...cast, ...injected] : cast, thresholds, weights);
  const reasonOf = (critic: string): string => (Object.hasOwn(unavailable, critic) ? unavailable[critic]! : NO_VOTE);
  return {
    cast,
    decision: {
      quorum_threshold,
      ...(count.escalate ? { ...verdict, outcome: 'deadlock' as const } : verdict),
      ...quorum,
      collection_timeout_reached: collection_timeout_reached && unavailable_critics.length > 0,
      unavailable_critics,
      unavailable_reasons: Object.fromEntries(unavailable_critics.map((critic) => [critic, reasonOf(critic)])),
      abstained: injected.map(({ council_agent_id }) => council_agent_id),
      weights,
    },
  };
}

const NO_VOTE = 'no vote';
