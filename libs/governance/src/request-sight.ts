import { hasRole, type Principal } from '#lib/access';

/** How much of a request somebody sees: all of it, its ids and classes, or nothing. */
export type RequestSight = 'plain' | 'redacted' | 'none';

/** The council and admins decide, so they read; whoever asked knows; operators and auditors see that it is there. */
export function sightOf(principal: Principal, requestedBy: string): RequestSight {
  if (requestedBy === principal.id || hasRole(principal, 'council') || hasRole(principal, 'admin')) return 'plain';
  return seesAllRequests(principal) ? 'redacted' : 'none';
}

export function seesAllRequests(principal: Principal): boolean {
  return (['council', 'operator', 'auditor', 'admin'] as const).some((role) => hasRole(principal, role));
}
