import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { MemoryEventStore } from './memory-event-store.js';

describeEventStoreContract('the event store in memory', {
  open: async () => {
    const store = new MemoryEventStore();
    return { store, dispose: () => store.close() };
  },
});
