import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import { type CommandContext, hasRole, personOf } from '#lib/access';
import { isElsewhere } from '#lib/council';
import { CALLER_SEED_FORM, isCallerSeed, jobId as jobIdOf, MaceError, queryId, sha256Hex } from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';

import type { JobResult } from '../domain/job-result.js';
import type { JobAccepted } from '../domain/jobs.events.js';
import { JobDesk } from '../job-desk.js';
import { type RunOptions, wasOvertaken } from '../job-runner.js';

export interface AskRequest {
  readonly query_text: string;
  readonly user_id?: string | undefined;
  readonly job_seed?: string | undefined;
  readonly context_tags?: Readonly<Record<string, string>> | undefined;
  readonly priority?: number | undefined;
  readonly persist_agent_outputs?: boolean | undefined;
}

/** A query to be answered as a job. */
export class Ask extends Command<JobResult> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: AskRequest,
    /** How long to wait for the seal; a job that takes longer is stored as begun, and goes on. */
    readonly patienceMs: number,
  ) {
    super();
  }
}

/** Each time another run wrote first, the job is looked for again: what that one wrote is the job. */
const MAX_LOOKS = 8;

/**
 * Takes a query, screens it, and runs it to its seal; the same request again gets the stored result. What an admin asks
 * for another is recorded before anything is read in the other's name; what such a job writes is judged by the admin's
 * own right to write, as recorded with the job.
 * @throws MaceError INVALID_INPUT, PERMISSION_DENIED, PRIVACY_BLOCKED, JOB_SEED_CONFLICT, IDEMPOTENCY_KEY_REUSED
 */
@CommandHandler(Ask)
export class AskHandler implements ICommandHandler<Ask> {
  constructor(private readonly desk: JobDesk) {}

  async execute({ ctx, request, patienceMs }: Ask): Promise<JobResult> {
    const jobSeed = this.seedOf(request.job_seed, ctx);
    const user_id = this.userOf(request.user_id, ctx);
    if (user_id !== personOf(ctx.principal)) await this.desk.recordAskingForAnother(jobIdOf(jobSeed), ctx);
    // A seed that was drawn for this request is nobody's yet.
    let mayStand = ctx.keyed || request.job_seed !== undefined;
    for (let looks = 1; ; looks++) {
      try {
        const known = mayStand ? await this.known(request, jobSeed, ctx, patienceMs) : null;
        return known ?? (await this.begun(request, jobSeed, user_id, ctx, patienceMs));
      } catch (error) {
        if (!wasOvertaken(error) || looks === MAX_LOOKS) throw error;
        mayStand = true;
      }
    }
  }

  private known({ job_seed }: AskRequest, jobSeed: string, ctx: CommandContext, patienceMs: number) {
    return this.desk.sameRequest(jobIdOf(jobSeed), job_seed !== undefined, ctx, patienceMs);
  }

  private async begun(
    request: AskRequest,
    jobSeed: string,
    userId: string,
    ctx: CommandContext,
    patienceMs: number,
  ): Promise<JobResult> {
    const accepted = await this.accept(request, jobSeed, userId, ctx);
    const input = await this.desk.inputs.ofNew(jobSeed, accepted, ctx.actor);
    const job = this.desk.begin(input, requestOf(ctx));
    return this.desk.await(job, patienceMs);
  }

  private seedOf(given: string | undefined, ctx: CommandContext): string {
    if (given === undefined) return ctx.seed;
    if (!isCallerSeed(given)) throw new MaceError('INVALID_INPUT', `job_seed: ${CALLER_SEED_FORM}`);
    if (this.desk.screen(given, given).length > 0) {
      throw new MaceError('PRIVACY_BLOCKED', 'job_seed holds personal data; choose an opaque one');
    }
    return given;
  }

  private userOf(given: string | undefined, ctx: CommandContext): string {
    const own = personOf(ctx.principal);
    if (given === undefined) return own;
    const user = principalNormalForm(given);
    if (user !== own && !hasRole(ctx.principal, 'admin')) {
      throw new MaceError('PERMISSION_DENIED', 'user_id: a job is asked for oneself; only an admin may name another');
    }
    return user;
  }

  private async accept(
    request: AskRequest,
    jobSeed: string,
    user_id: string,
    ctx: CommandContext,
  ): Promise<JobAccepted> {
    const { query_text, context_tags = {} } = request;
    const { answer_council, max_query_length: limit } = this.desk.inputs.limits;
    const { persist_agent_outputs = true } = request;
    if (!persist_agent_outputs && answer_council.critics.some(isElsewhere)) {
      throw new MaceError(
        'INVALID_INPUT',
        'persist_agent_outputs: true, or leave it out, while critics from outside vote: what they are shown is kept',
      );
    }
    if (query_text.length > limit) {
      throw new MaceError('INVALID_INPUT', `query_text has ${query_text.length} characters; at most ${limit}`);
    }
    const asked = { user_id, job_seed: jobSeed, now: ctx.now };
    const screened = await this.desk.screenQuery(query_text, context_tags, asked);
    const isOwn = personOf(ctx.principal) === user_id;
    return {
      job_id: jobIdOf(jobSeed),
      query_id: queryId(jobSeed),
      user_id,
      source: isOwn ? 'user_request' : 'api',
      created_at: new Date(ctx.now).toISOString(),
      priority: request.priority ?? 0.5,
      persist_agent_outputs,
      pii_findings: screened.findings,
      blocked: screened.blocked,
      ...(screened.consent_ids === undefined ? {} : { consent_ids: screened.consent_ids }),
      query_text: screened.query_text,
      query_text_hash: sha256Hex(screened.query_text),
      context_tags: screened.context_tags,
      ...askedBy(ctx, isOwn),
    };
  }
}

/** Absent where a person who is no agent asks for themself: such a job writes as the user that it is of. */
function askedBy({ principal }: CommandContext, isOwn: boolean): Pick<JobAccepted, 'asked_by'> {
  if (isOwn && !hasRole(principal, 'agent')) return {};
  const { id, elevated } = principal;
  const roles = (['user', 'agent', 'admin'] as const).filter((role) => hasRole(principal, role));
  return { asked_by: { id, roles, elevated } };
}

function requestOf({ actor, requestDigest, earlierDigests }: CommandContext): RunOptions {
  return { actor, requestDigest, ...(earlierDigests === undefined ? {} : { earlierDigests }) };
}
