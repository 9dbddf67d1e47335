import type { Position } from '#lib/event-store';
import { traced } from '#lib/tracing';

import { LISTED_JOBS, type UnmatchedJob } from '../domain/sweep.events.js';
import type { RangeOutcome } from './range-replayer.js';
import type { JobPlace, JobsPage, SweptJobs } from './swept-jobs.js';

/** Replays ranges of jobs, one after another, in this thread or another. */
export interface RangeWorker {
  /** How many ranges it takes at once: a thread of its own should never wait for the next. */
  readonly depth: number;
  replay(jobIds: readonly string[]): Promise<RangeOutcome>;
}

/** How far a sweep is. */
export interface SweepState {
  /** Jobs that were decided. */
  readonly processed: number;
  /** Every job that begins here or before is among them. */
  readonly position: Position;
  /** By verdict, or by error code where the replay was refused. */
  readonly counts: Readonly<Record<string, number>>;
  readonly unmatched: readonly UnmatchedJob[];
  readonly unmatchedTotal: number;
  /** Whether each match among them is one that may stand as proof. */
  readonly authoritative: boolean;
}

/** What a replay of one job by itself comes to. */
export type Decided =
  | { readonly match: 'MATCH' | 'MATCH_WITH_ERASED_INPUTS'; readonly authoritative: boolean }
  | { readonly unmatched: UnmatchedJob };

export interface SweepHost {
  /**
   * Replays a job by itself, and records the replay where it is no match, or proves what is listed as not replayable.
   * @param again whether a job that still runs is decided too; otherwise null is answered for it
   */
  decide(jobId: string, again: boolean): Promise<Decided | null>;
  /** @param sound what another can go on from: the ranges before the first job that still runs, and no others */
  onProgress(state: SweepState, sound: SweepState): void;
}

export interface SweepOptions {
  readonly jobs: SweptJobs;
  /** Jobs whose first event lies in (after, to]. */
  readonly after: Position;
  readonly to: Position;
  readonly workers: readonly RangeWorker[];
  readonly host: SweepHost;
  readonly signal: AbortSignal;
}

interface UnderWay {
  readonly page: JobsPage;
  readonly outcome: Promise<RangeOutcome>;
}

/**
 * Replays the jobs of a part of the log, in ranges that several workers replay at once and that are counted in the order of
 * the log. What a range leaves open is replayed by itself, one job after another; a job that still runs is looked at once
 * more at the end. At most two ranges for each place of a worker are in memory.
 * @returns the state at the end, or where the signal stopped it
 */
export async function sweep(options: SweepOptions): Promise<SweepState> {
  const { jobs, after, to, workers, signal } = options;
  const counted = new Counted(after, options.host);
  const underWay: UnderWay[] = [];
  const most = 2 * workers.reduce((sum, { depth }) => sum + depth, 0);
  const free = new FreePlaces(workers);
  try {
    for await (const page of jobs.pages(after, to)) {
      if (signal.aborted) break;
      while (underWay.length >= most) await counted.take(underWay.shift()!, signal);
      const outcome = free.run((worker) => replayed(worker, page), signal);
      // Who waits for it comes later; that it failed is seen there.
      outcome.catch(() => undefined);
      underWay.push({ page, outcome });
    }
    while (underWay.length > 0 && !signal.aborted) await counted.take(underWay.shift()!, signal);
    await counted.endRunning(signal);
  } finally {
    await Promise.allSettled(underWay.map(({ outcome }) => outcome));
  }
  return counted.now;
}

/** The thread that replays has no spans of its own: what it takes is seen here, with what it waits for. */
function replayed(worker: RangeWorker, { places, upTo }: JobsPage): Promise<RangeOutcome> {
  const attributes = { 'mace.job.count': places.length, 'mace.position': upTo };
  return traced(
    () => ({ name: 'replay range', attributes }),
    () => worker.replay(places.map(({ job_id }) => job_id)),
  );
}

const STOPPED: RangeOutcome = { match: 0, erased: [], open: [] };

/** Gives each range to whichever worker has a place first. */
class FreePlaces {
  private readonly free: RangeWorker[];
  private readonly waiting: ((worker: RangeWorker) => void)[] = [];

  constructor(workers: readonly RangeWorker[]) {
    this.free = workers.flatMap((worker) => Array.from({ length: worker.depth }, () => worker));
  }

  async run(work: (worker: RangeWorker) => Promise<RangeOutcome>, signal: AbortSignal): Promise<RangeOutcome> {
    const worker = this.free.shift() ?? (await new Promise<RangeWorker>((give) => this.waiting.push(give)));
    try {
      return signal.aborted ? STOPPED : await work(worker);
    } finally {
      const next = this.waiting.shift();
      if (next) next(worker);
      else this.free.push(worker);
    }
  }
}

/** What the ranges so far came to. */
class Counted {
  private running: JobPlace[] = [];
  private state: SweepState;
  /** As of the last time that no job was left to be looked at again: it counts no job behind its position. */
  private sound: SweepState;

  constructor(
    after: Position,
    private readonly host: SweepHost,
  ) {
    this.state = { processed: 0, position: after, counts: {}, unmatched: [], unmatchedTotal: 0, authoritative: true };
    this.sound = this.state;
  }

  /** Who goes on from its position meets the jobs again that still ran. */
  get now(): SweepState {
    return { ...this.state, position: this.sound.position };
  }

  /** A range counts once each job of it was decided: one that a stop cuts short does not count at all. */
  async take({ page: { places, upTo }, outcome }: UnderWay, signal: AbortSignal): Promise<void> {
    const { match, erased, open } = await outcome;
    const decided: Decided[] = [];
    const running: JobPlace[] = [];
    for (const place of places.filter(({ job_id }) => open.includes(job_id))) {
      if (signal.aborted) return;
      const one = await this.host.decide(place.job_id, false);
      if (one) decided.push(one);
      else running.push(place);
    }
    if (signal.aborted) return;
    this.running.push(...running);
    this.add('MATCH', match);
    this.add('MATCH_WITH_ERASED_INPUTS', erased.length);
    for (const one of decided) this.count(one);
    this.state = { ...this.state, position: upTo };
    this.tell();
  }

  async endRunning(signal: AbortSignal): Promise<void> {
    while (this.running.length > 0 && !signal.aborted) {
      this.count((await this.host.decide(this.running[0]!.job_id, true))!);
      this.running = this.running.slice(1);
      this.tell();
    }
  }

  private tell(): void {
    if (this.running.length === 0) this.sound = this.state;
    this.host.onProgress(this.now, this.sound);
  }

  private count(decided: Decided): void {
    if ('match' in decided) {
      this.state = { ...this.state, authoritative: this.state.authoritative && decided.authoritative };
      return this.add(decided.match, 1);
    }
    const { unmatched } = decided;
    this.add(unmatched.verdict ?? unmatched.error_code, 1);
    const { unmatched: before, unmatchedTotal } = this.state;
    const listed = before.length < LISTED_JOBS ? [...before, unmatched] : before;
    this.state = { ...this.state, unmatched: listed, unmatchedTotal: unmatchedTotal + 1 };
  }

  private add(name: string, jobs: number): void {
    if (jobs === 0) return;
    const { counts, processed } = this.state;
    this.state = {
      ...this.state,
      processed: processed + jobs,
      counts: { ...counts, [name]: (counts[name] ?? 0) + jobs },
    };
  }
}
