import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DataFolder } from '#lib/sqlite';

import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

describeEventStoreContract('the event store in SQLite', {
  open: async () => {
    const folder = DataFolder.take(mkdtempSync(join(tmpdir(), 'mace-events-')));
    const store = await openSqliteEventStore({ folder });
    return {
      store,
      dispose: async () => {
        await store.close();
        folder.release();
        rmSync(folder.path, { recursive: true });
      },
    };
  },
});
