import { openSqliteEventStore } from '#lib/event-store';
import { type ReadStore, SqliteReadStore } from '#lib/read-store';
import { DataFolder } from '#lib/sqlite';
import { by, ProjectionHouse } from './projection-house.js';

/**
 * A process for kill -9: rebuilds the projection of the folder `argv[2]` and swaps it, whatever an earlier one has left,
 * and ends. Writes a line before and after each of its writes.
 */
const [folder = ''] = process.argv.slice(2);
const held = DataFolder.take(folder);
const events = await openSqliteEventStore({ folder: held });
const documents = await SqliteReadStore.open({ folder });
const house = new ProjectionHouse(events, telling(documents)).start();
const { rebuild_id } = await house.rebuilds.begin('notes', by('one'), null);
while ((await house.rebuilds.get('notes', rebuild_id)).state === 'running')
  await new Promise((resolve) => setTimeout(resolve, 2));
const { state } = await house.rebuilds.swap('notes', rebuild_id, by('two'), null);
if (state !== 'swapped') throw new Error(`it is ${state}`);
await house.stop();
await documents.close();
await events.close();
held.release();

function telling(store: ReadStore): ReadStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const isWrite = name === 'apply' || name === 'claim' || name === 'prepare';
        if (isWrite) process.stdout.write('before\n');
        const result = (value as (...all: unknown[]) => unknown).apply(target, args);
        if (!isWrite) return result;
        return (result as Promise<unknown>).finally(() => process.stdout.write('after\n'));
      };
    },
  });
}
