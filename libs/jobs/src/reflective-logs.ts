import { type CommandContext, hasRole, personOf } from '#lib/access';
import { type EventLog, type Fold, IntegrityError, type LoggedEvent } from '#lib/event-store';
import {
  canonicalize,
  type DomainEvent,
  firstInexactNumber,
  type Json,
  type JsonObject,
  MaceError,
  sha256Hex,
} from '#lib/kernel';

import { type Amendment, type AmendmentEffect, amendmentStream } from './domain/amendments.events.js';
import { jobStream, type PiiFinding } from './domain/jobs.events.js';
import { redactedLog } from './domain/redacted-log.js';
import { assembleLog, IMMUTABLE_FIELDS, logFault, type LogView } from './domain/reflective-log.js';
import { identified, loadJob, type StoredJob } from './job-store.js';
import { jobNotFound, sightOf } from './queries/job-access.js';

/** A job as the read model knows it: whose it is must be known before anything of it is told, a fault included. */
export interface JobPlace {
  readonly job_id: string;
  readonly user_id: string;
  /** null while the job runs. */
  readonly log_id: string | null;
}

/** Finds a job by its log, or by its id; one just written is found. */
export abstract class LogIndex {
  abstract ofLog(logId: string): Promise<JobPlace | null>;
  abstract ofJob(jobId: string): Promise<JobPlace | null>;
}

/** Takes what is personal out of what a person writes beside a log. */
export type Redactor = (
  value: Json,
  seed: string,
) => { readonly value: Json; readonly findings: readonly PiiFinding[] };

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

/** Reflective logs: read with their amendments, amended beside, verified, quarantined; never changed. */
export class ReflectiveLogs {
  constructor(
    private readonly log: EventLog,
    private readonly index: LogIndex,
    private readonly redactor: Redactor,
  ) {}

  /** @throws MaceError NOT_FOUND (also for what is another's), LOG_INVALID */
  async read(logId: string, ctx: CommandContext): Promise<LogView> {
    return this.view(await this.placeOfLog(logId, ctx), logId, ctx);
  }

  private async view(place: JobPlace, logId: string, ctx: CommandContext): Promise<LogView> {
    const job = await this.verified(place, logId, ctx);
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
   * The log of a job; for those who operate and audit without what was said.
   * @throws MaceError NOT_FOUND (also for what is another's), CONFLICT while the job runs, LOG_INVALID
   */
  async readOfJob(jobId: string, ctx: CommandContext): Promise<LogView> {
    const place = await this.index.ofJob(jobId);
    if (!place) throw jobNotFound(jobId);
    const sight = mayRead(place, ctx) ? 'owner' : sightOf(place.user_id, jobId, ctx);
    const logId = place.log_id ?? (await this.logOfSealed(jobId));
    const view = await this.view(place, logId, ctx);
    return sight === 'owner' ? view : redactedLog(view);
  }

  /** Of a job that sealed after the read model saw it. */
  private async logOfSealed(jobId: string): Promise<string> {
    const logId = (await loadJob(this.log, jobId))?.result.log_id ?? null;
    if (logId === null) throw new MaceError('CONFLICT', 'the job still runs; its log is written at its end');
    return logId;
  }

  /** @throws MaceError IMMUTABLE_FIELD, always: a log is corrected by an amendment beside it */
  async refusePatch(logId: string, patch: JsonObject, ctx: CommandContext): Promise<never> {
    await this.verified(await this.placeOfLog(logId, ctx), logId, ctx);
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
    const place = await this.placeOfLog(logId, ctx);
    await this.verified(place, logId, ctx);
    const bytes = Buffer.byteLength(canonicalize(changes));
    if (bytes > MAX_CHANGES_BYTES)
      throw new MaceError('INVALID_INPUT', `changes has ${bytes} bytes; at most ${MAX_CHANGES_BYTES}`);
    const inexact = firstInexactNumber(changes);
    if (inexact !== null)
      throw new MaceError('INVALID_INPUT', `changes${inexact}: more than 9 decimals; send it as text`);
    const { value, findings } = this.redactor(changes, ctx.seed);
    const amendment: Amendment = {
      amendment_id: `am-${sha256Hex(`${ctx.seed}:amendment`).slice(0, 32)}`,
      target_log_id: logId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      effect,
      changes: value as JsonObject,
    };
    const added = { type: 'AMENDMENT_ADDED', data: { ...amendment, user_id: place.user_id } };
    return this.appendOnce(logId, [added, ...flagged(findings)], ctx, amendmentView);
  }

  /** Records what the owner thinks of the answer. */
  async feedback(
    jobId: string,
    upvote: boolean,
    comment: string | undefined,
    ctx: CommandContext,
  ): Promise<JsonObject> {
    await this.assertOwn(jobId, ctx);
    const job = await loadJob(this.log, jobId);
    if (!job) throw jobNotFound(jobId);
    const { value, findings } = this.redactor(comment ?? '', ctx.seed);
    const log_id = job.result.log_id;
    if (log_id === null) throw new MaceError('CONFLICT', 'the job still runs; feedback is for a sealed job');
    const data = {
      target_log_id: log_id,
      job_id: jobId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      upvote,
      user_id: personOf(ctx.principal),
      ...(comment === undefined ? {} : { comment: value }),
    };
    return this.appendOnce(log_id, [{ type: 'FEEDBACK_GIVEN', data }, ...flagged(findings)], ctx, (event) => ({
      job_id: jobId,
      log_id,
      upvote: event.data['upvote']!,
      event_id: event.metadata.event_id,
    }));
  }

  /** Checks a log's chain, signature and references again; one that fails is quarantined and an alert follows. */
  async verify(logId: string, ctx: CommandContext): Promise<LogVerdict> {
    const { job_id: jobId } = await this.placeOfLog(logId, ctx);
    let fault: { revision: number; reason: string } | null = null;
    try {
      const job = await loadJob(this.log, jobId);
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

  /** Where the log's job stands, for whoever may read the log. @throws MaceError NOT_FOUND */
  private async placeOfLog(logId: string, ctx: CommandContext): Promise<JobPlace> {
    const place = await this.index.ofLog(logId);
    if (!place || !mayRead(place, ctx)) throw notFound(logId);
    return place;
  }

  private async verified({ job_id }: JobPlace, logId: string, ctx: CommandContext): Promise<StoredJob> {
    try {
      const job = await loadJob(this.log, job_id);
      if (!job) throw notFound(logId);
      return job;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw await this.quarantine(logId, job_id, ctx, error);
    }
  }

  private async assertOwn(jobId: string, ctx: CommandContext): Promise<void> {
    const place = await this.index.ofJob(jobId);
    if (place?.user_id !== personOf(ctx.principal)) throw jobNotFound(jobId);
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
    events: readonly DomainEvent[],
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
        return known ? [] : events;
      },
    });
    return view(await this.log.codec.reveal(known ?? done.events[0]!));
  }
}

function mayRead({ user_id }: JobPlace, ctx: CommandContext): boolean {
  return user_id === personOf(ctx.principal) || hasRole(ctx.principal, 'admin');
}

function flagged(findings: readonly PiiFinding[]): DomainEvent[] {
  return findings.map((finding) => ({
    type: 'PII_FLAGGED',
    data: { ...finding, redaction_reason: 'PII_DETECTED' },
  }));
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
