import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

const url = process.env['EVENTSTORE_URL'];

if (url === undefined || url === '') {
  process.stderr.write(
    'NOT RUN: the event store contract against a real EventStoreDB; EVENTSTORE_URL=esdb://… names one\n',
  );
  it.skip('the event store contract against a real EventStoreDB [declared: EVENTSTORE_URL names none]', () =>
    undefined);
} else {
  describeEventStoreContract('the event store on the EventStoreDB that EVENTSTORE_URL names', {
    open: async () => {
      const store = await openEventStoreDb({ url, waitMs: 30_000 });
      return { store, dispose: () => store.close() };
    },
  });
}
