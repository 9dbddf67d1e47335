import { type CommandContext, hasRole, type Principal } from '#lib/access';
import { seesUnredacted } from '#lib/audit';
import type { EventLog } from '#lib/event-store';

/** How much of a request somebody sees: all of it, its ids and classes, or nothing. */
export type RequestSight = 'plain' | 'redacted' | 'none';

/** The council decides, so it reads; whoever asked knows; operators, auditors and admins see that it is there. */
function sightOf(principal: Principal, requestedBy: string): RequestSight {
  if (requestedBy === principal.id || hasRole(principal, 'council')) return 'plain';
  return seesAllRequests(principal) ? 'redacted' : 'none';
}

/**
 * The same, with what was said where an auditor asks for that, and for an admin, who decides too, without asking; that
 * either looks is recorded first.
 * @throws MaceError PERMISSION_DENIED where somebody else asks; what the store throws where it cannot be recorded
 */
export async function sightFor(
  log: EventLog,
  ctx: CommandContext,
  requestedBy: string,
  { requestId, unredacted }: { readonly requestId: string; readonly unredacted: boolean | undefined },
): Promise<RequestSight> {
  const sight = sightOf(ctx.principal, requestedBy);
  if (sight !== 'redacted') return sight;
  const looks = hasRole(ctx.principal, 'admin') || unredacted;
  return (await seesUnredacted(log, ctx, looks, `actionrequest/${requestId}`)) ? 'plain' : 'redacted';
}

export function seesAllRequests(principal: Principal): boolean {
  return (['council', 'operator', 'auditor', 'admin'] as const).some((role) => hasRole(principal, role));
}
