import type { EventLog, Fold } from '#lib/event-store';

import { evolveOutages, type OpenOutages } from './domain/outage.js';
import { outageStream, type Service } from './domain/outages.events.js';

interface Recoveries {
  readonly open: OpenOutages;
  /** The last event that told of one. */
  readonly last: string | null;
}

const FOLD: Fold<Recoveries> = {
  name: 'recoveries',
  initial: { open: {}, last: null },
  evolve: ({ open, last }, event) => ({
    open: evolveOutages(open, event),
    last: event.data['state'] === 'up' ? event.metadata.event_id : last,
  }),
};

/** event_id of the recovery of a service that was down and is not any more; null while it is, and where it never was. */
export async function lastRecovery(log: EventLog, service: Service): Promise<string | null> {
  const { open, last } = (await log.fold(outageStream(service), FOLD)).state;
  return Object.keys(open).length === 0 ? last : null;
}
