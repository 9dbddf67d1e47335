import { type CommandContext, hasRole, personOf } from '#lib/access';
import { type EventLog, type Fold, IntegrityError, type LoggedEvent, type RecordedEvent } from '#lib/event-store';
import { canonicalize, type DomainEvent, firstInexactNumber, MaceError, sha256Hex, type JsonObject } from '#lib/kernel';

import { type Amendment, type AmendmentEffect, amendmentStream } from './domain/amendments.events.js';
import { jobStream } from './domain/jobs.events.js';
import { assembleLog, IMMUTABLE_FIELDS, logFault, type ReflectiveLog } from './domain/reflective-log.js';
import { identified, loadJob, type StoredJob } from './job-store.js';
import { jobNotFound } from './queries/job-access.js';

/** Finds the job a log belongs to. */
export abstract class LogIndex {
  abstract jobOf(logId: string): Promise<string | null>;
}

export interface LogView extends ReflectiveLog {
  readonly amendments: readonly Amendment[];
  readonly user_feedback: readonly JsonObject[];
}

export interface LogVerdict {
  readonly log_id: string;
  readonly valid: boolean;
  readonly reason: string | null;
  readonly quarantined: boolean;
}

interface Beside {
  readonly events: readonly LoggedEvent[];
  readonly quarantined: boolean;
}

const BESIDE: Fold<Beside> = {
  name: 'beside-log',
  initial: { events: [], quarantined: false },
  evolve: (state, event) => ({
    events: [...state.events, event],
    quarantined: state.quarantined || event.type === 'INTEGRITY_FAILURE',
  }),
};

const MAX_CHANGES_BYTES = 16_384;
/** More events than a job of MAX_ITERATIONS with repairs can have. */
const MAX_JOB_EVENTS = 4096;

/** Reflective logs: read with their amendments, amended beside, verified, quarantined; never changed. */
export class ReflectiveLogs {
  constructor(
    private readonly log: EventLog,
    private readonly index: LogIndex,
  ) {}

  /** @throws MaceError NOT_FOUND (also for what is another's), LOG_INVALID */
  async read(logId: string, ctx: CommandContext): Promise<LogView> {
    const job = await this.jobFor(logId, ctx);
    const { state } = await this.log.fold(amendmentStream(logId), BESIDE);
    if (state.quarantined) throw this.invalid(logId);
    const reason = logFault(identified(job));
    if (reason !== null) throw await this.quarantine(logId, job.result.job_id, ctx, { revision: 0, reason });
    const signature = job.events.find((event) => event.type === 'REFLECTIVE_LOG_WRITTEN')!.metadata.signature;
    const record = assembleLog(identified(job), signature, job.origin.job_seed)!;
    const beside = await Promise.all(state.events.map((event) => this.log.codec.reveal(event)));
    return {
      ...record,
      amendments: ofType(beside, 'AMENDMENT_ADDED').map(amendmentView),
      user_feedback: ofType(beside, 'FEEDBACK_GIVEN').map((event) => event.data),
    };
  }

  /**
   * The log of a job. Where it stands is taken from the stored text as it is, so that a stream which does not verify
   * leads to LOG_INVALID like a read by the log's own id.
   * @throws MaceError NOT_FOUND (also for what is another's), CONFLICT while the job runs, LOG_INVALID
   */
  async readOfJob(jobId: string, ctx: CommandContext): Promise<LogView> {
    const stream = jobStream(jobId);
    const { events } = await this.log.store.readStream(stream, { limit: MAX_JOB_EVENTS });
    const [accepted, written] = ['JOB_ACCEPTED', 'REFLECTIVE_LOG_WRITTEN'].map((wanted) =>
      events.find(({ type }) => type === wanted),
    );
    if (!accepted || !mayRead(claimedBy(accepted, 'user_id'), ctx)) throw jobNotFound(jobId);
    if (!written) throw new MaceError('CONFLICT', 'the job still runs; its log is written at its end');
    const view = await this.read(claimedBy(written, 'log_id') ?? '', ctx);
    if (view.job_id !== jobId) throw new IntegrityError(stream, written.revision, 'it names the log of another job');
    return view;
  }

  /** @throws MaceError IMMUTABLE_FIELD, always: a log is corrected by an amendment beside it */
  async refusePatch(logId: string, patch: JsonObject, ctx: CommandContext): Promise<never> {
    await this.jobFor(logId, ctx);
    const fields = Object.keys(patch);
    const immutable = fields.filter((field) => (IMMUTABLE_FIELDS as readonly string[]).includes(field));
    const named = immutable.length > 0 ? immutable.join(', ') : 'a written log';
    throw new MaceError(
      'IMMUTABLE_FIELD',
      `ImmutableFieldError: Cannot modify ${named}. Create an Amendment instead.`,
      {
        log_id: logId,
      },
    );
  }

  /** Adds an amendment; the same request again gives the first one. */
  async amend(logId: string, effect: AmendmentEffect, changes: JsonObject, ctx: CommandContext): Promise<Amendment> {
    const job = await this.jobFor(logId, ctx);
    const bytes = Buffer.byteLength(canonicalize(changes));
    if (bytes > MAX_CHANGES_BYTES)
      throw new MaceError('INVALID_INPUT', `changes has ${bytes} bytes; at most ${MAX_CHANGES_BYTES}`);
    const inexact = firstInexactNumber(changes);
    if (inexact !== null)
      throw new MaceError('INVALID_INPUT', `changes${inexact}: more than 9 decimals; send it as text`);
    const amendment: Amendment = {
      amendment_id: `am-${sha256Hex(`${ctx.seed}:amendment`).slice(0, 32)}`,
      target_log_id: logId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      effect,
      changes,
    };
    const user_id = job.events[0]!.data['user_id']!;
    return this.appendOnce(logId, { type: 'AMENDMENT_ADDED', data: { ...amendment, user_id } }, ctx, amendmentView);
  }

