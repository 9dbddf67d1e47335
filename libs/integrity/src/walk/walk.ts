import { placesAfter } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { type Fault, LISTED_FAULTS } from '../domain/fault.js';
import type { WalkCounts } from '../domain/integrity.events.js';
import { TreeEdge } from '../range/leaves.js';
import type { ArtifactRef, JobPlace, Range, RangeReport } from '../range/range-report.js';
import { clockStep, keepFirst, linkFault } from '../range/range-verifier.js';
import type { IntegrityRules } from '../range/rules.js';
import { type ChainEnds, NO_EVENTS } from './chain-ends.js';
import type { WalkState } from './walk-state.js';

/** Checks ranges, one after another, in this thread or another. */
export interface RangeWorker {
  /** How many ranges it takes at once: a thread of its own should never wait for the next. */
  readonly depth: number;
  verify(range: Range): Promise<RangeReport>;
}

/** What a range names that lies outside the log, or needs what only its owner has. */
export interface Looks {
  readonly openLogs: readonly JobPlace[];
  readonly snapshots: readonly string[];
  readonly artifacts: readonly ArtifactRef[];
}

/** Whom the walk asks and tells. */
export interface WalkHost {
  /** What is wrong with these; each of them is looked at every time. */
  look(looks: Looks): Promise<readonly Fault[]>;
  onProgress(state: WalkState): void;
  onFaults(faults: readonly Fault[]): void;
  /**
   * Takes out of use what faults are of that are beyond those recorded one by one: for each job and snapshot its first in
   * a range. Absent: nothing is.
   */
  withdraw?(faults: readonly Fault[]): Promise<void>;
}

/** Where a walk's place is kept. */
export interface WalkPlace extends ChainEnds {
  checkpoint(state: WalkState, faults: readonly Fault[]): void;
}

export interface WalkOptions {
  readonly rules: IntegrityRules;
  readonly workers: readonly RangeWorker[];
  readonly place: WalkPlace;
  readonly host: WalkHost;
  /** Most events a second; no limit where absent. */
  readonly maxRate?: number;
  /** Default RANGE. */
  readonly rangeSize?: number;
  readonly signal?: AbortSignal;
}

/** Positions that one range spans. Part of the digest: another number makes another digest of the same log; a power of two, as a whole range is a subtree. */
export const RANGE = 8192;
/** Ranges between two checkpoints: what a kill costs, a second or two. */
const CHECKPOINT_EVERY = 8;
/** Faults that one walk records one by one; beyond that it counts. */
export const MAX_RECORDED = 1000;

interface UnderWay {
  readonly range: Range;
  readonly report: Promise<RangeReport>;
}

/**
 * Walks the log from a state to its end, in ranges that are checked at once by several workers and joined in the order
 * of the log: what each range says of the beginning of a stream's part must follow on where the ranges before left it.
 * @returns the state at the end, or where the signal stopped it
 */
export async function walk(from: WalkState, options: WalkOptions): Promise<WalkState> {
  const { workers, signal, rangeSize = RANGE } = options;
  const joined = new Joined(from, options);
  const underWay: UnderWay[] = [];
  const busy = new Map<RangeWorker, number>(workers.map((worker) => [worker, 0]));
  const mostAhead = 2 * workers.reduce((sum, { depth }) => sum + depth, 0);
  const pace = new Pace(options.maxRate);
  let next = from.position;
  let hasEnded = false;
  const give = (worker: RangeWorker): void => {
    const to = Math.min(from.to, next - (next % rangeSize) + rangeSize);
    const range = { after: next, to };
    next = to;
    busy.set(worker, busy.get(worker)! + 1);
    const report = worker.verify(range).finally(() => {
      busy.set(worker, busy.get(worker)! - 1);
      // Whoever is done goes on at once, whether or not what stands before its range is joined yet.
      giveAll();
    });
    // Who waits for it comes later; that it failed is seen there.
    report.catch(() => undefined);
    underWay.push({ range, report });
  };
  const giveAll = (): void => {
    if (signal?.aborted || hasEnded) return;
    for (const worker of workers)
      while (next < from.to && busy.get(worker)! < worker.depth && underWay.length < mostAhead) give(worker);
  };
  try {
    while (!signal?.aborted) {
      giveAll();
      const first = underWay.shift();
      if (!first) break;
      await joined.take(await first.report);
      await pace.after(first.range.to - first.range.after, signal);
    }
  } finally {
    hasEnded = true;
  }
  await Promise.allSettled(underWay.map(({ report }) => report));
  return joined.end();
}

/** The walk's state as ranges are joined to it. */
class Joined {
  private state: WalkState;
  private found: Fault[] = [];
  private readonly looks: Promise<readonly Fault[]>[] = [];
  private withdrawing: Promise<void> = Promise.resolve();
  private sinceCheckpoint = 0;
  private timesListed: number;

  constructor(
    from: WalkState,
    private readonly options: WalkOptions,
  ) {
    this.state = from;
    this.timesListed = Math.min(LISTED_FAULTS, from.counts.times_out_of_order);
  }

