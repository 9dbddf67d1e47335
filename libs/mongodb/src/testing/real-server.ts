import { randomUUID } from 'node:crypto';

import { MongoClient } from 'mongodb';

/** The server of MONGODB_URL, and a database on it for one test. */
export interface RealServer {
  /** A connection string of a database that nobody uses. */
  freshUrl(): string;
  /** Leaves nothing of a database that a test has used. */
  drop(url: string): Promise<void>;
}

/**
 * Null where MONGODB_URL is not set, which is said in one line: whoever reads the tests' output must see that nothing
 * has run against a real server.
 */
export function realServer(what: string, env: NodeJS.ProcessEnv = process.env): RealServer | null {
  const url = env['MONGODB_URL'];
  if (url === undefined || url === '') {
    process.stderr.write(
      `MONGODB_URL is not set: ${what} ran against the double on the wire only, not a real server\n`,
    );
    return null;
  }
  const [, front = '', query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return { freshUrl: () => `${front}/mace_test_${randomUUID().slice(0, 8)}${query}`, drop };
}

async function drop(url: string): Promise<void> {
  const client = new MongoClient(url);
  await client.db().dropDatabase();
  await client.close();
}
