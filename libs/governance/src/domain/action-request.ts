import { MaceError, type DomainEvent, type JsonObject } from '#lib/kernel';

import { refuseEmergency } from './action-kinds.js';
import {
  actionEvent,
  type ActionApproved,
  type ActionRequested,
  type ActionVote,
  type Ballot,
  type EmergencyOverride,
  type EmergencySigned,
  type Tally,
} from './action-requests.events.js';

/** Pure rules of one request: who may say what, and what follows from it (spec/decisions.md, "Governance"). */

export type RequestStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'executed';

/** What the rules need of ACTION_REQUESTED; nothing personal. */
export type Terms = Pick<
  ActionRequested,
  | 'request_id'
  | 'action'
  | 'requested_by'
  | 'required_approval_type'
  | 'risk_class'
  | 'proposal_digest'
  | 'council_quorum'
  | 'council_members'
  | 'emergency_review_window_ms'
  | 'due_at'
>;

export type Votes = Readonly<Record<string, Ballot>>;

export interface Review {
  readonly due_at: string;
  readonly votes: Votes;
  readonly outcome: 'upheld' | 'disapproved' | 'overdue' | null;
}

export interface RequestState {
  /** Null before ACTION_REQUESTED. */
  readonly terms: Terms | null;
  /** event_id of ACTION_REQUESTED: what closes it is a reaction to it. */
  readonly requestEventId: string;
  readonly status: RequestStatus;
  readonly votes: Votes;
  readonly signatures: readonly Pick<EmergencySigned, 'signer' | 'role'>[];
  readonly approval: { readonly event_id: string; readonly approval_type: ActionApproved['approval_type'] } | null;
  /** After the approval: whether what was asked for was done. */
  readonly execution: 'done' | 'failed' | null;
  /** Only after an emergency. */
  readonly review: Review | null;
}

/** Somebody who may have a say. */
export interface Voter {
  readonly id: string;
  readonly isCouncil: boolean;
  readonly isAdmin: boolean;
  readonly isSuperadmin: boolean;
}

