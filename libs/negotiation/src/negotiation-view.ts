import type { LoggedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import type { Unavailability } from './domain/critic.js';
import type { NegotiationVote } from './domain/decision.js';
import { escalationOf, evolveNegotiation, initialNegotiation } from './domain/negotiation.js';
import type { HitlRuled, NegotiationDecided, NegotiationProposed, VoteRecord } from './domain/negotiation.events.js';
import type { Escalation } from './domain/room-options.js';

/** What a person said and was erased since reads as this. */
const ERASED_WORDS = '[erased]';

export interface VoteView extends Omit<NegotiationVote, 'asks_for_person'> {
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
  readonly recommendations: readonly string[];
  /** ISO 8601; null for an abstention that was counted for somebody. */
  readonly voted_at: string | null;
}

export interface LateVoteView {
  readonly vote: VoteView;
  /** ISO 8601. */
  readonly received_at: string;
}

export interface DecisionView extends Omit<NegotiationDecided, 'voters' | 'abstained'> {
  /** Counted ones in the order cast, then the abstentions in request order. */
  readonly votes: readonly VoteView[];
  /** Attached when it is read: the decision itself never changes. */
  readonly late_votes: readonly LateVoteView[];
}

/** What somebody outside ruled on the escalated decision, which stays as it is. */
export interface RulingView extends Pick<HitlRuled, 'decision_event_id' | 'reason_type' | 'ruled_at'> {
  /** What is to be done, and why; null where it is not shown. */
  readonly action: string | null;
  readonly rationale: string | null;
}

/** A negotiation as it stands. */
export interface NegotiationView {
  readonly proposal: NegotiationProposed;
  /** Position of the newest event. */
  readonly position: string;
  /** Number of events. */
  readonly revision: number;
  /** Cast in time, in the order received. */
  readonly votes: readonly VoteView[];
  readonly decision: DecisionView | null;
  /** Who was asked and had not voted when their window closed, in request order; empty before. */
  readonly unavailable: readonly Unavailability[];
  /** Null where no senior critics were asked. */
  readonly escalation: Escalation | null;
  /** Null where no HitlService has ruled; who approves or rejects in the inbox is told of there. */
  readonly ruling: RulingView | null;
}

/** @param events of one negotiation, at least its proposal, personal fields in plain */
export function viewOf(events: readonly LoggedEvent[]): NegotiationView {
  const state = events.reduce(evolveNegotiation, initialNegotiation);
  const last = events.at(-1)!;
  return {
    proposal: state.proposal!,
    position: last.position,
    revision: last.revision + 1,
    votes: state.votes.map(voteView),
    decision: state.decision && decisionView(state.decision, state.votes, state.late),
    unavailable: [state.closedBefore, state.closed].flatMap((closed) => closed?.unavailable ?? []),
    escalation: state.seniors && escalationOf(state.seniors),
    ruling: rulingIn(events),
  };
}

function rulingIn(events: readonly LoggedEvent[]): RulingView | null {
  const ruled = events.find(({ type }) => type === 'HITL_RULED');
  if (!ruled) return null;
  const { decision_event_id, reason_type, ruled_at, action, rationale } = ruled.data as unknown as HitlRuled;
  return { decision_event_id, reason_type, ruled_at, action: textOf(action), rationale: textOf(rationale) };
}

function decisionView(
  { voters, abstained, ...decision }: NegotiationDecided,
  votes: readonly VoteRecord[],
  late: readonly VoteRecord[],
): DecisionView {
  const cast = new Map(votes.map((vote) => [vote.critic_id, vote]));
  return {
    ...decision,
    votes: [...voters.map((critic) => voteView(cast.get(critic)!)), ...abstained.map(abstention)],
    late_votes: late.map((vote) => ({ vote: voteView(vote), received_at: vote.received_at })),
  };
}

function voteView({ critic_id, score, confidence, passed, voted_at, ...words }: VoteRecord): VoteView {
  return {
    critic_id,
    score,
    confidence,
    passed,
    strengths: wordsOf(words.strengths),
    weaknesses: wordsOf(words.weaknesses),
    recommendations: wordsOf(words.recommendations),
    voted_at,
  };
}

function abstention(critic_id: string): VoteView {
  const nothing = { strengths: [], weaknesses: [], recommendations: [] };
  return { critic_id, score: 0, confidence: 0, passed: false, ...nothing, voted_at: null };
}

/** The same of the producer's, under which a ruling is kept. */
function textOf(text: string | JsonObject): string {
  return typeof text === 'string' ? text : ERASED_WORDS;
}

/** Where the critic's data key is destroyed, the field reads as a mark and no list. */
function wordsOf(words: readonly string[] | JsonObject): readonly string[] {
  return Array.isArray(words) ? (words as readonly string[]) : [ERASED_WORDS];
}
