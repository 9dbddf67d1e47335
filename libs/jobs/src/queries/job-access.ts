import { type CommandContext, hasRole, personOf } from '#lib/access';
import { MaceError } from '#lib/kernel';

export type JobSight = 'owner' | 'redacted';

/** How much of a job somebody sees. @throws MaceError NOT_FOUND for what is another's, as if it were not there */
export function sightOf(userId: unknown, jobId: string, ctx: CommandContext): JobSight {
  if (userId === personOf(ctx.principal)) return 'owner';
  if (seesAllJobs(ctx)) return 'redacted';
  throw jobNotFound(jobId);
}

/** Operators, auditors and admins see everybody's jobs, without what was said. */
export function seesAllJobs(ctx: CommandContext): boolean {
  return (['operator', 'auditor', 'admin'] as const).some((role) => hasRole(ctx.principal, role));
}

export function jobNotFound(jobId: string): MaceError {
  return new MaceError('NOT_FOUND', `no job ${jobId.slice(0, 80)} of yours`);
}