export interface CastVote {
  readonly voter: Voter;
  readonly vote: Ballot;
  readonly proposal_digest: string;
  readonly reason?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export type Signature = Omit<CastVote, 'vote'>;

export const initialRequest: RequestState = {
  terms: null,
  requestEventId: '',
  status: 'pending',
  votes: {},
  signatures: [],
  approval: null,
  execution: null,
  review: null,
};

export function evolveRequest(
  state: RequestState,
  event: { readonly type: string; readonly data: JsonObject; readonly metadata: { readonly event_id: string } },
): RequestState {
  const data: unknown = event.data;
  switch (event.type) {
    case 'ACTION_REQUESTED':
      return { ...state, terms: termsOf(data as ActionRequested), requestEventId: event.metadata.event_id };
    case 'ACTION_VOTE': {
      const { voter, vote, phase } = data as ActionVote;
      if (phase === 'decision') return { ...state, votes: { ...state.votes, [voter]: vote } };
      return state.review
        ? { ...state, review: { ...state.review, votes: { ...state.review.votes, [voter]: vote } } }
        : state;
    }
    case 'ACTION_APPROVED': {
      const { approval_type } = data as ActionApproved;
      return { ...state, status: 'approved', approval: { event_id: event.metadata.event_id, approval_type } };
    }
    case 'ACTION_REJECTED':
      return { ...state, status: 'rejected' };
    case 'ACTION_EXPIRED':
      return { ...state, status: 'expired' };
    case 'ACTION_EXECUTED':
      return { ...state, status: 'executed', execution: 'done' };
    case 'ACTION_FAILED':
      return { ...state, execution: 'failed' };
    case 'EMERGENCY_SIGNED': {
      const { signer, role } = data as EmergencySigned;
      return { ...state, signatures: [...state.signatures, { signer, role }] };
    }
    case 'EMERGENCY_OVERRIDE':
      return {
        ...state,
        review: { due_at: (data as EmergencyOverride).review_due_at, votes: {}, outcome: null },
      };
    case 'EMERGENCY_REVIEWED':
      return state.review
        ? { ...state, review: { ...state.review, outcome: (data as { outcome: Review['outcome'] }).outcome } }
        : state;
    default:
      return state;
  }
}

export function tallyOf(votes: Votes): Tally {
  const ballots = Object.values(votes);
  const count = (ballot: Ballot): number => ballots.filter((one) => one === ballot).length;
  return { approve: count('approve'), reject: count('reject'), abstain: count('abstain') };
}

/** What the votes decide: nothing before the quorum is there; then the majority, and a tie rejects. */
export function rulingOf({ approve, reject }: Tally, quorum: number): 'approve' | 'reject' | null {
  if (approve + reject < quorum) return null;
  return approve > reject ? 'approve' : 'reject';
}

/** When the state next changes by itself; null where it does not. ISO 8601. */
export function dueAt({ terms, status, review }: RequestState): string | null {
  if (terms && status === 'pending') return terms.due_at;
  return review && review.outcome === null ? review.due_at : null;
}

/** What closes a window that has run out by `now`; nothing before. */
export function decideClose(state: RequestState, now: number): readonly DomainEvent[] {
  const due = dueAt(state);
  if (!state.terms || due === null || now < Date.parse(due)) return [];
  const { request_id, required_approval_type } = state.terms;
  const at = isoOf(now);
  if (state.status !== 'pending') {
    const tally = tallyOf(state.review?.votes ?? {});
    return [actionEvent('EMERGENCY_REVIEWED', { request_id, outcome: 'overdue', tally, reviewed_at: at })];
  }
  if (required_approval_type === 'admin_single') {
    return [actionEvent('ACTION_EXPIRED', { request_id, reason: 'timeout', decided_at: at })];
  }
  const tally = tallyOf(state.votes);
  return [actionEvent('ACTION_REJECTED', { request_id, reason: 'no_quorum', tally, decided_at: at })];
}

/**
 * A member's vote, and the decision where it is the one that decides. After an emergency the same vote is about the
 * review.
 * @throws MaceError PERMISSION_DENIED, CONFLICT, INVALID_INPUT
 */
export function decideVote(state: RequestState, cast: CastVote): readonly DomainEvent[] {
  const terms = termsIn(state);
  if (state.review && state.review.outcome === null) return reviewVote(state, terms, state.review, cast);
  if (terms.required_approval_type === 'admin_single') return adminRules(state, terms, cast);
  refuseStranger(terms, cast.voter);
  refuseOwn(terms, cast.voter);
  refuseSecond(state.votes, cast.voter);
  refuseClosed(state, cast.now);
  refuseOtherDigest(terms, cast.proposal_digest);
  const { event, tally } = voteEvent(terms, state.votes, cast, 'decision');
  const ruling = rulingOf(tally, terms.council_quorum);
  if (ruling === null) return [event];
  const voters = Object.entries({ ...state.votes, [cast.voter.id]: cast.vote });
  const approvers = voters.filter(([, vote]) => vote === 'approve').map(([id]) => id);
  if (ruling === 'approve') return [event, approved(terms, 'council_quorum', approvers, cast.now)];
  return [event, rejected(terms, tally, cast.now)];
}

/**
 * One admin's approval of a request of the low class.
 * @throws MaceError PERMISSION_DENIED, CONFLICT
 */
export function decideApprove(state: RequestState, approval: Signature): readonly DomainEvent[] {
  const terms = termsIn(state);
  if (state.signatures.length > 0 && state.status === 'pending') return decideSignature(state, approval);
  if (terms.required_approval_type !== 'admin_single') {
    throw new MaceError('CONFLICT', `${terms.action} is decided by the council: its members vote`);
  }
  return adminRules(state, terms, { ...approval, vote: 'approve' });
}

/**
 * One of the two signatures of an emergency; with the second the request is approved and its review begins.
 * @throws MaceError PERMISSION_DENIED, CONFLICT
 */
export function decideSignature(state: RequestState, signature: Signature): readonly DomainEvent[] {
  const terms = termsIn(state);
  const { voter, now } = signature;
  if (!voter.isAdmin) throw new MaceError('PERMISSION_DENIED', 'an emergency is signed by a superadmin and an admin');
  if (terms.required_approval_type === 'admin_single') {
    throw new MaceError('CONFLICT', `${terms.action} needs no emergency: one admin approves it`);
  }
  refuseEmergency(terms.action);
  if (state.signatures.some(({ signer }) => signer === voter.id)) {
    throw new MaceError('CONFLICT', 'you have signed already; an emergency takes two people');
  }
  refuseClosed(state, now);
  refuseOtherDigest(terms, signature.proposal_digest);
  const needsSuperadmin = !state.signatures.some(({ role }) => role === 'superadmin');
  if (needsSuperadmin && state.signatures.length > 0 && !voter.isSuperadmin) {
    throw new MaceError('PERMISSION_DENIED', 'an admin has signed; the other signature is a superadmin’s');
  }
  const role = voter.isSuperadmin && needsSuperadmin ? 'superadmin' : 'admin';
  const signed = actionEvent('EMERGENCY_SIGNED', {
    request_id: terms.request_id,
    signer: voter.id,
    role,
    proposal_digest: terms.proposal_digest,
    ...(signature.reason === undefined ? {} : { reason: signature.reason }),
    signed_at: isoOf(now),
  });
  if (state.signatures.length === 0) return [signed];
  const signatures = [...state.signatures, { signer: voter.id, role } as const];
  const override = actionEvent('EMERGENCY_OVERRIDE', {
    request_id: terms.request_id,
    signatures,
    proposal_digest: terms.proposal_digest,
    overridden_at: isoOf(now),
    review_due_at: isoOf(now + terms.emergency_review_window_ms),
  });
  const signers = signatures.map(({ signer }) => signer);
  return [signed, override, approved(terms, 'emergency', signers, now)];
}

function adminRules(state: RequestState, terms: Terms, cast: CastVote): readonly DomainEvent[] {
  if (!cast.voter.isAdmin) throw new MaceError('PERMISSION_DENIED', `${terms.action} is decided by an admin`);
  refuseOwn(terms, cast.voter);
  refuseClosed(state, cast.now);
  refuseOtherDigest(terms, cast.proposal_digest);
  if (cast.vote === 'abstain') throw new MaceError('INVALID_INPUT', 'vote: approve or reject, where one admin decides');
  const { event, tally } = voteEvent(terms, state.votes, cast, 'decision');
  if (cast.vote === 'approve') return [event, approved(terms, 'admin_single', [cast.voter.id], cast.now)];
  const { request_id } = terms;
  return [event, actionEvent('ACTION_REJECTED', { request_id, reason: 'admin', tally, decided_at: isoOf(cast.now) })];
}

function reviewVote(state: RequestState, terms: Terms, review: Review, cast: CastVote): readonly DomainEvent[] {
  refuseStranger(terms, cast.voter);
  refuseOwn(terms, cast.voter);
  if (state.signatures.some(({ signer }) => signer === cast.voter.id)) {
    throw new MaceError('PERMISSION_DENIED', 'nobody reviews an emergency that they signed');
  }
  refuseSecond(review.votes, cast.voter);
  if (cast.now >= Date.parse(review.due_at)) throw late(review.due_at);
  refuseOtherDigest(terms, cast.proposal_digest);
  const { event, tally } = voteEvent(terms, review.votes, cast, 'review');
  const ruling = rulingOf(tally, terms.council_quorum);
  if (ruling === null) return [event];
  const outcome = ruling === 'approve' ? 'upheld' : 'disapproved';
  const { request_id } = terms;
  return [event, actionEvent('EMERGENCY_REVIEWED', { request_id, outcome, tally, reviewed_at: isoOf(cast.now) })];
}

function voteEvent(
  { request_id, proposal_digest }: Terms,
  before: Votes,
  { voter, vote, reason, now }: CastVote,
  phase: ActionVote['phase'],
): { readonly event: DomainEvent; readonly tally: Tally } {
  const tally = tallyOf({ ...before, [voter.id]: vote });
  const said = reason === undefined ? {} : { reason };
  const data = { request_id, voter: voter.id, phase, vote, proposal_digest, ...said, voted_at: isoOf(now), tally };
  return { event: actionEvent('ACTION_VOTE', data), tally };
}

function approved(
  { request_id, action, proposal_digest }: Terms,
  approval_type: ActionApproved['approval_type'],
  approvers: readonly string[],
  now: number,
): DomainEvent {
  const approved_by = [...approvers].sort();
  const data = { request_id, action, approval_type, approved_by, proposal_digest, decided_at: isoOf(now) };
  return actionEvent('ACTION_APPROVED', data);
}

function rejected({ request_id }: Terms, tally: Tally, now: number): DomainEvent {
  const reason = tally.approve === tally.reject ? 'tie' : 'majority';
  return actionEvent('ACTION_REJECTED', { request_id, reason, tally, decided_at: isoOf(now) });
}

function termsIn({ terms }: RequestState): Terms {
  if (!terms) throw new MaceError('NOT_FOUND', 'no such request');
  return terms;
}

function refuseStranger({ council_members: members }: Terms, voter: Voter): void {
  if (!voter.isCouncil) throw new MaceError('PERMISSION_DENIED', 'this is decided by members of the council');
  if (members && !members.includes(voter.id)) {
    throw new MaceError('PERMISSION_DENIED', 'you are not among the members of the council that decide this');
  }
}

function refuseOwn({ requested_by: requester }: Terms, voter: Voter): void {
  if (requester === voter.id) throw new MaceError('PERMISSION_DENIED', 'nobody votes on their own request');
}

function refuseSecond(votes: Votes, voter: Voter): void {
  if (Object.hasOwn(votes, voter.id)) throw new MaceError('CONFLICT', 'you have voted already; the first vote stands');
}

function refuseClosed({ status, terms }: RequestState, now: number): void {
  if (status !== 'pending') throw new MaceError('CONFLICT', `the request is ${status}; it takes no votes any more`);
  if (terms && now >= Date.parse(terms.due_at)) throw late(terms.due_at);
}

function refuseOtherDigest({ proposal_digest: digest }: Terms, signed: string): void {
  if (signed === digest) return;
  throw new MaceError('CONFLICT', 'proposal_digest: not the digest of this request’s proposal; read the request again');
}

function late(due: string): MaceError {
  return new MaceError('CONFLICT', `the vote is late: the window closed at ${due}`);
}

function termsOf(data: ActionRequested): Terms {
  return {
    request_id: data.request_id,
    action: data.action,
    requested_by: data.requested_by,
    required_approval_type: data.required_approval_type,
    risk_class: data.risk_class,
    proposal_digest: data.proposal_digest,
    council_quorum: data.council_quorum,
    council_members: data.council_members,
    emergency_review_window_ms: data.emergency_review_window_ms,
    due_at: data.due_at,
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
