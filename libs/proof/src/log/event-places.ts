import { type EventStore, type Position, type RecordedEvent } from '#lib/event-store';

import type { EventPlace } from '../proof-log.js';
import type { Candidate, ProofReader } from '../store/proof-reader.js';

/** An event with its place in the log and in the tree. */
export interface PlacedEvent extends EventPlace {
  readonly leaf: number;
  readonly event: RecordedEvent;
}

/** Finds events by their event_id, also those that were appended a moment ago. */
export class EventPlaces {
  /** @param reach waits for leaves up to a position; false where they were there already */
  constructor(
    private readonly events: EventStore,
    private readonly reader: ProofReader,
    private readonly reach: (position: Position) => Promise<boolean>,
  ) {}

  /** Null for an event that the log does not hold. @throws what `reach` throws */
  async of(eventId: string): Promise<PlacedEvent | null> {
    if (!/^[0-9a-f]{64}$/.test(eventId)) return null;
    const known = await this.indexed(eventId);
    if (known) return known;
    return (await this.reach(await this.events.head())) ? this.indexed(eventId) : null;
  }

  private async indexed(eventId: string): Promise<PlacedEvent | null> {
    for (const candidate of this.reader.candidates(eventId)) {
      const event = await this.eventAt(candidate);
      if (event?.id !== eventId) continue;
      const { stream, revision, position } = event;
      return { leaf: candidate.leaf, stream, revision, position, event };
    }
    return null;
  }

  private async eventAt({ position, after }: Candidate) {
    const [event] = (await this.events.readAll({ after, limit: 1 })).events;
    return event?.position === position ? event : undefined;
  }
}