  /** Records what the owner thinks of the answer. */
  async feedback(
    jobId: string,
    upvote: boolean,
    comment: string | undefined,
    ctx: CommandContext,
  ): Promise<JsonObject> {
    const job = await this.ownJob(jobId, ctx);
    const log_id = job.result.log_id;
    if (log_id === null) throw new MaceError('CONFLICT', 'the job still runs; feedback is for a sealed job');
    const data = {
      target_log_id: log_id,
      job_id: jobId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      upvote,
      user_id: personOf(ctx.principal),
      ...(comment === undefined ? {} : { comment }),
    };
    return this.appendOnce(log_id, { type: 'FEEDBACK_GIVEN', data }, ctx, (event) => ({
      job_id: jobId,
      log_id,
      upvote: event.data['upvote']!,
      event_id: event.metadata.event_id,
    }));
  }

  /** Checks a log's chain, signature and references again; one that fails is quarantined and an alert follows. */
  async verify(logId: string, ctx: CommandContext): Promise<LogVerdict> {
    const jobId = await this.jobIdOf(logId);
    let fault: { revision: number; reason: string } | null = null;
    try {
      const job = await loadJob(this.log, jobId);
      if (job) this.assertMayRead(job, logId, ctx);
      const reason = job ? logFault(identified(job)) : 'its job is gone';
      if (reason !== null) fault = { revision: 0, reason };
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      fault = { revision: error.revision, reason: error.reason };
    }
    if (fault) await this.quarantine(logId, jobId, ctx, fault);
    const { state } = await this.log.fold(amendmentStream(logId), BESIDE);
    return { log_id: logId, valid: fault === null, reason: fault?.reason ?? null, quarantined: state.quarantined };
  }

  private async jobFor(logId: string, ctx: CommandContext): Promise<StoredJob> {
    const jobId = await this.jobIdOf(logId);
    try {
      const job = await loadJob(this.log, jobId);
      if (!job) throw notFound(logId);
      this.assertMayRead(job, logId, ctx);
      return job;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw await this.quarantine(logId, jobId, ctx, error);
    }
  }

  private async ownJob(jobId: string, ctx: CommandContext): Promise<StoredJob> {
    const job = await loadJob(this.log, jobId);
    if (!job || job.events[0]!.data['user_id'] !== personOf(ctx.principal)) {
      throw new MaceError('NOT_FOUND', `no job ${jobId} of yours`);
    }
    return job;
  }

  private assertMayRead(job: StoredJob, logId: string, ctx: CommandContext): void {
    if (!mayRead(job.events[0]!.data['user_id'], ctx)) throw notFound(logId);
  }

  private async jobIdOf(logId: string): Promise<string> {
    const jobId = await this.index.jobOf(logId);
    if (jobId === null) throw notFound(logId);
    return jobId;
  }

  /** Records the failure once; the alert is a reactor's. */
  private async quarantine(
    logId: string,
    jobId: string,
    ctx: CommandContext,
    fault: { readonly revision: number; readonly reason: string },
  ): Promise<MaceError> {
    const { revision, reason } = fault;
    const data = { target_log_id: logId, job_id: jobId, stream: jobStream(jobId), revision, reason };
    await this.log.execute({
      stream: amendmentStream(logId),
      fold: BESIDE,
      provenance: provenanceOf(ctx),
      decide: (state) => (state.quarantined ? [] : [{ type: 'INTEGRITY_FAILURE', data }]),
    });
    return this.invalid(logId);
  }

  private invalid(logId: string): MaceError {
    return new MaceError('LOG_INVALID', `log ${logId} failed its check and is quarantined until an admin verifies it`, {
      log_id: logId,
    });
  }

  private async appendOnce<T>(
    logId: string,
    event: DomainEvent,
    ctx: CommandContext,
    view: (event: LoggedEvent) => T,
  ): Promise<T> {
    let known: LoggedEvent | undefined;
    const done = await this.log.execute({
      stream: amendmentStream(logId),
      fold: BESIDE,
      provenance: provenanceOf(ctx),
      decide: (state) => {
        known = state.events.find((there) => there.metadata.job_seed === ctx.seed);
        if (known && known.metadata.request_digest !== ctx.requestDigest) {
          throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key: seen before with another body');
        }
        return known ? [] : [event];
      },
    });
    return view(await this.log.codec.reveal(known ?? done.events[0]!));
  }
}

function mayRead(owner: unknown, ctx: CommandContext): boolean {
  return owner === personOf(ctx.principal) || hasRole(ctx.principal, 'admin');
}

/** A field of a stored event that nobody has verified; null where its text is no event. */
function claimedBy({ text }: RecordedEvent, field: string): string | null {
  try {
    const value = (JSON.parse(text) as { data?: Record<string, unknown> }).data?.[field];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function ofType(events: readonly LoggedEvent[], type: string): LoggedEvent[] {
  return events.filter((event) => event.type === type);
}

function amendmentView(event: LoggedEvent): Amendment {
  const { user_id: _, ...amendment } = event.data;
  return amendment as unknown as Amendment;
}

function provenanceOf(ctx: CommandContext) {
  const { seed, actor, traceId, requestDigest } = ctx;
  return { jobSeed: seed, sequenceIndex: 0, actor, traceId, requestDigest };
}

function notFound(logId: string): MaceError {
  return new MaceError('NOT_FOUND', `no log ${logId} of yours`);
}
