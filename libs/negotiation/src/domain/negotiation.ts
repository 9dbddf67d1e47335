import { type DomainEvent, MaceError, round9, type JsonObject } from '#lib/kernel';

import { NOT_AWAITED, SILENT, type UnavailabilityReason } from './critic.js';
import {
  asksForPerson,
  decideNegotiation,
  isSettled,
  type NegotiationDecision,
  type NegotiationPolicy,
} from './decision.js';
import {
  type HitlRuled,
  type Idempotency,
  type NegotiationDecided,
  negotiationEvent,
  type NegotiationProposed,
  type SeniorCriticsAsked,
  type VoteRecord,
  type VoteWindowClosed,
} from './negotiation.events.js';
import {
  type Escalation,
  type OptionsInForce,
  quorumBasis,
  reckonQuorum,
  reckonSeniors,
  seniorCritics,
} from './room-options.js';
import { assertProposal, assertVote, type ProposalForm } from './submissions.js';
import { type ArtifactType, dueAt, windowSeconds, windowStatus, type WindowTable } from './window.js';

/** One proposal, its votes, and at most one decision, in one stream (spec/negotiation-room.md). */
export interface NegotiationState {
  /** Null before NEGOTIATION_PROPOSED. */
  readonly proposal: NegotiationProposed | null;
  /** Counted votes in the order received. */
  readonly votes: readonly VoteRecord[];
  readonly late: readonly VoteRecord[];
  /** The close of the newest window; null while one is open. */
  readonly closed: VoteWindowClosed | null;
  /** Null where no senior critics were asked. */
  readonly seniors: SeniorCriticsAsked | null;
  /** The close of the window before theirs. */
  readonly closedBefore: VoteWindowClosed | null;
  readonly decision: NegotiationDecided | null;
  /** Whether somebody outside ruled on the escalated decision. */
  readonly isRuled: boolean;
}

export const initialNegotiation: NegotiationState = {
  proposal: null,
  votes: [],
  late: [],
  closed: null,
  seniors: null,
  closedBefore: null,
  decision: null,
  isRuled: false,
};

export function evolveNegotiation(
  state: NegotiationState,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): NegotiationState {
  switch (type) {
    case 'NEGOTIATION_PROPOSED':
      return { ...state, proposal: data as unknown as NegotiationProposed };
    case 'VOTE_CAST':
      return { ...state, votes: [...state.votes, data as unknown as VoteRecord] };
    case 'LATE_VOTE':
      return { ...state, late: [...state.late, data as unknown as VoteRecord] };
    case 'VOTE_WINDOW_CLOSED':
      return { ...state, closed: data as unknown as VoteWindowClosed };
    case 'SENIOR_CRITICS_ASKED':
      return { ...state, seniors: data as unknown as SeniorCriticsAsked, closedBefore: state.closed, closed: null };
    case 'NEGOTIATION_DECIDED':
      return { ...state, decision: data as unknown as NegotiationDecided };
    case 'HITL_RULED':
      return { ...state, isRuled: true };
    default:
      return state;
  }
}

/** What the digest of the same message was by keys that were rotated since; never recorded. */
type EarlierDigests = readonly string[];

export interface SubmitProposal extends ProposalForm {
  readonly artifact_type: ArtifactType;
  readonly artifact_content_type: string;
  readonly artifact_ref: string;
  readonly producer_principal: string;
  readonly created_at: string;
  readonly idempotency: Idempotency | null;
  readonly earlier_digests?: EarlierDigests;
  /** Those of the critics that are registered and healthy, in request order; needed where the policy adjusts the quorum. */
  readonly available_critics?: readonly string[];
  readonly policy: NegotiationPolicy;
  readonly windows: WindowTable;
  /** The server's time, milliseconds since 1970. */
  readonly now: number;
}

/**
 * Opens the window. Nothing where the same request was taken before.
 * @throws MaceError INVALID_INPUT; CONFLICT for any other proposal under a known artifact_id
 */
export function propose(state: NegotiationState, submitted: SubmitProposal): readonly DomainEvent[] {
  assertProposal(submitted);
  const {
    vote_collection_timeout_s,
    windows,
    now,
    earlier_digests: _,
    available_critics = [],
    ...proposal
  } = submitted;
  if (state.proposal) {
    if (isRepeat(state.proposal, submitted)) return [];
    throw new MaceError('CONFLICT', `artifact ${proposal.artifact_id} was proposed before`);
  }
  const seconds = windowSeconds(vote_collection_timeout_s, proposal.artifact_type, windows);
  const { requested_critics, quorum_policy, policy } = proposal;
  const { options, ...quorum } = reckonQuorum(requested_critics, quorum_policy.rule, policy, available_critics);
  const opened = { ...proposal, ...quorum, ...unlessEmpty(options) };
  return [
    negotiationEvent('NEGOTIATION_PROPOSED', { ...opened, received_at: iso(now), due_at: iso(dueAt(now, seconds)) }),
  ];
}

export type SubmitVote = Omit<VoteRecord, 'asks_for_person' | 'received_at'> & {
  readonly earlier_digests?: EarlierDigests;
  /** The server's time, milliseconds since 1970. */
  readonly now: number;
};

