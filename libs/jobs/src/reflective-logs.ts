import { type CommandContext, hasRole, personOf, provenanceOf, requireElevated } from '#lib/access';
import { seesUnredacted } from '#lib/audit';
import { type EventLog, IntegrityError } from '#lib/event-store';
import {
  failure,
  canonicalize,
  type DomainEvent,
  firstInexactNumber,
  InHandError,
  type JsonObject,
  MaceError,
  type Provenance,
  requireMatch,
  sha256Hex,
  whereMatched,
} from '#lib/kernel';

import { amendmentView, type Beside, type BesideLog, logInvalid, type LogFault } from './beside-log.js';
import type { Amendment, AmendmentEffect } from './domain/amendments.events.js';
import { consentsIn } from './domain/consented.js';
import { jobStream } from './domain/jobs.events.js';
import { JobFormError } from './domain/job-forms.js';
import { readable } from './domain/readable.js';
import { redactedLog } from './domain/redacted-log.js';
import { assembleLog, IMMUTABLE_FIELDS, logFault, type LogView } from './domain/reflective-log.js';
import { type Review, rulingChanges, type Ruling } from './domain/review.js';
import { identified, loadJob, loadReadableJob, type StoredJob } from './job-store.js';
import { type AreInForce, jobNotFound, sightOf } from './queries/job-access.js';

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

/** A log as its reader sees it. */
export interface FoundLog {
  readonly view: LogView;
  /** Number of events of its job and beside it, as of the job itself: its ETag. */
  readonly version: number;
}

export interface LogVerdict {
  readonly log_id: string;
  readonly valid: boolean;
  readonly reason: string | null;
  readonly quarantined: boolean;
}

const MAX_CHANGES_BYTES = 16_384;

/** Reflective logs: read with their amendments, amended beside, verified, quarantined; never changed. */
export class ReflectiveLogs {
  constructor(
    private readonly log: EventLog,
    private readonly index: LogIndex,
    private readonly beside: BesideLog,
    private readonly areInForce: AreInForce,
  ) {}

  /** @throws MaceError NOT_FOUND (also for what is another's), LOG_INVALID */
  async read(logId: string, ctx: CommandContext, unredacted?: boolean): Promise<FoundLog> {
    return this.viewFor(await this.placeOfLog(logId, ctx), logId, ctx, unredacted);
  }

  /** In plain for its owner, and for an auditor or admin who asks for that, once it is recorded. */
  private async viewFor(place: JobPlace, logId: string, ctx: CommandContext, unredacted?: boolean): Promise<FoundLog> {
    const isOwner = place.user_id === personOf(ctx.principal);
    const isPlain = isOwner || (await seesUnredacted(this.log, ctx, unredacted, `job/${place.job_id}/log`));
    const { view, version } = await this.view(place, logId, ctx);
    return { view: isPlain ? view : redactedLog(view), version };
  }

  private async view(place: JobPlace, logId: string, ctx: CommandContext): Promise<FoundLog> {
    const job = await this.verified(place, logId, ctx);
    const state = await this.beside.of(logId);
    if (state.quarantined) throw logInvalid(logId);
    const reason = logFault(identified(job));
    if (reason !== null) throw await this.beside.quarantine(logId, job.result.job_id, ctx, { revision: 0, reason });
    const signature = job.events.find((event) => event.type === 'REFLECTIVE_LOG_WRITTEN')!.metadata.signature;
    const record = assembleLog(readable(identified(job)), signature, job.origin.job_seed)!;
    const view = { ...record, ...(await this.beside.views(state)) };
    const isShown = await this.isConsented(job, place, ctx);
    return { view: isShown ? view : redactedLog(view), version: versionOf(job, state) };
  }

  /** What was said under a consent that has ended is told to nobody (spec/privacy.md, "What happens"). */
  private async isConsented(job: StoredJob, { user_id }: JobPlace, { now }: CommandContext): Promise<boolean> {
    const ids = consentsIn(job.events);
    return ids.length === 0 || this.areInForce(user_id, ids, now);
  }

  /**
   * The log of a job; for those who operate and audit without what was said.
   * @throws MaceError NOT_FOUND (also for what is another's), CONFLICT while the job runs, LOG_INVALID
   */
  async readOfJob(jobId: string, ctx: CommandContext, unredacted?: boolean): Promise<FoundLog> {
    const place = await this.index.ofJob(jobId);
    if (!place) throw jobNotFound(jobId);
    sightOf(place.user_id, jobId, ctx);
    const logId = place.log_id ?? (await this.logOfSealed(jobId));
    return this.viewFor(place, logId, ctx, unredacted);
  }

  /** Of a job that sealed after the read model saw it. */
  private async logOfSealed(jobId: string): Promise<string> {
    const logId = (await loadReadableJob(this.log, jobId))?.result.log_id ?? null;
    if (logId === null) throw new InHandError('the job still runs; its log is written at its end');
    return logId;
  }

