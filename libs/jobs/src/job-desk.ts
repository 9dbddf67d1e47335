import { type CommandContext, personOf } from '#lib/access';
import { seesUnredacted } from '#lib/audit';
import { type EventLog, LruMap, VersionConflictError } from '#lib/event-store';
import { failure, type DomainEvent, isSameBody, traceId } from '#lib/kernel';
import { traced, type Traced } from '#lib/tracing';

import { consentsIn } from './domain/consented.js';
import { type JobResult, jobResult } from './domain/job-result.js';
import { type JobAccepted, jobEvent, jobStream, type PiiFinding } from './domain/jobs.events.js';
import { redactedResult } from './domain/redacted-result.js';
import type { EngineInput } from './engine/input.js';
import { artifactName } from './domain/missing.js';
import { closeAsFailed, type Unfinishable } from './job-closing.js';
import type { JobInputs } from './job-inputs.js';
import {
  emptyHistory,
  HistoryDiffersError,
  JobAbandonedError,
  JobRun,
  type LiveEffects,
  OutputNotKeptError,
  type RunOptions,
} from './job-runner.js';
import { loadJob, loadReadableJob, type StoredJob } from './job-store.js';
import type { JobsElsewhere } from './jobs-elsewhere.js';
import { type JobSight, refuseOthers, sightNow } from './queries/job-access.js';
import { type AskedFor, type QueryScreen, screenAsked, type Screened } from './query-screen.js';

/** A job under way in this process. */
export interface RunningJob {
  /** Normal form of whose job it is. */
  readonly userId: string;
  readonly result: Promise<JobResult>;
  /** What is known of it while it runs. */
  begun(): JobResult;
  readonly options: RunOptions;
  persist(): Promise<void>;
  /** Ends it where it is; the result then never comes. */
  abandon(): void;
}

/** Of a job that is being closed as failed: there is nothing to store before, and nothing to leave out. */
const CLOSED_RUN = { persist: () => Promise.resolve(), abandon: () => undefined };

const KNOWN_OWNERS = 10_000;

/** Where jobs are begun, found again and finished; one process runs a job at most once at a time. */
export class JobDesk {
  private readonly running = new Map<string, RunningJob>();
  private readonly waiting = new Set<() => void>();
  private closing = false;
  /** Whose each job is that was read lately: that never changes. */
  private readonly owners = new LruMap<string, string>(KNOWN_OWNERS);

  constructor(
    private readonly log: EventLog,
    readonly inputs: JobInputs,
    private readonly effects: LiveEffects,
    private readonly queryScreen: QueryScreen,
    /** Told of a job that failed while nobody waited for it. */
    private readonly onUnattended: (jobId: string, error: unknown) => void,
    /** Undefined where no other process runs jobs of this log. */
    private readonly elsewhere?: Pick<JobsElsewhere, 'isLeft' | 'pauseMs'>,
  ) {}

  screen(text: string, jobSeed: string): readonly PiiFinding[] {
    return this.queryScreen.find(text, jobSeed);
  }

  /** Query and tags with what blocks; where anything does, only redacted text is given back. */
  screenQuery(query_text: string, context_tags: Readonly<Record<string, string>>, asked: AskedFor): Promise<Screened> {
    return screenAsked(this.queryScreen, query_text, context_tags, asked);
  }

  /**
   * How much of a job somebody sees now; all of it, where an auditor or admin asks for that and it is recorded.
   * @throws MaceError NOT_FOUND for what is another's, PERMISSION_DENIED for anybody else who asks; what the store throws
   */
  sightOf(job: Pick<StoredJob, 'events'>, jobId: string, ctx: CommandContext, unredacted?: boolean): Promise<JobSight> {
    return sightNow(
      job.events,
      jobId,
      ctx,
      (...asked) => this.queryScreen.areInForce(...asked),
      () => seesUnredacted(this.log, ctx, unredacted, `job/${jobId}`),
    );
  }

  /**
   * Whoever asks in another's name is answered from the other's memory, unredacted.
   * @throws MaceError PERMISSION_DENIED for others than auditors and admins; what the store throws
   */
  async recordAskingForAnother(jobId: string, ctx: CommandContext): Promise<void> {
    await seesUnredacted(this.log, ctx, true, `job/${jobId}`, 'ask');
  }

