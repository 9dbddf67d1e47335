import { Connection, type ServerFacts } from './connection.js';
import { parseEventStoreDbUrl } from './connection-string.js';

/**
 * What the server of a connection string says of itself.
 * @param url esdb://user:password@host:2113?tls=true
 * @throws EventStoreDbUrlError for a connection string that cannot be meant, StoreUnavailableError where nobody answers
 */
export async function eventStoreDbFacts(url: string): Promise<ServerFacts> {
  const connection = await Connection.of(parseEventStoreDbUrl(url));
  try {
    return await connection.facts();
  } finally {
    await connection.close();
  }
}
