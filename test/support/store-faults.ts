import type { EventStore } from '#lib/event-store';

import type { Fault, StoreCall } from '../../libs/event-store/src/faults/fault-plan.js';
import { FaultyEventStore } from '../../libs/event-store/src/faults/faulty-event-store.js';
import { eachByItself } from './changed-reads.js';
import type { JobApp } from './job-app.js';

/** From now on the application's event store fails where `where` says so; `jest.restoreAllMocks` mends it. */
export function breakStore(app: JobApp, fault: Fault, where: (call: StoreCall) => boolean): void {
  const store = app.parts.platform.eventStore;
  const sound = {
    append: store.append.bind(store),
    readStream: store.readStream.bind(store),
    streamVersion: store.streamVersion.bind(store),
  };
  const faulty = new FaultyEventStore(sound as unknown as EventStore, (call) => (where(call) ? fault : undefined));
  jest.spyOn(store, 'append').mockImplementation((...args) => faulty.append(...args));
  jest.spyOn(store, 'readStream').mockImplementation((...args) => faulty.readStream(...args));
  if (store.readFirst) {
    // Through the same faults, each stream as it is met.
    jest.spyOn(store as Required<EventStore>, 'readFirst').mockImplementation(async (streams) => {
      const slices = await Promise.all(streams.map((stream) => faulty.readStream(stream, { limit: 1 })));
      return slices.flatMap(({ events }) => events);
    });
  }
  if (store.readStreams)
    jest.spyOn(store as Required<EventStore>, 'readStreams').mockImplementation((parts) => eachByItself(faulty, parts));
  jest.spyOn(store, 'streamVersion').mockImplementation((...args) => faulty.streamVersion(...args));
}
