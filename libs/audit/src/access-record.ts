import { type CommandContext, hasRole, type Principal, type Role } from '#lib/access';
import { DuplicateEventError, type EventLog, NO_STATE } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import type { AdminAccess } from './domain/access.events.js';

const UNREDACTING = ['auditor', 'admin'] as const;

export interface Access {
  readonly resource: string;
  readonly action: string;
  /** The role that lets the reader see everything; null where the answer is redacted. */
  readonly unredactedAs: Role | null;
}

/**
 * Records that somebody looks at what is not theirs. Await it before the answer: where this fails, nothing is shown.
 * @param stream the trail that it stands in; by default that of the principal
 * @throws what the store throws
 */
export async function recordAccess(
  log: EventLog,
  ctx: CommandContext,
  { resource, action, unredactedAs }: Access,
  stream = `access-${ctx.principal.id}`,
): Promise<void> {
  const event: AdminAccess = {
    type: 'admin_access_event',
    data: { resource, action, unredacted: unredactedAs !== null, created_at: new Date(ctx.now).toISOString() },
  };
  const { seed: jobSeed, actor, traceId } = ctx;
  const provenance = { jobSeed, sequenceIndex: 0, actor: { ...actor, role: unredactedAs ?? actor.role }, traceId };
  try {
    await log.execute({ stream, fold: NO_STATE, provenance, decide: () => [event] });
  } catch (error) {
    // The same keyed request again: it is recorded already.
    if (!(error instanceof DuplicateEventError)) throw error;
  }
}

/**
 * Whether a record of others is shown with what was said in it: where an auditor or admin asks for that, and only once
 * that they asked is recorded.
 * @throws MaceError PERMISSION_DENIED for anybody else who asks; and what the store throws
 */
export async function seesUnredacted(
  log: EventLog,
  ctx: CommandContext,
  asked: boolean | undefined,
  resource: string,
  action = 'read',
): Promise<boolean> {
  if (asked !== true) return false;
  await recordAccess(log, ctx, { resource, action, unredactedAs: unredactingRole(ctx.principal) });
  return true;
}

/** @throws MaceError PERMISSION_DENIED */
export function unredactingRole(principal: Principal): Role {
  const role = UNREDACTING.find((one) => hasRole(principal, one));
  if (role === undefined) throw new MaceError('PERMISSION_DENIED', `unredacted is for ${UNREDACTING.join(', ')}`);
  return role;
}