/** Why a critic that did not vote did not, as the registry knows it when the window closes. */
export type Standing = (critic: string) => UnavailabilityReason;

/** `late`: recorded and never counted, answered all the same. */
export interface VoteResult {
  readonly disposition: 'counted' | 'late';
  readonly events: readonly DomainEvent[];
}

/**
 * Takes a vote: the last one that was asked for closes the window and decides in the same append, one at or after the
 * due time closes the window first and is then late. Nothing new where the same request was taken before.
 * @throws MaceError INVALID_INPUT, NOT_FOUND, PERMISSION_DENIED, CONFLICT for a second vote, in this order
 */
export function castVote(
  state: NegotiationState,
  submitted: SubmitVote,
  standing: Standing = () => SILENT,
): VoteResult {
  assertVote(submitted);
  const { now, earlier_digests: _, ...given } = submitted;
  const { proposal } = state;
  if (!proposal) throw new MaceError('NOT_FOUND', `no artifact ${given.artifact_id} was proposed`);
  assertAsked(state, proposal, given.critic_id);
  const repeated = repeatOf(state, submitted);
  if (repeated) return repeated;
  const vote: VoteRecord = {
    ...given,
    score: round9(given.score),
    confidence: round9(given.confidence),
    asks_for_person: given.recommendations.some(asksForPerson),
    received_at: iso(now),
  };
  const closing = state.closed ? [] : closeWindow(state, now, standing);
  const isOpenToThem = openWindow(state)?.critics.includes(given.critic_id) ?? false;
  if (!isOpenToThem || closing.length > 0) {
    return { disposition: 'late', events: [...closing, negotiationEvent('LATE_VOTE', vote)] };
  }
  const counted = { ...state, votes: [...state.votes, vote] };
  return { disposition: 'counted', events: [negotiationEvent('VOTE_CAST', vote), ...closeWindow(counted, now)] };
}

/** A window in which votes are taken. */
export interface OpenWindow {
  /** Who is asked in it, in request order. */
  readonly critics: readonly string[];
  /** Those that were cast in it, in the order received. */
  readonly votes: readonly VoteRecord[];
  /** When it opened and when it ends, ISO 8601. */
  readonly opened_at: string;
  readonly due_at: string;
  readonly quorum_threshold: number;
  readonly options: OptionsInForce;
}

/** That of the critics requested, or of the senior ones after it; null where none is open. */
export function openWindow({ proposal, votes, closed, seniors }: NegotiationState): OpenWindow | null {
  if (!proposal || closed) return null;
  if (!seniors) {
    const { requested_critics: critics, received_at: opened_at, due_at, quorum_threshold, options = {} } = proposal;
    return { critics, votes, opened_at, due_at, quorum_threshold, options };
  }
  const { critics, opened_at, due_at, quorum_threshold, options = {} } = seniors;
  const theirs = votes.filter(({ critic_id }) => critics.includes(critic_id));
  return { critics, votes: theirs, opened_at, due_at, quorum_threshold, options };
}

/**
 * The close of the window and what follows: the one decision, or the window of senior critics where the policy has them
 * asked before people. Nothing where it is open still, or was decided before.
 */
export function closeWindow(
  state: NegotiationState,
  now: number,
  standing: Standing = () => SILENT,
): readonly DomainEvent[] {
  const window = openWindow(state);
  const { proposal } = state;
  if (!window || !proposal) return [];
  const { critics: requested_critics, votes, options } = window;
  const { artifact_id, policy } = proposal;
  const due_at = Date.parse(window.due_at);
  // A critic votes once: fewer votes than critics leave one to wait for. Nearly every vote ends here.
  if (votes.length < requested_critics.length && now < due_at && !policy.early_decision) return [];
  const voters = votes.map(({ critic_id }) => critic_id);
  const status = windowStatus({ requested_critics, voters: new Set(voters), due_at }, now);
  const quorum_policy = { ...proposal.quorum_policy, rule: { minimum_votes: window.quorum_threshold } };
  const basis = quorumBasis(requested_critics.length, options, policy);
  const collected = { requested_critics, votes, quorum_policy, basis };
  const closed_early = status === 'open' && policy.early_decision === true && isSettled(collected, policy);
  if (status === 'open' && !closed_early) return [];
  const collection_timeout_reached = status === 'overdue';
  const decision = decideNegotiation({ ...collected, collection_timeout_reached }, policy);
  const closed_at = iso(now);
  const unavailable = decision.unavailable_critics.map((critic_id) => ({
    critic_id,
    reason: closed_early ? NOT_AWAITED : standing(critic_id),
    at: closed_at,
  }));
  const closed = { artifact_id, closed_at, collection_timeout_reached, unavailable };
  const next =
    decision.outcome === 'ESCALATED_TO_HITL' && !state.seniors ? askSeniors(proposal, decision, voters, now) : null;
  return [
    negotiationEvent('VOTE_WINDOW_CLOSED', closed),
    next ?? decided(state.seniors, proposal, decision, { window, closed_early, now }),
  ];
}

