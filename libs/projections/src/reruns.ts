import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventStore, StoreUnavailableError } from '#lib/event-store';
import { type JsonObject, MaceError, type Provenance, refuseOtherBody, sha256Hex } from '#lib/kernel';
import { type ReadStore, SqliteReadStore } from '#lib/read-store';
import { type RerunFacts } from './domain/rerun.js';
import { type RerunBegun, type RerunEnded, type RerunRange, type RerunVerdict } from './domain/rerun.events.js';
import { projectionNamed } from './named.js';
import { comparePositions } from './positions.js';
import { type Decode, type Projection } from './projection.js';
import { rerun } from './rerun.js';
import { type RerunResult } from './rerun-options.js';
import { type RerunProgress } from './rerun-progress.js';
import { type RerunRecord } from './rerun-record.js';
import { type ToldWork, type WorkUnderWay } from './work-under-way.js';

/** What is asked for: positions, or a stream and its first revision, 0 where absent. */
export interface RerunOrder {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly stream?: string | undefined;
  readonly from_revision?: number | undefined;
}

export interface RerunView {
  readonly rerun_id: string;
  readonly projection: string;
  /** interrupted: its process ended before it did; the same request again runs it anew. */
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  /** Null before anything was written. */
  readonly progress: RerunProgress | null;
  /** Events that the projection read; of the range alone once it is done. */
  readonly processed: number;
  /** Of the documents that were made again, and of the live ones; null before the end, and where there is none. */
  readonly digest: string | null;
  readonly live_digest: string | null;
  /** Null unless it is done. */
  readonly verdict: RerunVerdict | null;
  readonly result: RerunResult | null;
  /** Why it failed; null unless it did. */
  readonly reason: string | null;
}

export interface RerunsOptions {
  readonly projections: readonly Projection[];
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly decode: Decode;
  readonly record: RerunRecord;
  /** Where other processes on the same log see what is rerun here, and this one what they rerun. */
  readonly underWay: WorkUnderWay;
  /** Where scratch places are made, each in a folder of its own; what an earlier process left there is removed. */
  readonly scratchRoot: string;
  readonly onTrouble: (error: unknown) => void;
}

interface Running {
  view: RerunView;
  readonly requestDigest: string | undefined;
  done: Promise<void>;
}

/** Each reads the log from its beginning and has a file of its own. */
const MOST_AT_ONCE = 4;
const ID = /^rr-[0-9a-f]{32}$/;
const MAX_REASON = 500;

/** Reruns of projections into scratch places, as resources with progress that every process sees. */
export class Reruns {
  private readonly running = new Map<string, Running>();
  private readonly stopper = new AbortController();

  constructor(private readonly options: RerunsOptions) {
    rmSync(options.scratchRoot, { recursive: true, force: true });
  }

  /**
   * Begins a rerun under an id that follows from the command's seed: the same request again is the same rerun, and runs
   * it anew where its process ended before it did.
   * @throws MaceError NOT_FOUND, INVALID_INPUT, CONFLICT where too many run, IDEMPOTENCY_KEY_REUSED for another request
   * under the same seed; StoreUnavailableError
   */
  async begin(name: string, order: RerunOrder, provenance: Provenance): Promise<RerunView> {
    const { projections, record } = this.options;
    const projection = projectionNamed(projections, name);
    const rerun_id = `rr-${sha256Hex(`${provenance.jobSeed}:rerun`).slice(0, 32)}`;
    const known = await record.find(rerun_id);
    if (known) {
      refuseOtherBody(known.request_digest, provenance);
      const view = await this.get(name, rerun_id);
      if (view.state !== 'interrupted' || this.stopper.signal.aborted) return view;
    }
    const begun = { projection: name, rerun_id, ...(known ? rangeOf(known) : await this.checked(order)) };
    const here = this.running.get(rerun_id);
    if (here) {
      refuseOtherBody(here.requestDigest, provenance);
      return here.view;
    }
    return this.start(projection, begun, provenance);
  }

  /** @throws MaceError NOT_FOUND; what the stores throw */
  async get(name: string, rerunId: string): Promise<RerunView> {
    const here = this.running.get(rerunId)?.view;
    const facts = ID.test(rerunId) ? await this.options.record.find(rerunId) : null;
    if (facts?.projection !== name)
      throw new MaceError('NOT_FOUND', `no rerun ${rerunId.slice(0, 60)} of ${name.slice(0, 60)}`);
    if (facts.ended) return viewOf(facts);
    if (here) return here;
    const told = await this.options.underWay.elsewhere(rerunId);
    if (told) return told as unknown as RerunView;
    // It may have ended between the two looks.
    return viewOf((await this.options.record.find(rerunId)) ?? facts);
  }

  /** Ends what runs; scratch places are dropped, and whoever asks again has it run anew. */
  async stop(): Promise<void> {
    this.stopper.abort();
    while (this.running.size > 0) await Promise.allSettled([...this.running.values()].map(({ done }) => done));
  }

  private async checked({ from, to, stream, from_revision }: RerunOrder): Promise<RerunRange> {
    const { events } = this.options;
    if (stream === undefined) {
      if (from_revision !== undefined)
        throw new MaceError(
          'INVALID_INPUT',
          'from_revision: goes with `stream`; a range of the log has `from` and `to`',
        );
      await this.checkPositions(from, to);
      return { from: from ?? null, to: to ?? null, stream: null, from_revision: null };
    }
    if (from !== undefined || to !== undefined)
      throw new MaceError('INVALID_INPUT', 'stream: goes with `from_revision`, and not with `from` or `to`');
    const version = await events.streamVersion(stream);
    if (version === 0) throw new MaceError('NOT_FOUND', `no stream "${stream.slice(0, 120)}"`);
    if (from_revision !== undefined && from_revision >= version)
      throw new MaceError('INVALID_INPUT', `from_revision: 0 to the last event's revision, which is ${version - 1}`);
    return { from: null, to: null, stream, from_revision: from_revision ?? 0 };
  }

