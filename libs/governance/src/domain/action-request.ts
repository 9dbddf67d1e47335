import { type DomainEvent, MaceError } from '#lib/kernel';

import { actionEvent } from './action-requests.events.js';
import { decideSignature, reviewVote } from './request-emergency.js';
import {
  refuseClosed,
  refuseOtherDigest,
  refuseOwn,
  refuseSecond,
  refuseStranger,
  termsIn,
} from './request-refusals.js';
import {
  approved,
  type CastVote,
  isoOf,
  rejected,
  rulingOf,
  type Signature,
  tallyOf,
  voteEvent,
} from './request-ruling.js';
import { dueAt, type RequestState, type Terms } from './request-state.js';

/** Pure rules of one request: who may say what, and what follows from it (spec/decisions.md, "Governance"). */

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