  async take(report: RangeReport): Promise<void> {
    const { faults: linked, times } = this.join(report);
    const faults = [...report.faults, ...linked];
    const { openLogs, snapshots, artifacts } = report;
    if (openLogs.length + snapshots.length + artifacts.length > 0)
      this.looks.push(this.options.host.look({ openLogs, snapshots, artifacts }));
    this.state = {
      ...this.state,
      position: report.range.to,
      digest: sha256Hex(this.state.digest + report.digest),
      ...this.grown(report),
      places: this.state.places === null ? null : placesAfter(this.state.places, report.places),
      counts: this.counted(report, times.length),
    };
    this.note(faults);
    this.noteTimes([...report.times, ...times]);
    this.state = { ...this.state, faults: this.state.faults + report.moreFaults };
    this.withdraw(report.unlisted);
    if (++this.sinceCheckpoint >= CHECKPOINT_EVERY) await this.checkpoint();
    this.options.host.onProgress(this.state);
  }

  async end(): Promise<WalkState> {
    await this.checkpoint();
    this.options.host.onProgress(this.state);
    return this.state;
  }

  /** What was asked about the ranges so far belongs to their place: a walk that goes on does not ask again. */
  private async checkpoint(): Promise<void> {
    for (const look of this.looks.splice(0)) this.note(await look);
    await this.withdrawing;
    this.options.place.checkpoint(this.state, this.found);
    this.found = [];
    this.sinceCheckpoint = 0;
  }

  private note(faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    const room = Math.max(0, MAX_RECORDED - this.state.recorded);
    const told = faults.slice(0, room);
    const { recorded, faults: before } = this.state;
    this.state = { ...this.state, faults: before + faults.length, recorded: recorded + told.length };
    this.found.push(...told);
    if (told.length > 0) this.options.host.onFaults(told);
    const kept = new Map<string, Fault>();
    for (const fault of faults.slice(room)) keepFirst(kept, fault, this.options.rules);
    this.withdraw([...kept.values()]);
  }

  /** Found and no damage: told beside the faults, and kept with them for a walk that goes on. */
  private noteTimes(times: readonly Fault[]): void {
    const told = times.slice(0, Math.max(0, LISTED_FAULTS - this.timesListed));
    if (told.length === 0) return;
    this.timesListed += told.length;
    this.found.push(...told);
    this.options.host.onFaults(told);
  }

  private withdraw(faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    this.withdrawing = this.withdrawing.then(() => this.options.host.withdraw?.(faults));
    // Whoever keeps the walk's place waits for it; that it failed is seen there.
    this.withdrawing.catch(() => undefined);
  }

  private join({ streams }: RangeReport): { readonly faults: Fault[]; readonly times: Fault[] } {
    const { place, rules } = this.options;
    const faults: Fault[] = [];
    const times: Fault[] = [];
    for (const { stream, first, prevHash, version, hash, recorded } of streams) {
      const before = place.get(stream) ?? NO_EVENTS;
      const { revision, position, type } = first;
      const found = linkFault({ stream, revision, type, prevHash }, before, rules);
      if (found) faults.push({ detector: found.detector, stream, revision, position, reason: found.reason });
      if (before === NO_EVENTS) this.begun(stream);
      place.set(stream, { version, hash, recordedAt: recorded?.last ?? before.recordedAt });
      const back = recorded && before.recordedAt !== null ? clockStep(recorded.first.at, before.recordedAt) : null;
      if (recorded && back !== null) {
        const { revision, position } = recorded.first;
        times.push({ detector: 'time', stream, revision, position, reason: back });
      }
    }
    return { faults, times };
  }

  /** The tree with the leaves of a range: a whole one is a node of it, what is left at the end is the last part. */
  private grown({ range, events, root }: RangeReport): Pick<WalkState, 'tree' | 'root'> {
    const { tree } = this.state;
    const size = range.to - range.after;
    if (tree === null || root === null || events !== size) return { tree: null, root: null };
    const edge = TreeEdge.of(tree);
    const part = Buffer.from(root, 'hex');
    const isWhole = size === (this.options.rangeSize ?? RANGE);
    if (isWhole) edge.add(part);
    const isLast = range.to === this.state.to;
    return { tree: edge.nodes(), root: isLast ? edge.root(isWhole ? null : part).toString('hex') : null };
  }

  private begun(stream: string): void {
    const { counts } = this.state;
    const isJob = stream.startsWith(this.options.rules.jobs.prefix);
    this.state = {
      ...this.state,
      counts: { ...counts, streams: counts.streams + 1, jobs: counts.jobs + (isJob ? 1 : 0) },
    };
  }

  private counted(report: RangeReport, joinedTimes: number): WalkCounts {
    const { counts } = this.state;
    return {
      ...counts,
      events: counts.events + report.events,
      sealed_jobs: counts.sealed_jobs + report.sealedJobs,
      snapshots: counts.snapshots + report.snapshots.length,
      artifacts: counts.artifacts + report.artifacts.length,
      references: counts.references + report.references,
      erased_references: counts.erased_references + report.erasedReferences,
      unchecked_references: counts.unchecked_references + report.uncheckedReferences,
      times_out_of_order: counts.times_out_of_order + report.timesFound + joinedTimes,
    };
  }
}

/** Holds a walk to a rate by waiting after each range for what it was too early. */
class Pace {
  private readonly started = performance.now();
  private events = 0;

  constructor(private readonly maxRate: number | undefined) {}

  async after(events: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.maxRate === undefined) return;
    this.events += events;
    const due = this.started + (this.events / this.maxRate) * 1000;
    const early = due - performance.now();
    if (early > 0) await waited(early, signal);
  }
}

function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done) => {
    // Broken off before it listened, it would be told of nothing.
    if (signal?.aborted) return done();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
