import { openEventStoreDb, START } from '#lib/event-store';

const WAIT_MS = 30_000;

/**
 * The EventStoreDB that EVENTSTORE_URL names for the tests, where it is still empty: a database is one log, so that the
 * first application of a file gets it, and every other one a double. Both are told on stderr; null for the double.
 * @param whose what the tests call their application
 */
export async function givenEventStore(whose: string): Promise<string | null> {
  const url = process.env['EVENTSTORE_URL'];
  if (url === undefined || url === '') return null;
  const store = await openEventStoreDb({ url, waitMs: WAIT_MS });
  try {
    const isEmpty = (await store.head()) === START;
    const what = isEmpty
      ? 'ON THE SERVER OF EVENTSTORE_URL'
      : 'NOT ON THE SERVER OF EVENTSTORE_URL, which holds events';
    process.stderr.write(`${what}: ${whose}\n`);
    return isEmpty ? url : null;
  } finally {
    await store.close();
  }
}
