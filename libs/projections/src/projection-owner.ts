import { type EventStore } from '#lib/event-store';
import { type Generation, type ReadStore } from '#lib/read-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { firstName, liveName } from './domain/rebuild.js';
import { type ParkedFacts } from './domain/parking.js';
import { FencedError, type PoisonEventError } from './errors.js';
import { GenerationWriter } from './generation-writer.js';
import { awaitTurn, Heartbeat, type LeaseOptions } from './lease.js';
import { liveGeneration, Ownership } from './ownership.js';
import { ParkingDesk } from './parking-desk.js';
import { type Decode, type Projection } from './projection.js';
import { type ProjectionRecord } from './projection-record.js';
import { RebuildDesk } from './rebuild-desk.js';
import { type PersistedStatus } from './status.js';

export interface OwnerOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly decode: Decode;
  /** What was decided about generations and parked events; without it there are no decisions. */
  readonly record?: Pick<ProjectionRecord, 'of' | 'ended' | 'parked'>;
  /** Where other processes may own the projection too; without it whoever starts last takes it over at once. */
  readonly lease?: LeaseOptions;
  /** Told of each failed attempt at a rebuild, which is made again. */
  readonly onRebuildFault?: (projection: string, error: unknown) => void;
  /** Told of each event that is set aside, which is on record by then. */
  readonly onParked?: (error: PoisonEventError) => void;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
}

/** What an owner tells the runner that it serves. */
export interface OwnerEvents {
  /** Another process owns the projection; this one waits for it. */
  readonly onStandby: () => void;
  /** Something was decided, or the ownership is lost: the attempt under way is to end. */
  readonly onInterrupt: () => void;
}

/** One process's claim on a projection: the lease, the live generation's pen, and what is to be done about generations. */
export class ProjectionOwner {
  private readonly desk: RebuildDesk | undefined;
  private readonly parking: ParkingDesk | undefined;
  private ownership: Ownership | undefined;
  private heartbeat: Heartbeat | undefined;
  private held: GenerationWriter | undefined;
  private followed: ProjectionDecisions | undefined;
  /** Two who write one generation would fence each other: they take turns. */
  private turns: Promise<unknown> = Promise.resolve();
  private looking: Promise<void> | undefined;
  private isLost = false;

  constructor(
    private readonly projection: Projection,
    private readonly options: OwnerOptions,
    private readonly stopping: AbortSignal,
    private readonly told: OwnerEvents,
  ) {
    const { record, onRebuildFault } = options;
    if (!record) return;
    const onFault = (error: unknown): void => onRebuildFault?.(projection.name, error);
    const { events, documents, decode, firstRetryMs, maxRetryMs } = options;
    this.parking = new ParkingDesk(projection, { events, decode, record, onParked: options.onParked });
    this.desk = new RebuildDesk(projection, { events, documents, decode, record, firstRetryMs, maxRetryMs, onFault });
  }

  /** Of the live generation; undefined where it is not owned. */
  get pen(): GenerationWriter | undefined {
    return this.held;
  }

  /**
   * Waits until the projection is this process's, and claims the generation that was decided on; after a fault finds out
   * where it stands.
   * @throws FencedError, PoisonEventError, the stop's reason, and what the stores throw
   */
  async takeOver(): Promise<GenerationWriter> {
    if (this.isLost) await this.lose();
    if (!this.ownership) await this.acquire();
    const generation = await this.inTurn(() => this.goLive());
    if (this.held?.generation.name === generation.name) {
      await this.held.recover();
    } else {
      await this.options.documents.prepare(generation, this.projection.collections);
      this.held = await GenerationWriter.claim(this.options.documents, generation);
    }
    if (this.parking && this.followed)
      this.followed = await this.parking.settle(this.held, this.followed, this.stopping);
    return this.held;
  }

  /** Of what is parked by now; none before the first `takeOver`, or where nothing is on record. */
  get parked(): readonly ParkedFacts[] {
    return this.followed?.parked ?? [];
  }