  private async checkPositions(from: string | undefined, to: string | undefined): Promise<void> {
    const head = await this.options.events.head();
    for (const [name, position] of Object.entries({ from, to })) {
      if (position !== undefined && comparePositions(position, head) > 0)
        throw new MaceError('INVALID_INPUT', `${name}: a position up to the last event's, which is ${head}`);
    }
    if (from !== undefined && to !== undefined && comparePositions(from, to) > 0)
      throw new MaceError('INVALID_INPUT', 'from: not after `to`');
  }

  /** Settles once it is on record and the other processes can know of it. */
  private async start(projection: Projection, begun: RerunBegun, provenance: Provenance): Promise<RerunView> {
    const { record } = this.options;
    const { rerun_id } = begun;
    if (this.stopper.signal.aborted) throw new StoreUnavailableError('the process ends');
    if (this.running.size >= MOST_AT_ONCE)
      throw new MaceError('CONFLICT', `${MOST_AT_ONCE} reruns run in this process; wait until one has ended`);
    const running: Running = {
      view: blank(begun, 'running'),
      requestDigest: provenance.requestDigest,
      done: Promise.resolve(),
    };
    this.running.set(rerun_id, running);
    const beginning = record.begun(begun, provenance).then(() => this.told(running));
    // Whoever stops waits for this too.
    running.done = beginning.then(
      () => undefined,
      () => undefined,
    );
    let told: ToldWork | undefined;
    try {
      told = await beginning;
    } catch (error) {
      this.running.delete(rerun_id);
      throw error;
    }
    running.done = this.run(projection, begun, running).finally(async () => {
      await told?.end().catch(this.options.onTrouble);
      this.running.delete(rerun_id);
    });
    return running.view;
  }

  /** A rerun of which the others cannot be told goes on: they say that it was interrupted. */
  private async told(running: Running): Promise<ToldWork | undefined> {
    const { underWay, onTrouble } = this.options;
    try {
      return await underWay.begin(running.view.rerun_id, () => running.view as unknown as JsonObject);
    } catch (error) {
      onTrouble(error);
      return undefined;
    }
  }

  private async run(projection: Projection, begun: RerunBegun, running: Running): Promise<void> {
    const { record, onTrouble } = this.options;
    const { rerun_id } = begun;
    try {
      const facts = (await record.find(rerun_id))!;
      const came = await this.outcome(projection, begun, running);
      await record.ended({ projection: projection.name, rerun_id, requested_by: facts.requested_by, ...came });
    } catch (error) {
      // Without its end on record it counts as interrupted.
      if (!this.stopper.signal.aborted) onTrouble(error);
    }
  }

  /** @throws the stop's reason; what the scratch place throws when it is made */
  private async outcome(
    projection: Projection,
    { rerun_id, from, to, stream, from_revision }: RerunBegun,
    running: Running,
  ): Promise<Pick<RerunEnded, 'verdict' | 'result' | 'progress' | 'reason'>> {
    const { events, documents, decode, scratchRoot } = this.options;
    const { signal } = this.stopper;
    const folder = join(scratchRoot, rerun_id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A file of its own: the live one neither grows nor waits.
    const scratch = await SqliteReadStore.open({ folder, disposable: true });
    try {
      const result = await rerun(projection, {
        events,
        documents,
        decode,
        scratch,
        ...(from === null ? {} : { from }),
        ...(to === null ? {} : { to }),
        ...(stream === null ? {} : { stream: { name: stream, fromRevision: from_revision ?? 0 } }),
        signal,
        onProgress: (progress) => (running.view = { ...running.view, progress, processed: progress.events }),
      });
      const verdict = !result.comparable ? 'NOT_COMPARABLE' : result.equal ? 'MATCH' : 'MISMATCH';
      return { verdict, result: result as unknown as JsonObject, progress: progressOf(running), reason: null };
    } catch (error) {
      signal.throwIfAborted();
      const reason = (error instanceof Error ? error.message : 'unknown').slice(0, MAX_REASON);
      return { verdict: null, result: null, progress: progressOf(running), reason };
    } finally {
      await scratch.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function progressOf({ view }: Running): JsonObject | null {
  return view.progress && { ...view.progress };
}

function rangeOf({ from, to, stream, from_revision }: RerunRange): RerunRange {
  return { from, to, stream, from_revision };
}

function blank({ rerun_id, projection }: RerunBegun, state: RerunView['state']): RerunView {
  const nothing = { digest: null, live_digest: null, verdict: null, result: null, reason: null };
  return { rerun_id, projection, state, progress: null, processed: 0, ...nothing };
}

/** Of one that does not run. */
function viewOf(facts: RerunFacts): RerunView {
  if (!facts.ended) return blank(facts, 'interrupted');
  const { verdict, reason } = facts.ended;
  const result = facts.ended.result as unknown as RerunResult | null;
  return {
    ...blank(facts, result ? 'done' : 'failed'),
    progress: facts.ended.progress as unknown as RerunProgress | null,
    processed: result?.processed ?? 0,
    digest: result?.scratch_digest ?? null,
    live_digest: result?.live_digest ?? null,
    verdict,
    result,
    reason,
  };
}
