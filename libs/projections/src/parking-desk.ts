import { type EventStore } from '#lib/event-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { asidesOf } from './domain/parking.js';
import { PoisonEventError } from './errors.js';
import { type GenerationWriter } from './generation-writer.js';
import { partitionAt } from './partition.js';
import { type Decode, type Projection } from './projection.js';
import { type ProjectionRecord } from './projection-record.js';
import { settle } from './settle.js';

export interface ParkingDeskOptions {
  readonly events: EventStore;
  readonly decode: Decode;
  readonly record: Pick<ProjectionRecord, 'of' | 'parked'>;
  /** Told of each event that is set aside. */
  readonly onParked?: ((error: PoisonEventError) => void) | undefined;
}

/** What was decided about parked events, done by the projection's owner. */
export class ParkingDesk {
  constructor(
    private readonly projection: Projection,
    private readonly options: ParkingDeskOptions,
  ) {}

  /**
   * Brings the live documents to what was decided. An event that is told to be tried again and still cannot be taken is
   * parked again, whatever the policy: it was out of the way before.
   * @returns the decisions that the documents then follow
   * @throws FencedError, and what the stores throw
   */
  async settle(
    writer: GenerationWriter,
    decisions: ProjectionDecisions,
    signal: AbortSignal,
  ): Promise<ProjectionDecisions> {
    const { projection } = this;
    for (let latest = decisions; ;) {
      try {
        await settle(writer, asidesOf(latest.parked), { ...this.options, projection, signal });
        return latest;
      } catch (error) {
        if (!(error instanceof PoisonEventError) || !(await this.park(error))) throw error;
        latest = await this.options.record.of(projection.name);
      }
    }
  }

  /** Puts on record that an event is set aside; false where its partition cannot be told, so that no order could be kept. */
  async park(error: PoisonEventError): Promise<boolean> {
    const { event, reasonClass } = error;
    const partition = await partitionAt(this.projection, this.options, event.position);
    if (partition === null) return false;
    await this.options.record.parked({
      projection: this.projection.name,
      position: event.position,
      event_id: event.id,
      event_type: event.type,
      reason_class: reasonClass,
      partition,
      reason: null,
    });
    this.options.onParked?.(error);
    return true;
  }
}
