import { EventStoreWire, type WireOptions } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { openEventStoreDb } from '../eventstoredb/eventstoredb-event-store.js';
import type { EventStore, RecordedEvent, SubscribeOptions } from '../port.js';

export interface Wired {
  readonly wire: EventStoreWire;
  readonly store: EventStore;
  /** One more store on the same server, as another process has one. */
  another(more?: string): Promise<EventStore>;
}

/** A test with a double of its own and a store on it; both are closed at its end, however it ends. */
export function wired(
  body: (bench: Wired) => Promise<void>,
  { more = '', ...options }: WireOptions & { readonly more?: string } = {},
): () => Promise<void> {
  return async () => {
    const wire = await EventStoreWire.start(options);
    const stores: EventStore[] = [];
    const another = async (query = more): Promise<EventStore> => {
      const store = await openEventStoreDb({ url: wire.url + query, waitMs: 60_000 });
      stores.push(store);
      return store;
    };
    try {
      await body({ wire, store: await another(), another });
    } finally {
      for (const store of stores) await store.close();
      await wire.close();
    }
  };
}

/** What a subscription gives until `enough` of it has come. */
export async function collected(
  store: EventStore,
  options: SubscribeOptions,
  enough: (events: readonly RecordedEvent[], caughtUps: number) => boolean,
): Promise<{ readonly events: RecordedEvent[]; readonly caughtUps: number; readonly emptyPages: number }> {
  const ends = new AbortController();
  const events: RecordedEvent[] = [];
  let [caughtUps, emptyPages] = [0, 0];
  for await (const item of store.subscribeAll({ ...options, signal: ends.signal })) {
    if (item.kind === 'caughtUp') caughtUps++;
    else if (item.page.events.length === 0) emptyPages++;
    else events.push(...item.page.events);
    if (enough(events, caughtUps)) ends.abort();
  }
  return { events, caughtUps, emptyPages };
}