  /**
   * Sets an event aside, where this process still owns the projection; false where that cannot be.
   * @throws FencedError, and what the stores throw
   */
  async park(error: PoisonEventError): Promise<boolean> {
    if (!this.parking || !this.ownership) return false;
    await this.ownership.beat();
    return this.parking.park(error);
  }

  /** Keeps how the projection is beside the name of its live generation. */
  tell(status: PersistedStatus): void {
    // Who is fenced has nothing to say any more, and a store that is away is met by whoever writes documents.
    this.ownership?.tell(status).catch(() => undefined);
  }

  /** Does what was decided meanwhile; settles when that is under way. */
  async lookAgain(): Promise<void> {
    if (!this.ownership || this.stopping.aborted) return;
    await this.inTurn(() => this.approach());
    this.told.onInterrupt();
  }

  /** Another owns it now; the next `takeOver` waits for a turn. */
  async lose(): Promise<void> {
    this.isLost = false;
    this.ownership = undefined;
    this.held = undefined;
    await this.heartbeat?.end();
    await this.looking;
    await this.desk?.stop();
  }

  /** After the stop: nothing is written any more, and who waits need not wait longer. */
  async end(): Promise<void> {
    await this.heartbeat?.end();
    await this.looking;
    await this.turns;
    await this.desk?.stop();
    // Who is no owner any more has nothing to give up; a store that is away is found silent by who waits.
    await this.ownership?.release().catch(() => undefined);
  }

  /** From then on queries have somewhere to look, whoever owns the projection. */
  async prepare(): Promise<void> {
    const { documents } = this.options;
    await documents.prepare(await liveGeneration(documents, this.projection), this.projection.collections);
  }

  private async acquire(): Promise<void> {
    const { documents, lease } = this.options;
    // First of all: the turn may take long to come.
    await this.prepare();
    if (!lease) {
      this.ownership = await Ownership.take(documents, this.projection, null);
      return;
    }
    this.told.onStandby();
    await awaitTurn(documents, this.projection, lease, this.stopping);
    this.ownership = await Ownership.take(documents, this.projection, lease.holder);
    this.heartbeat = new Heartbeat(
      lease.durationMs / 4,
      () => this.beat(),
      (error) => this.beatFailed(error),
    );
  }

  /** Also looks whether another process decided something; what is to be copied then may take longer than a lease. */
  private async beat(): Promise<void> {
    await this.ownership?.beat();
    this.looking ??= this.lookForDecisions()
      .catch((error: unknown) => this.beatFailed(error))
      .finally(() => (this.looking = undefined));
  }

  private async lookForDecisions(): Promise<void> {
    if (this.desk && this.followed && (await this.desk.decisions()) !== this.followed) await this.lookAgain();
  }

  private beatFailed(error: unknown): void {
    // Any other fault is the stores', which the runner meets and tells by itself.
    if (!(error instanceof FencedError)) return;
    this.isLost = true;
    this.told.onInterrupt();
  }

  private async goLive(): Promise<Generation> {
    const { projection, desk } = this;
    const ownership = this.ownership!;
    if (!desk) return ownership.live ?? { projection: projection.name, name: firstName(projection.version) };
    const decisions = await desk.decisions();
    // The swap fences the pen of the generation that was live until then.
    if (liveName(decisions, projection.version) !== ownership.live?.name) this.held = undefined;
    const generation = await desk.swap(ownership, decisions, this.stopping);
    await desk.follow(decisions);
    this.followed = decisions;
    return generation;
  }

  /** Copies most of what a swap has to copy while the live generation goes on. */
  private async approach(): Promise<void> {
    const { desk, ownership, projection } = this;
    if (!desk || !ownership?.live) return;
    try {
      const target = liveName(await desk.decisions(), projection.version);
      if (target === ownership.live.name) return;
      await desk.approach({ projection: projection.name, name: target }, ownership.live, this.stopping);
    } catch (error) {
      // The swap itself meets the same fault, and deals with it.
      this.options.onRebuildFault?.(projection.name, error);
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.turns.then(work);
    this.turns = turn.catch(() => undefined);
    return turn;
  }
}
