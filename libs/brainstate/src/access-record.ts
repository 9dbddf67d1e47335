import type { CommandContext, Role } from '#lib/access';
import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import type { DomainEvent } from '#lib/kernel';

const NO_STATE: Fold<null> = { name: 'brainstate-access', initial: null, evolve: (state) => state };

/** Records that somebody looks at a BrainState, before it is shown (seed 003 section 9, spec/privacy.md). */
export async function recordAccess(
  log: EventLog,
  ctx: CommandContext,
  access: {
    readonly snapshotId: string;
    readonly action: 'read' | 'query';
    /** The role that lets the reader see everything; null where the answer is redacted. */
    readonly unredactedAs: Role | null;
  },
): Promise<void> {
  const event: DomainEvent = {
    type: 'admin_access_event',
    data: {
      resource: `brainstate/${access.snapshotId}`,
      action: access.action,
      unredacted: access.unredactedAs !== null,
      created_at: new Date(ctx.now).toISOString(),
    },
  };
  const { seed, actor, traceId, principal } = ctx;
  const provenance = {
    jobSeed: seed,
    sequenceIndex: 0,
    actor: { ...actor, role: access.unredactedAs ?? actor.role },
    traceId,
  };
  try {
    await log.execute({ stream: `access-${principal.id}`, fold: NO_STATE, provenance, decide: () => [event] });
  } catch (error) {
    // The same keyed query again: it is recorded already.
    if (!(error instanceof DuplicateEventError)) throw error;
  }
}