  /**
   * Begins a job, or joins the run of it that is under way.
   * @throws VersionConflictError where another request runs under the same seed
   */
  begin(input: EngineInput, options: RunOptions): RunningJob {
    const { job_id } = input.accepted;
    return this.join(job_id, options) ?? this.run(input, options, null);
  }

  private join(jobId: string, options: RunOptions): RunningJob | null {
    const underway = this.running.get(jobId);
    if (underway && !isSame(underway.options, options)) throw new VersionConflictError(jobStream(jobId), 0);
    return underway ?? null;
  }

  private run(input: EngineInput, options: RunOptions, left: StoredJob | null): RunningJob {
    const history = left?.history ?? emptyHistory(input.accepted.job_id);
    const run = new JobRun(this.log, this.effects, input, history, options);
    const sealed = traced(
      () => spanOf(input),
      () => run.toSeal(),
    );
    const events = left
      ? sealed.catch((error: unknown) => {
          const found = unfinishable(error);
          if (!found) throw error;
          return closeAsFailed(this.log, left, found);
        })
      : sealed;
    const job = this.track(input.jobSeed, input.accepted, options, events, run);
    if (this.closing) run.abandon();
    return job;
  }

  private track(
    jobSeed: string,
    accepted: JobAccepted,
    options: RunOptions,
    events: Promise<readonly DomainEvent[]>,
    run: Pick<RunningJob, 'persist' | 'abandon'>,
  ): RunningJob {
    const { job_id } = accepted;
    const trace = traceId(jobSeed);
    const result = events.then((all) => jobResult(all, jobSeed, trace));
    const job: RunningJob = {
      userId: accepted.user_id,
      result,
      begun: () => jobResult([jobEvent('JOB_ACCEPTED', accepted)], jobSeed, trace),
      options,
      persist: () => run.persist(),
      abandon: () => run.abandon(),
    };
    this.running.set(job_id, job);
    const forget = (): void => void this.running.delete(job_id);
    result.then(forget, forget);
    return job;
  }

  /** Waits for a job as long as asked, or until the process stops; what is not done by then is stored and goes on. */
  async await(job: RunningJob, patienceMs: number): Promise<JobResult> {
    const finished = job.result.catch((error: unknown) => {
      if (error instanceof JobAbandonedError) return null;
      throw error;
    });
    const result = await this.within(finished, this.closing ? 0 : patienceMs);
    if (result !== null) return result;
    const begun = job.begun();
    finished.catch((error: unknown) => this.onUnattended(begun.job_id, error));
    await job.persist();
    return begun;
  }

  /** Ids of the jobs that run here now. */
  get underway(): readonly string[] {
    return [...this.running.keys()];
  }

  get isClosing(): boolean {
    return this.closing;
  }

  /**
   * From now on no job is taken further and nobody is kept waiting: unfinished jobs are left to the next start. Settles
   * when nothing of them is being written any more; whoever still waits for one is answered after it is stored.
   */
  async close(): Promise<void> {
    this.closing = true;
    for (const stop of this.waiting) stop();
    const left = [...this.running.values()];
    for (const job of left) job.abandon();
    await Promise.allSettled(left.map((job) => job.result));
  }

  /** Ends a person's jobs where they are. Settles when nothing of them is being written any more. */
  async leaveAllOf(userId: string): Promise<void> {
    const left = [...this.running.values()].filter((job) => job.userId === userId);
    for (const job of left) job.abandon();
    await Promise.allSettled(left.map((job) => job.result));
  }

