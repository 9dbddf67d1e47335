import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

describeEventStoreContract('the event store on EventStoreDB, over the double on the wire', {
  open: async () => {
    const wire = await EventStoreWire.start();
    const store = await openEventStoreDb({ url: wire.url });
    return {
      store,
      dispose: async () => {
        await store.close();
        await wire.close();
      },
    };
  },
});
