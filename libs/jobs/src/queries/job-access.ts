import { type CommandContext, hasRole, personOf } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import { GENESIS_HASH, MaceError, type DomainEvent } from '#lib/kernel';

import { consentsIn } from '../domain/consented.js';
import { jobStream } from '../domain/jobs.events.js';

export type JobSight = 'owner' | 'redacted';

/** How much of a job somebody sees. @throws MaceError NOT_FOUND for what is another's, as if it were not there */
export function sightOf(userId: unknown, jobId: string, ctx: CommandContext): JobSight {
  if (userId === personOf(ctx.principal)) return 'owner';
  if (seesAllJobs(ctx)) return 'redacted';
  throw jobNotFound(jobId);
}

/**
 * Refuses whoever may not see a job by its first event alone: a refusal must not take longer the more there is to read,
 * which would tell that there is something.
 * @throws MaceError NOT_FOUND; IntegrityError where even that event does not verify
 */
export async function refuseOthers(log: EventLog, jobId: string, ctx: CommandContext): Promise<void> {
  if (seesAllJobs(ctx)) return;
  const first = await log.first(jobStream(jobId));
  if (!first) throw jobNotFound(jobId);
  sightOf(log.codec.open(first, GENESIS_HASH).event.data['user_id'], jobId, ctx);
}

/** Asks whether a person's consents stand. */
export type AreInForce = (userId: string, consentIds: readonly string[], now: number) => Promise<boolean>;

/**
 * As sightOf; and what was asked or answered under a consent that has ended is told to nobody, its owner included
 * (spec/privacy.md, "What happens").
 * @param events of the job, in plain
 * @param mayUnredact whether one who is not the owner asked to see what was said, and that is on record
 */
export async function sightNow(
  events: readonly DomainEvent[],
  jobId: string,
  ctx: CommandContext,
  areInForce: AreInForce,
  mayUnredact: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<JobSight> {
  const userId = events[0]!.data['user_id'];
  const isPlain = sightOf(userId, jobId, ctx) === 'owner' || (await mayUnredact());
  const ids = consentsIn(events);
  const stands = isPlain && (ids.length === 0 || (await areInForce(userId as string, ids, ctx.now)));
  return stands ? 'owner' : 'redacted';
}

/** Operators, auditors and admins see everybody's jobs, without what was said. */
export function seesAllJobs(ctx: CommandContext): boolean {
  return (['operator', 'auditor', 'admin'] as const).some((role) => hasRole(ctx.principal, role));
}

export function jobNotFound(jobId: string): MaceError {
  return new MaceError('NOT_FOUND', `no job ${jobId.slice(0, 80)} of yours`);
}
