import { setTimeout as sleep } from 'node:timers/promises';

import { type EventStore, IntegrityError, LruMap, type Page, positionOf } from '#lib/event-store';
import { reactionSeed, traceId, type Provenance } from '#lib/kernel';
import { type LeaseOptions, type ProjectedEvent, Turn } from '#lib/projections';
import type { Checkpoint, ReadStore } from '#lib/read-store';

import type { SelfrepConstants } from './domain/constants.js';
import { decideOutcomes } from './domain/decide.js';
import { JOB_TYPES, type JobEvent, type JobOutcome, outcomeOf, unseen } from './domain/job-outcomes.js';
import { isBeyond } from './domain/positions.js';
import type { ModuleStreams } from './module-streams.js';
import { signedOf, type SignedReading } from './signed-page.js';

export interface TrustReactorOptions extends SignedReading {
  readonly events: EventStore;
  /** Keeps the checkpoint. */
  readonly documents: ReadStore;
  /** Where other processes may do it too, one at a time; without it whoever starts last takes over at once. */
  readonly lease?: LeaseOptions;
  /** Other processes do it: it never begins. Default false. */
  readonly isElsewhere?: boolean;
  readonly streams: ModuleStreams;
  readonly constants: SelfrepConstants;
  /** Told of each failed attempt, and of null once it goes again. */
  readonly onFault: (error: unknown) => void;
  /** Where events lie now whose positions stand in APT_EVENTs of another store; nowhere else by default. */
  readonly movedPositions?: () => Promise<ReadonlyMap<string, string>>;
  /** How long job events gather before they become trust; default 50. Under load a batch is what came meanwhile. */
  readonly gatherMs?: number;
  /** How long until a module whose stream is not what was signed is looked at again; default 30,000. */
  readonly lookAgainMs?: number;
}

const NAME = 'selfrep-trust';
const GENERATION = { projection: NAME, name: 'reactor' };
const DEFAULT_GATHER_MS = 50;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 30_000;
const PAGE = 2000;
/** So many outcomes fit into one append, also where each changes the status of its module. */
const MOST_AT_ONCE = 250;
const MAX_AUTHORS = 20_000;

/**
 * Turns what happened in jobs into trust: one append a module and batch. At least once by its checkpoint, exactly once by
 * the position that each APT_EVENT holds: how events are batched the second time does not matter. Where the stream of one
 * module is not what was signed, the others go on, and the checkpoint stays: once it is put right, what it lacks is read again.
 */
export class TrustReactor {
  private readonly stopping = new AbortController();
  private readonly authors = new LruMap<string, string>(MAX_AUTHORS);
  private readonly waiting = new Set<{ readonly position: string; readonly done: () => void }>();
  private checkpoint: Checkpoint | undefined;
  private moved: ReadonlyMap<string, string> = new Map();
  /** Modules whose streams are not what was signed: the checkpoint waits for them. */
  private readonly behind = new Set<string>();
  private running: Promise<void> | undefined;
  private faults = 0;

  constructor(private readonly options: TrustReactorOptions) {}

  start(): void {
    if (!this.options.isElsewhere) this.running ??= this.run();
  }

  /** Lets the batch under way end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Settles once every job event up to a position is trust; for tests. @throws Error after `timeoutMs` */
  async waitFor(position: string, timeoutMs = 5000): Promise<void> {
    if (this.checkpoint && !isBeyond(position, this.checkpoint.position)) return;
    await new Promise<void>((resolve, reject) => {
      const late = (): void => {
        this.waiting.delete(entry);
        reject(new Error(`${NAME} is at ${this.checkpoint?.position ?? 'none'}, not at ${position}`));
      };
      const timer = setTimeout(late, timeoutMs);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const entry = { position, done };
      this.waiting.add(entry);
    });
  }