  /** @throws MaceError IMMUTABLE_FIELD, always: a log is corrected by an amendment beside it */
  async refusePatch(logId: string, patch: JsonObject, ctx: CommandContext): Promise<never> {
    await this.verified(await this.placeOfLog(logId, ctx), logId, ctx);
    const fields = Object.keys(patch);
    const immutable = fields.filter((field) => (IMMUTABLE_FIELDS as readonly string[]).includes(field));
    const named = immutable.length > 0 ? immutable.join(', ') : 'a written log';
    throw failure('IMMUTABLE_FIELD', 'log', { fields: named }, { log_id: logId });
  }

  /**
   * Adds an amendment; the same request again gives the first one.
   * @throws MaceError NOT_FOUND (also for what is another's), INVALID_INPUT, LOG_INVALID, PRECONDITION_FAILED, CONFLICT
   * for an owner who has said too much of the log; ElevationRequiredError for an admin who amends another's log without a second factor
   */
  async amend(logId: string, effect: AmendmentEffect, changes: JsonObject, ctx: CommandContext): Promise<Amendment> {
    const place = await this.placeOfLog(logId, ctx);
    const isOwner = place.user_id === personOf(ctx.principal);
    if (!isOwner) requireElevated(ctx.principal);
    const job = await this.verified(place, logId, ctx);
    const bytes = Buffer.byteLength(canonicalize(changes));
    if (bytes > MAX_CHANGES_BYTES)
      throw new MaceError('INVALID_INPUT', `changes has ${bytes} bytes; at most ${MAX_CHANGES_BYTES}`);
    const inexact = firstInexactNumber(changes);
    if (inexact !== null)
      throw new MaceError('INVALID_INPUT', `changes${inexact}: more than 9 decimals; send it as text`);
    const { value, flags } = this.beside.screened(changes, ctx.seed);
    const amendment: Amendment = {
      amendment_id: amendmentId(ctx.seed),
      target_log_id: logId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      author_role: isOwner ? 'owner' : 'admin',
      effect,
      changes: value,
    };
    const added = { type: 'AMENDMENT_ADDED', data: { ...amendment, job_id: place.job_id, user_id: place.user_id } };
    const decide = (state: Beside): readonly DomainEvent[] =>
      whereMatched(ctx, versionOf(job, state), [added, ...flags]);
    const provenance = provenanceOf(ctx);
    const event = isOwner
      ? await this.beside.appendOwn(logId, provenance, decide)
      : await this.beside.appendOnce(logId, provenance, decide);
    return amendmentView(event);
  }

  /**
   * Puts beside a sealed job's log what people decided of it. Once a provenance.
   * @throws MaceError NOT_FOUND, CONFLICT while the job runs; IntegrityError where its record does not verify
   */
  async rule(ruling: Ruling, provenance: Provenance): Promise<void> {
    const job = await loadJob(this.log, ruling.job_id);
    if (!job) throw jobNotFound(ruling.job_id);
    const logId = job.result.log_id;
    if (logId === null) throw new InHandError('the job still runs; a ruling is on a sealed job');
    const amendment: Amendment = {
      amendment_id: amendmentId(provenance.jobSeed),
      target_log_id: logId,
      created_at: ruling.decided_at,
      author: ruling.author_role,
      author_role: ruling.author_role,
      effect: 'override_suggestion',
      changes: rulingChanges(ruling, identified(job)),
    };
    const data = { ...amendment, job_id: ruling.job_id, user_id: job.events[0]!.data['user_id']! };
    await this.beside.appendOnce(logId, provenance, () => [{ type: 'AMENDMENT_ADDED', data }]);
  }

  /**
   * How many events stand beside a job's log, and the ruling among them that counts, without its words for others than
   * the job's owner; none of either for a running job.
   */
  async reviewed(
    logId: string | null,
    isOwner: boolean,
  ): Promise<{ readonly count: number; readonly review: Review | null }> {
    if (logId === null) return { count: 0, review: null };
    const state = await this.beside.of(logId);
    const review = await this.beside.reviewOf(state);
    return { count: state.count, review: review && !isOwner ? { ...review, changes: { $redacted: true } } : review };
  }

  /** Records what the owner thinks of the answer. @throws MaceError NOT_FOUND, CONFLICT, PRECONDITION_FAILED */
  async feedback(
    jobId: string,
    upvote: boolean,
    comment: string | undefined,
    ctx: CommandContext,
  ): Promise<JsonObject> {
    await this.assertOwn(jobId, ctx);
    const job = await loadReadableJob(this.log, jobId);
    if (!job) throw jobNotFound(jobId);
    const { value, flags } = this.beside.screened(comment ?? '', ctx.seed);
    const log_id = job.result.log_id;
    if (log_id === null) throw new InHandError('the job still runs; feedback is for a sealed job');
    const data = {
      target_log_id: log_id,
      job_id: jobId,
      created_at: new Date(ctx.now).toISOString(),
      author: ctx.principal.id,
      upvote,
      user_id: personOf(ctx.principal),
      ...(comment === undefined ? {} : { comment: value }),
    };
    const given = { type: 'FEEDBACK_GIVEN', data };
    const event = await this.beside.appendOwn(log_id, provenanceOf(ctx), (state) =>
      whereMatched(ctx, versionOf(job, state), [given, ...flags]),
    );
    return { job_id: jobId, log_id, upvote: event.data['upvote']!, event_id: event.metadata.event_id };
  }

