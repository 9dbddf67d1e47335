import type { CommandContext } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import { eventId, MaceError, traceId, type EventMetadata } from '#lib/kernel';
import type { Snapshots, SnapshotSet } from '#lib/governance';

import { type JobResult, jobResult } from './domain/job-result.js';
import type { JobAccepted, PiiFinding } from './domain/jobs.events.js';
import type { EngineInput, JobLimits } from './engine/engine.js';
import { emptyHistory, type JobHistory, type LiveEffects, runJob, type RunOptions } from './job-runner.js';
import { loadJob, type StoredJob } from './job-store.js';
import { pinnedSnapshots, snapshotInput } from './snapshot-input.js';

/** Finds what blocks in a text, and makes the text that may be recorded in its place. */
export interface QueryScreen {
  readonly version: string;
  find(text: string, jobSeed: string): readonly PiiFinding[];
  redact(text: string): string;
}

export interface Screened {
  readonly blocked: boolean;
  readonly findings: readonly PiiFinding[];
  readonly query_text: string;
  readonly context_tags: Readonly<Record<string, string>>;
}

/** Limits of the governance snapshot that apply before a job begins. */
export interface DeskLimits extends JobLimits {
  readonly max_query_length: number;
}

/** Where jobs are begun, found again and finished; one process runs a job at most once at a time. */
export class JobDesk {
  private readonly running = new Map<string, Promise<JobResult>>();

  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
    private readonly current: SnapshotSet,
    private readonly effects: LiveEffects,
    private readonly queryScreen: QueryScreen,
    private readonly systemVersion: string,
  ) {}

  get limits(): DeskLimits {
    return this.current.governance.body as unknown as DeskLimits;
  }

  screen(text: string, jobSeed: string): readonly PiiFinding[] {
    return this.queryScreen.find(text, jobSeed);
  }

  /** Query and tags with what blocks; where anything does, only redacted text is given back. */
  screenQuery(query_text: string, context_tags: Readonly<Record<string, string>>, jobSeed: string): Screened {
    const texts = [query_text, ...Object.entries(context_tags).flat()];
    const findings = texts.flatMap((text) => this.queryScreen.find(text, jobSeed));
    if (findings.length === 0) return { blocked: false, findings, query_text, context_tags };
    const redact = (text: string): string => this.queryScreen.redact(text);
    const tags = Object.entries(context_tags).map(([name, tag]) => [redact(name), redact(tag)] as const);
    return { blocked: true, findings, query_text: redact(query_text), context_tags: Object.fromEntries(tags) };
  }

  inputFor(jobSeed: string, accepted: JobAccepted): Promise<EngineInput> {
    return Promise.resolve(
      this.inputWith(jobSeed, accepted, this.current, this.systemVersion, this.queryScreen.version),
    );
  }

  /** Runs a new job to its seal, or joins the run that is under way. @throws VersionConflictError */
  run(input: EngineInput, options: RunOptions, history?: JobHistory): Promise<JobResult> {
    const { job_id } = input.accepted;
    const underway = this.running.get(job_id);
    if (underway) return underway;
    const result = runJob(this.log, this.effects, input, history ?? emptyHistory(job_id), options).then((events) =>
      jobResult(events, input.jobSeed, traceId(input.jobSeed)),
    );
    this.running.set(job_id, result);
    const forget = (): void => void this.running.delete(job_id);
    result.then(forget, forget);
    return result;
  }

  /**
   * The result of the same request of the same principal, made before; null where the seed is new.
   * @throws MaceError JOB_SEED_CONFLICT or IDEMPOTENCY_KEY_REUSED for anything else under that seed
   */
  async sameRequest(jobId: string, namedSeed: boolean, ctx: CommandContext): Promise<JobResult | null> {
    const underway = this.running.get(jobId);
    if (underway) await underway.catch(() => undefined);
    const stored = await loadJob(this.log, jobId);
    if (!stored) return null;
    if (!isSameRequest(stored.origin, ctx)) {
      throw namedSeed
        ? new MaceError('JOB_SEED_CONFLICT', 'job_seed: taken by another request; choose a new one')
        : new MaceError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key: seen before with another body');
    }
    return stored.sealed ? stored.result : this.finish(stored);
  }

  /** Takes a job that a crash left behind to its seal, from what its stream holds. */
  async finish(stored: StoredJob): Promise<JobResult> {
    const accepted = stored.history.events[0]!.data as unknown as JobAccepted;
    const pinned = stored.history.events[1]?.data;
    const jobSeed = stored.origin.job_seed;
    const input =
      pinned?.['snapshots'] === undefined
        ? await this.inputFor(jobSeed, accepted)
        : this.inputWith(
            jobSeed,
            accepted,
            await pinnedSnapshots(this.snapshots, pinned['snapshots'] as Record<string, string>),
            pinned['system_version'] as string,
            pinned['detector_version'] as string,
          );
    return this.run(input, { actor: stored.origin.actor }, stored.history);
  }

  load(jobId: string): Promise<StoredJob | null> {
    return loadJob(this.log, jobId);
  }

  private inputWith(
    jobSeed: string,
    accepted: JobAccepted,
    set: SnapshotSet,
    systemVersion: string,
    detectorVersion: string,
  ): EngineInput {
    return { jobSeed, accepted, systemVersion, detectorVersion, ...snapshotInput(set) };
  }
}

function isSameRequest(origin: EventMetadata, ctx: CommandContext): boolean {
  const { job_seed, sequence_index, event_id, actor, request_digest } = origin;
  if (event_id !== eventId(job_seed, sequence_index, 'JOB_ACCEPTED')) return false;
  return actor.id === ctx.principal.id && request_digest === ctx.requestDigest;
}
