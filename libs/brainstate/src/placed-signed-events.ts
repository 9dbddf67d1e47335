import type { EventLog, LoggedEvent } from '#lib/event-store';

import type { SignedEvents } from './ports.js';

/** Finds the place of an event by its id, also of one that was appended a moment ago; null where there is none. */
export interface EventPlaces {
  find(eventId: string): Promise<{ readonly stream: string; readonly revision: number } | null>;
}

const TYPES = ['COUNCIL_DECISION', 'FEEDBACK_GIVEN'];

/** Finds decisions and feedback by their places in the log, and reads them from their verified streams. */
export class PlacedSignedEvents implements SignedEvents {
  constructor(
    private readonly places: EventPlaces,
    private readonly log: EventLog,
  ) {}

  /** Any other event is as if it were not there: its id tells nobody what it is. */
  async find(eventId: string): Promise<LoggedEvent | null> {
    const place = await this.places.find(eventId);
    if (!place) return null;
    let event: LoggedEvent | undefined;
    await this.log.each(place.stream, {}, (one) => {
      if (one.revision === place.revision) event = one;
    });
    if (event?.metadata.event_id !== eventId || !TYPES.includes(event.type)) return null;
    return this.log.codec.reveal(event);
  }
}
