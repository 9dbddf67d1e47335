import type { EventLog, LoggedEvent } from '#lib/event-store';
import type { ProjectionHost, ReadModel } from '#lib/projections';

import type { SignedEvents } from './ports.js';
import { tickEventsProjection } from './read-models/tick-events.projection.js';

/** Finds events through the projection of their places, and reads them from their verified streams. */
export class ProjectedSignedEvents implements SignedEvents {
  constructor(
    private readonly model: ReadModel,
    private readonly host: ProjectionHost,
    private readonly log: EventLog,
  ) {}

  async find(eventId: string): Promise<LoggedEvent | null> {
    const stream = (await this.placeOf(eventId)) ?? (await this.placeWhenCurrent(eventId));
    if (stream === null) return null;
    const { events } = await this.log.load(stream);
    const event = events.find(({ metadata }) => metadata.event_id === eventId);
    return event ? this.log.codec.reveal(event) : null;
  }

  /** One just appended is waited for. */
  private async placeWhenCurrent(eventId: string): Promise<string | null> {
    await this.host.waitFor(await this.log.store.head(), [tickEventsProjection.name]);
    return this.placeOf(eventId);
  }

  private async placeOf(eventId: string): Promise<string | null> {
    const document = await this.model.get('places', eventId);
    return document ? (document.body['stream'] as string) : null;
  }
}