  /**
   * Checks a log's chain, signature and references again. One that fails is quarantined, and an alert follows; one that is
   * in quarantine and holds is released by an admin's check.
   * @throws MaceError NOT_FOUND, PRECONDITION_FAILED; ElevationRequiredError for an admin's release without a second factor
   */
  async verify(logId: string, ctx: CommandContext): Promise<LogVerdict> {
    const { job_id: jobId } = await this.placeOfLog(logId, ctx);
    if (ctx.ifMatch !== undefined) await this.requireAsRead(logId, jobId, ctx);
    const { fault, version } = await this.check(jobId);
    if (fault) await this.beside.quarantine(logId, jobId, ctx, fault);
    else if (hasRole(ctx.principal, 'admin') && (await this.beside.of(logId)).quarantined) {
      requireElevated(ctx.principal);
      await this.beside.release(logId, jobId, ctx, version);
    }
    const { quarantined } = await this.beside.of(logId);
    return { log_id: logId, valid: fault === null, reason: fault?.reason ?? null, quarantined };
  }

  /**
   * Quarantines the log of a job that a replay refused, as a read of it does, where the record fails its check
   * (spec/replay.md). A log that is not listed yet is quarantined by the next read.
   * @param reason what the replay found by itself; null where the record's own check decides
   */
  async quarantineIfTampered(jobId: string, reason: string | null, ctx: CommandContext): Promise<void> {
    const fault = reason === null ? (await this.check(jobId)).fault : { revision: 0, reason };
    const log_id = fault && (await this.index.ofJob(jobId))?.log_id;
    if (fault && log_id) await this.beside.quarantine(log_id, jobId, ctx, fault);
  }

  /**
   * Before the check, which is what is asked for: what it finds is on record whatever is written beside the log meanwhile.
   * A job that cannot be read has the revision that it was read at, too.
   * @throws MaceError PRECONDITION_FAILED, but for a request that comes again
   */
  private async requireAsRead(logId: string, jobId: string, ctx: CommandContext): Promise<void> {
    const { events, count } = await this.beside.of(logId);
    if (events.some(({ metadata }) => metadata.job_seed === ctx.seed)) return;
    requireMatch(ctx, (await this.log.store.streamVersion(jobStream(jobId))) + count);
  }

  private async check(jobId: string): Promise<{ readonly fault: LogFault | null; readonly version: number }> {
    try {
      const job = await loadReadableJob(this.log, jobId);
      const reason = job ? logFault(identified(job)) : 'its job is gone';
      return { fault: reason === null ? null : { revision: 0, reason }, version: job?.events.length ?? 0 };
    } catch (error) {
      if (!(error instanceof IntegrityError || error instanceof JobFormError)) throw error;
      return { fault: { revision: error.revision, reason: error.reason }, version: 0 };
    }
  }

  /** Where the log's job stands, for whoever may read the log. @throws MaceError NOT_FOUND */
  private async placeOfLog(logId: string, ctx: CommandContext): Promise<JobPlace> {
    const place = await this.index.ofLog(logId);
    if (!place || !mayRead(place, ctx)) throw notFound(logId);
    return place;
  }

  private async verified({ job_id }: JobPlace, logId: string, ctx: CommandContext): Promise<StoredJob> {
    try {
      const job = await loadReadableJob(this.log, job_id);
      if (!job) throw notFound(logId);
      return job;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw await this.beside.quarantine(logId, job_id, ctx, error);
    }
  }

  private async assertOwn(jobId: string, ctx: CommandContext): Promise<void> {
    const place = await this.index.ofJob(jobId);
    if (place?.user_id !== personOf(ctx.principal)) throw jobNotFound(jobId);
  }
}

/** A sealed job gets no further event of its own, so that what is beside its log decides. */
export function versionOf({ history }: StoredJob, { count }: Pick<Beside, 'count'>): number {
  return history.head.version + count;
}

function mayRead({ user_id }: JobPlace, ctx: CommandContext): boolean {
  return user_id === personOf(ctx.principal) || hasRole(ctx.principal, 'admin');
}

function amendmentId(seed: string): string {
  return `am-${sha256Hex(`${seed}:amendment`).slice(0, 32)}`;
}

function notFound(logId: string): MaceError {
  return new MaceError('NOT_FOUND', `no log ${logId} of yours`);
}