  private async run(): Promise<void> {
    const { documents, lease, onFault } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      let turn: Turn | undefined;
      try {
        turn = lease && (await Turn.await(documents, NAME, lease, signal));
        await documents.prepare(GENERATION, []);
        this.moved = (await this.options.movedPositions?.()) ?? this.moved;
        this.reached(await documents.claim(GENERATION));
        const wasTakenOver = await this.follow(turn ? AbortSignal.any([signal, turn.lost]) : signal);
        if (wasTakenOver && !turn) return;
      } catch (error) {
        if (signal.aborted) return;
        onFault(error);
        await this.pause(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.faults++, 20)));
      } finally {
        await turn?.end();
      }
    }
  }

  /** Until the stop, or until a module is put right. True where another process has taken over. */
  private async follow(signal: AbortSignal): Promise<boolean> {
    this.behind.clear();
    const again = new AbortController();
    const look = (): void => void this.isOnePutRight().then((is) => is && again.abort());
    const timer = setInterval(look, this.options.lookAgainMs ?? MAX_RETRY_MS);
    try {
      return await this.followUntil(AbortSignal.any([signal, again.signal]));
    } finally {
      clearInterval(timer);
    }
  }

  private async isOnePutRight(): Promise<boolean> {
    for (const nodeId of this.behind) {
      const isSound = await this.options.streams.verify(nodeId).then(
        () => true,
        () => false,
      );
      if (isSound) return true;
    }
    return false;
  }

  private async followUntil(signal: AbortSignal): Promise<boolean> {
    const { events, documents, gatherMs = DEFAULT_GATHER_MS } = this.options;
    const after = positionOf(this.checkpoint!.position);
    for await (const item of events.subscribeAll({ after, types: JOB_TYPES, pageSize: PAGE, signal })) {
      if (item.kind !== 'page') {
        this.goes();
        continue;
      }
      const { page } = item;
      await this.take(await this.opened(page));
      const from = this.checkpoint!;
      const to = this.behind.size === 0 ? page.scannedTo : from.position;
      if ((await documents.apply(GENERATION, { changes: [], from, to })) === 'fenced') return true;
      this.reached({ position: to, epoch: from.epoch });
      this.goes();
      // What comes meanwhile is the next page: more jobs a second make larger batches, not more appends.
      if (page.atHead) await this.pause(gatherMs);
    }
    return false;
  }

  private goes(): void {
    if (this.faults > 0) this.options.onFault(null);
    this.faults = 0;
  }

  private async opened(page: Pick<Page, 'events' | 'isOwn'>): Promise<readonly JobEvent[]> {
    return (await signedOf(page, this.options)).map(jobEvent);
  }

  private async take(events: readonly JobEvent[]): Promise<void> {
    const byModule = new Map<string, JobOutcome[]>();
    for (const event of events) {
      const { node_id, outcome } = event.data;
      if (event.type === 'AGENT_OUTPUT' && outcome === 'answer') this.authors.set(event.event_id, node_id as string);
      if (event.type === 'COUNCIL_DECISION') await this.unlessTampered(() => this.findAuthor(event));
      const found = outcomeOf(event, (id) => this.authors.get(id));
      if (!found) continue;
      const outcomes = byModule.get(found.node_id) ?? [];
      if (outcomes.push(found) === 1) byModule.set(found.node_id, outcomes);
    }
    await Promise.all([...byModule].map(([nodeId, outcomes]) => this.appendOrLeave(nodeId, outcomes)));
  }

  private async appendOrLeave(nodeId: string, outcomes: readonly JobOutcome[]): Promise<void> {
    if (this.behind.has(nodeId)) return;
    if (!(await this.unlessTampered(() => this.append(nodeId, outcomes)))) this.behind.add(nodeId);
  }

  /** False where a stream is not what was signed, which is told. */
  private async unlessTampered(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      this.options.onTampered(error, null);
      return false;
    }
  }

  private async append(nodeId: string, outcomes: readonly JobOutcome[]): Promise<void> {
    for (let from = 0; from < outcomes.length; from += MOST_AT_ONCE)
      await this.appendOnce(nodeId, outcomes.slice(from, from + MOST_AT_ONCE));
  }

  private async appendOnce(nodeId: string, outcomes: readonly JobOutcome[]): Promise<void> {
    const { streams, constants } = this.options;
    const through = outcomes.at(-1)!.position;
    const provenance = new LateProvenance(outcomes[0]!);
    await streams.execute(nodeId, provenance, (module) => {
      const fresh = module ? unseen(outcomes, this.moved.get(module.through) ?? module.through) : [];
      if (!module || fresh.length === 0) return [];
      provenance.first = fresh[0]!;
      const incoming = fresh.map((outcome) => outcome.incoming);
      return decideOutcomes(module, incoming, { through }, constants);
    });
  }

  /**
   * An answer that came before this process began stands in the decision's own stream. Where that was cut, it is nobody's:
   * whose trust would have to wait for it is unknown.
   */
  private async findAuthor({ data, stream }: JobEvent): Promise<void> {
    const candidate = data['candidate_event_id'] as string;
    if (this.authors.get(candidate) !== undefined) return;
    const { events } = await this.options.events.readStream(stream);
    const output = events.find(({ id }) => id === candidate);
    const [opened] = await this.opened({ events: output ? [output] : [] });
    if (opened) this.authors.set(candidate, opened.data['node_id'] as string);
  }

  private reached(checkpoint: Checkpoint): void {
    this.checkpoint = checkpoint;
    for (const entry of this.waiting) {
      if (isBeyond(entry.position, checkpoint.position)) continue;
      this.waiting.delete(entry);
      entry.done();
    }
  }

  private async pause(ms: number): Promise<void> {
    // The only way in which this sleep fails is the stop.
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/**
 * Under which a batch is appended: its ids follow from the first job event that the module's trust did not contain yet,
 * and which one that is, is known once the decision is made.
 */
class LateProvenance implements Provenance {
  readonly sequenceIndex = 0;
  readonly actor = { id: 'system', role: 'system' };

  constructor(public first: JobOutcome) {}

  get jobSeed(): string {
    return reactionSeed(NAME, this.first.incoming.event_id);
  }

  get traceId(): string {
    return traceId(this.jobSeed);
  }

  get causationId(): string {
    return this.first.incoming.event_id;
  }
}

function jobEvent({ type, data, stream, position, metadata }: ProjectedEvent): JobEvent {
  const { event_id, timestamp_seeded: timestamp } = metadata;
  return { type, data, stream, position, event_id, timestamp };
}
