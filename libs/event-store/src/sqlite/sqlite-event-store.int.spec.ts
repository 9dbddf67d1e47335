import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { temporaryPlace } from '../testing/temporary-folder.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

describeEventStoreContract('the event store in SQLite', {
  open: async () => {
    const { folder, keep, dispose } = temporaryPlace();
    return { store: await keep(openSqliteEventStore({ folder })), dispose };
  },
});