  private async within(result: Promise<JobResult | null>, patienceMs: number): Promise<JobResult | null> {
    let stop = (): void => undefined;
    const late = new Promise<null>((resolve) => {
      stop = () => resolve(null);
    });
    const timer = setTimeout(stop, patienceMs);
    this.waiting.add(stop);
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
      this.waiting.delete(stop);
    }
  }

  /**
   * The result of the same request of the same principal, made before; null where the seed is new. What another process
   * runs is waited for, and taken over once that one is silent.
   * @throws MaceError JOB_SEED_CONFLICT or IDEMPOTENCY_KEY_REUSED for anything else under that seed
   */
  async sameRequest(
    jobId: string,
    namedSeed: boolean,
    ctx: CommandContext,
    patienceMs: number,
  ): Promise<JobResult | null> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const patience = Math.max(0, until - performance.now());
      const underway = this.running.get(jobId);
      if (underway) {
        assertSame(underway.options, namedSeed, ctx);
        return this.await(underway, patience);
      }
      const stored = await loadReadableJob(this.log, jobId);
      if (!stored) return null;
      assertSame(optionsOf(stored), namedSeed, ctx);
      if (stored.sealed) return this.sealedResult(stored, ctx);
      if (!this.elsewhere || (await this.elsewhere.isLeft(jobId)))
        return this.await(await this.resume(stored), patience);
      if (patience === 0 || this.closing) return begunResult(stored);
      // Only the time or the stop ends it.
      await this.within(new Promise<null>(() => undefined), Math.min(this.elsewhere.pauseMs, patience));
    }
  }

  private async sealedResult({ events, result }: StoredJob, { now }: CommandContext): Promise<JobResult> {
    const consents = consentsIn(events);
    const userId = events[0]!.data['user_id'] as string;
    const stands = consents.length === 0 || (await this.queryScreen.areInForce(userId, consents, now));
    return stands ? result : redactedResult(result);
  }

  /**
   * Takes a job that a crash left behind to its seal, from what its stream holds; one that cannot be continued is closed
   * as failed.
   */
  async resume(stored: StoredJob): Promise<RunningJob> {
    const accepted = stored.history.events[0]!.data as unknown as JobAccepted;
    const options = optionsOf(stored);
    const input = await this.inputs.ofLeft(stored);
    const underway = this.join(accepted.job_id, options);
    if (underway) return underway;
    if (!('reason' in input)) return this.run(input, options, stored);
    const closed = closeAsFailed(this.log, stored, input);
    return this.track(stored.origin.job_seed, accepted, options, closed, CLOSED_RUN);
  }

  /**
   * Before anything else of it is read.
   * @throws MaceError NOT_FOUND for what is another's; IntegrityError where not even its first event verifies
   */
  async refuseOthers(jobId: string, ctx: CommandContext): Promise<void> {
    // Only who owns it is let in by memory: a refusal reads the log, whatever is known, so that its time tells nothing.
    if (this.owners.get(jobId) === personOf(ctx.principal)) return;
    await refuseOthers(this.log, jobId, ctx);
  }

  load(jobId: string): Promise<StoredJob | null> {
    return loadJob(this.log, jobId);
  }

  /** For whoever is shown what it holds. @throws JobFormError, IntegrityError */
  async read(jobId: string): Promise<StoredJob | null> {
    const job = await loadReadableJob(this.log, jobId);
    if (job) this.owners.set(jobId, job.events[0]!.data['user_id'] as string);
    return job;
  }
}

/** Why what a crash left cannot be taken further; null where that is no reason to close it. */
function unfinishable(error: unknown): Unfinishable | null {
  if (error instanceof HistoryDiffersError) {
    const { index } = error;
    return { reason: `this release computes another event ${index}`, missing: artifactName('record', String(index)) };
  }
  if (!(error instanceof OutputNotKeptError)) return null;
  const missing = artifactName('agent_output', error.eventId);
  return { reason: 'what an outside engine said was not kept, as the job asked', missing };
}

function spanOf({ jobSeed, accepted: { job_id } }: EngineInput): Traced {
  return { name: 'job', traceId: traceId(jobSeed), attributes: { 'mace.job.id': job_id } };
}

/** What is known of a job while it runs. */
function begunResult({ history, origin: { job_seed } }: StoredJob): JobResult {
  return jobResult([history.events[0]!], job_seed, traceId(job_seed));
}

function optionsOf({ origin }: StoredJob): RunOptions {
  const { actor, request_digest } = origin;
  return { actor, ...(request_digest === undefined ? {} : { requestDigest: request_digest }) };
}

function isSame(recorded: RunOptions, asked: RunOptions): boolean {
  return recorded.actor.id === asked.actor.id && isSameBody(recorded.requestDigest, asked);
}

/** @throws MaceError where the seed belongs to another request, or to another's */
function assertSame(options: RunOptions, namedSeed: boolean, ctx: CommandContext): void {
  if (isSame(options, ctx)) return;
  throw namedSeed ? failure('JOB_SEED_CONFLICT', 'taken', {}) : failure('IDEMPOTENCY_KEY_REUSED', 'job', {});
}