/** The window of the senior critics, as long as the one before it; null where the policy names none that can be asked. */
function askSeniors(
  { artifact_id, policy, producer_id, requested_critics, quorum_policy, received_at, due_at }: NegotiationProposed,
  {
    outcome,
    escalation_reason,
    reason,
    votes_received,
    votes_expected,
    quorum_threshold,
    quorum_met,
  }: NegotiationDecision,
  voters: readonly string[],
  now: number,
): DomainEvent | null {
  const critics = seniorCritics(policy, requested_critics, producer_id);
  if (critics.length === 0) return null;
  const { options, ...quorum } = reckonSeniors(critics, quorum_policy.rule, policy);
  const counted = { voters, votes_received, votes_expected, quorum_threshold, quorum_met };
  return negotiationEvent('SENIOR_CRITICS_ASKED', {
    artifact_id,
    critics,
    opened_at: iso(now),
    due_at: iso(now + Date.parse(due_at) - Date.parse(received_at)),
    before: { outcome, escalation_reason, reason, ...counted },
    ...quorum,
    ...unlessEmpty(options),
  });
}

interface Closing {
  readonly window: OpenWindow;
  readonly closed_early: boolean;
  readonly now: number;
}

function decided(
  seniors: SeniorCriticsAsked | null,
  { artifact_id, policy, requested_critics, options: atFirst = {} }: NegotiationProposed,
  { votes: all, weight_received = 0, ...decision }: NegotiationDecision,
  { window, closed_early, now }: Closing,
): DomainEvent {
  const voters = window.votes.map(({ critic_id }) => critic_id);
  const abstained = all.slice(voters.length).map(({ critic_id }) => critic_id);
  const missedFirst = seniors ? requested_critics.filter((critic) => !seniors.before.voters.includes(critic)) : [];
  const { weights } = window.options;
  const { dynamic_quorum } = atFirst;
  const options: OptionsInForce = {
    ...(weights && { weights: { ...weights, received: weight_received } }),
    ...(dynamic_quorum && { dynamic_quorum }),
    ...(policy.early_decision && { early_decision: { closed_early } }),
    ...(seniors && { escalation: escalationOf(seniors) }),
  };
  return negotiationEvent('NEGOTIATION_DECIDED', {
    artifact_id,
    decided_at: iso(now),
    voters,
    abstained,
    ...decision,
    ...(seniors && {
      reason: `${decision.reason}; senior critics were asked, for before them ${seniors.before.reason}`,
    }),
    unavailable_critics: [...missedFirst, ...decision.unavailable_critics],
    ...unlessEmpty(options),
  });
}

/** Records a ruling on an escalated decision; nothing where there is one, or nothing to rule on. */
export function ruleOn({ decision, isRuled }: NegotiationState, ruling: HitlRuled): readonly DomainEvent[] {
  if (isRuled || decision?.outcome !== 'ESCALATED_TO_HITL') return [];
  return [negotiationEvent('HITL_RULED', ruling)];
}

/** What is recorded and shown of the senior critics that were asked. */
export function escalationOf({ critics, opened_at, due_at, before }: SeniorCriticsAsked): Escalation {
  return { critics, opened_at, due_at, before };
}

/** A member alone where there is something in it: what has no options is recorded as it always was. */
function unlessEmpty(options: OptionsInForce): { readonly options?: OptionsInForce } {
  return Object.keys(options).length === 0 ? {} : { options };
}

/** Everybody that a negotiation has asked by now: the critics requested, then the senior ones. */
export function askedCritics(
  { requested_critics }: Pick<NegotiationProposed, 'requested_critics'>,
  seniors: Pick<Escalation, 'critics'> | null,
): readonly string[] {
  return seniors ? [...requested_critics, ...seniors.critics] : requested_critics;
}

function assertAsked({ seniors }: NegotiationState, proposal: NegotiationProposed, critic: string): void {
  if (critic === proposal.producer_id)
    throw new MaceError('PERMISSION_DENIED', 'nobody votes on an artifact of their own');
  if (!askedCritics(proposal, seniors).includes(critic))
    throw new MaceError('PERMISSION_DENIED', `critic ${critic} was not asked about this artifact`);
}

/** What an earlier vote of the critic, counted or late, makes of this one; null where it is the first. */
function repeatOf({ votes, late }: NegotiationState, submitted: SubmitVote): VoteResult | null {
  const { critic_id } = submitted;
  for (const [disposition, records] of [['counted', votes] as const, ['late', late] as const]) {
    const first = records.find((vote) => vote.critic_id === critic_id);
    if (!first) continue;
    if (isRepeat(first, submitted)) return { disposition, events: [] };
    throw new MaceError('CONFLICT', `critic ${critic_id} has voted on this artifact; the first vote stands`);
  }
  return null;
}

function isRepeat(
  { idempotency: first }: { readonly idempotency: Idempotency | null },
  again: Pick<SubmitVote, 'idempotency' | 'earlier_digests'>,
): boolean {
  if (!first || first.key !== again.idempotency?.key) return false;
  return [again.idempotency.digest, ...(again.earlier_digests ?? [])].includes(first.digest);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
