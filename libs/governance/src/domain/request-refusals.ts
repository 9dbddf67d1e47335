import { MaceError } from '#lib/kernel';

import type { RequestState, Terms, Votes } from './request-state.js';

/** Who has no say on a request, or none any more; each names what was wrong (spec/decisions.md, "Governance"). */

/** Somebody who may have a say. */
export interface Voter {
  readonly id: string;
  readonly isCouncil: boolean;
  readonly isAdmin: boolean;
  readonly isSuperadmin: boolean;
}

/** @throws MaceError NOT_FOUND where nothing was requested */
export function termsIn({ terms }: RequestState): Terms {
  if (!terms) throw new MaceError('NOT_FOUND', 'no such request');
  return terms;
}

export function refuseStranger({ council_members: members }: Terms, voter: Voter): void {
  if (!voter.isCouncil) throw new MaceError('PERMISSION_DENIED', 'this is decided by members of the council');
  if (members && !members.includes(voter.id)) {
    throw new MaceError('PERMISSION_DENIED', 'you are not among the members of the council that decide this');
  }
}

export function refuseOwn({ requested_by: requester }: Terms, voter: Voter): void {
  if (requester === voter.id) throw new MaceError('PERMISSION_DENIED', 'nobody votes on their own request');
}

export function refuseSecond(votes: Votes, voter: Voter): void {
  if (Object.hasOwn(votes, voter.id)) throw new MaceError('CONFLICT', 'you have voted already; the first vote stands');
}

export function refuseClosed({ status, terms }: RequestState, now: number): void {
  if (status !== 'pending') throw new MaceError('CONFLICT', `the request is ${status}; it takes no votes any more`);
  if (terms && now >= Date.parse(terms.due_at)) throw late(terms.due_at);
}

export function refuseOtherDigest({ proposal_digest: digest }: Terms, signed: string): void {
  if (signed === digest) return;
  throw new MaceError('CONFLICT', 'proposal_digest: not the digest of this request’s proposal; read the request again');
}

export function late(due: string): MaceError {
  return new MaceError('CONFLICT', `the vote is late: the window closed at ${due}`);
}
