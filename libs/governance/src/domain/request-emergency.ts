import { type DomainEvent, MaceError } from '#lib/kernel';

import { refuseEmergency } from './action-kinds.js';
import { actionEvent } from './action-requests.events.js';
import {
  late,
  refuseClosed,
  refuseOtherDigest,
  refuseOwn,
  refuseSecond,
  refuseStranger,
  termsIn,
} from './request-refusals.js';
import { approved, type CastVote, isoOf, rulingOf, type Signature, voteEvent } from './request-ruling.js';
import type { RequestState, Review, Terms } from './request-state.js';

/** Two people in place of the council, and the council's review of it (spec/decisions.md, "Governance"). */

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

/** @throws MaceError PERMISSION_DENIED, CONFLICT */
export function reviewVote(state: RequestState, terms: Terms, review: Review, cast: CastVote): readonly DomainEvent[] {
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
