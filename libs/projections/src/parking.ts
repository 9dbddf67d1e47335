import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore } from '#lib/event-store';
import { type DomainEvent, MaceError, type Provenance } from '#lib/kernel';
import { type ReadStore } from '#lib/read-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { discard, type HaltedAt, park, type ParkingOrder, replay, skip } from './domain/parking.js';
import { projectionNamed } from './named.js';
import { liveGeneration } from './ownership.js';
import { type LiveParking, parkedView, type ParkedView, parkedViews } from './parked-view.js';
import { partitionAt } from './partition.js';
import { type Decode, type Projection } from './projection.js';
import { type ProjectionHost } from './projection-host.js';
import { type ProjectionRecord } from './projection-record.js';
import { haltedAt, haltIn } from './status.js';

export interface ParkingOptions {
  readonly projections: readonly Projection[];
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly decode: Decode;
  readonly record: ProjectionRecord;
  /** Told of what was decided, where this process owns the projection; others find it for themselves. */
  readonly host: Pick<ProjectionHost, 'lookAgain'>;
  /** How long the owner is waited for before an order is answered as not done yet; default 10,000. */
  readonly waitMs?: number;
}

/** Which event, who says it and why. */
export interface ParkingCommand {
  readonly position: string;
  readonly provenance: Provenance;
  readonly reason: string | null;
}

const POLL_MS = 25;

/** Events that projections cannot take, as operators deal with them; the owner of each does the work (design/stores.md). */
export class Parking {
  constructor(private readonly options: ParkingOptions) {}

  /** Newest position first; with the one at which it has halted. @throws MaceError NOT_FOUND */
  async list(name: string): Promise<readonly ParkedView[]> {
    const projection = this.projection(name);
    return parkedViews(name, await this.options.record.of(name), await this.live(projection));
  }

  /**
   * Sets aside the event at which a projection has halted, with what follows it in its partition.
   * @throws MaceError NOT_FOUND where it has not halted there, CONFLICT where no order could be kept without it
   */
  async park(name: string, command: ParkingCommand): Promise<ParkedView> {
    const projection = this.projection(name);
    const partition = await partitionAt(projection, this.options, command.position);
    return this.order(projection, command, ({ parked }, { halted, position, reason }) => {
      const known = parked.find((one) => one.position === position && one.state !== 'replayed');
      const found = halted?.position === position ? halted : known;
      if (!found) throw new MaceError('NOT_FOUND', `projection ${name} has not halted at position ${position}`);
      if (partition === null)
        throw new MaceError(
          'CONFLICT',
          `the event at position ${position} cannot be read, so that nothing tells what must wait for it; skip it`,
        );
      const { event_id, event_type, reason_class } = found;
      return park(parked, { projection: name, position, event_id, event_type, reason_class, partition, reason });
    });
  }

  /**
   * Applies a parked event and what was held back after it; where a projection has halted, lets it try again.
   * @throws MaceError NOT_FOUND, CONFLICT
   */
  replay(name: string, command: ParkingCommand): Promise<ParkedView> {
    return this.order(this.projection(name), command, ({ parked }, order) => replay(parked, order));
  }

  /** Gives up a parked event and what is held back after it by now. @throws MaceError NOT_FOUND, CONFLICT */
  async discard(name: string, command: ParkingCommand): Promise<ParkedView> {
    const through = await this.options.events.head();
    return this.order(this.projection(name), command, ({ parked }, order) => discard(parked, order, through));
  }

  /** Passes over one event, named by its id too. @throws MaceError NOT_FOUND, CONFLICT where that is another one */
  skip(name: string, eventId: string, command: ParkingCommand): Promise<ParkedView> {
    return this.order(this.projection(name), command, ({ parked }, order) => skip(parked, order, eventId));
  }

  private async order(
    projection: Projection,
    { position, provenance, reason }: ParkingCommand,
    decide: (decisions: ProjectionDecisions, order: ParkingOrder) => readonly DomainEvent[],
  ): Promise<ParkedView> {
    const { name } = projection;
    const halted = await this.haltOf(projection);
    const order = { projection: name, position, reason, seed: provenance.jobSeed, halted };
    await this.options.record.decide(name, provenance, (decisions) => decide(decisions, order));
    void this.options.host.lookAgain(name);
    return this.whenDone(projection, position);
  }

  /** Waits for the owner, which may be another process; what takes longer is answered as not done. */
  private async whenDone(projection: Projection, position: string): Promise<ParkedView> {
    const until = performance.now() + (this.options.waitMs ?? 10_000);
    for (;;) {
      const decisions = await this.options.record.of(projection.name);
      const view = parkedView(projection.name, decisions, await this.live(projection), position);
      if (view.done || performance.now() >= until) return view;
      await sleep(POLL_MS);
    }
  }

  private async live(projection: Projection): Promise<LiveParking> {
    const { documents } = this.options;
    const generation = await liveGeneration(documents, projection);
    const kept = await documents.runnerState(generation);
    return { kept, position: (await documents.checkpoint(generation))?.position ?? null };
  }

  private async haltOf(projection: Projection): Promise<HaltedAt | null> {
    const halt = haltIn((await this.live(projection)).kept);
    return halt && haltedAt(halt);
  }

  private projection(name: string): Projection {
    return projectionNamed(this.options.projections, name);
  }
}
