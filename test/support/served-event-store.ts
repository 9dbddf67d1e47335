import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { ON_SERVER } from './event-store-for-tests.js';
import { givenEventStore } from './given-event-store.js';

const SERVER = join(process.cwd(), 'dist/test/support/served-event-store.process.js');

interface Served {
  readonly url: Promise<string>;
  /** The double; undefined where it is the server that EVENTSTORE_URL names. */
  readonly double: Promise<ChildProcess | undefined>;
}

const started = new Map<string, Served>();

/**
 * Settings of a process on a data folder: with MACE_TEST_EVENT_STORE=eventstoredb its events lie in a double of
 * EventStoreDB, a process of its own for each folder, which ends with this one, or in the server that EVENTSTORE_URL names
 * (`givenEventStore`). A test that waits for a command without
 * letting anything else run would hold up a double in its own process.
 */
export async function servedEventStore(dataDir: string): Promise<Readonly<Record<string, string>>> {
  if (!ON_SERVER) return {};
  const served = started.get(dataDir) ?? serve(dataDir);
  started.set(dataDir, served);
  return { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: await served.url };
}

/** Ends the double on a folder, so that the next one serves what was put there meanwhile. */
export async function endServedEventStore(dataDir: string): Promise<void> {
  const served = started.get(dataDir);
  started.delete(dataDir);
  known.delete(dataDir);
  const double = await served?.double;
  if (!double) return;
  const ended = once(double, 'exit');
  double.ref();
  double.kill('SIGKILL');
  await ended;
}

/** What `servedEventStore` answered for a folder, for those who cannot wait: it was asked before. */
const known = new Map<string, string>();

export function knownEventStore(dataDir: string): Readonly<Record<string, string>> {
  const url = known.get(dataDir);
  return url === undefined ? {} : { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url };
}

function serve(dataDir: string): Served {
  const begun = begin(dataDir);
  return { url: begun.then(({ url }) => url), double: begun.then(({ double }) => double) };
}

async function begin(dataDir: string): Promise<{ readonly url: string; readonly double?: ChildProcess }> {
  const path = join(dataDir, 'server');
  // Where the files of a double are there already, they are the log.
  const given = existsSync(path) ? null : await givenEventStore(dataDir);
  if (given !== null) {
    known.set(dataDir, given);
    return { url: given };
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const double = fork(SERVER, [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    double.once('exit', () => reject(new Error(`the double for ${dataDir} ended before it listened`)));
    double.once('message', (url: string) => {
      double.removeAllListeners('exit');
      // It ends when this process does; until then neither waits for the other.
      double.unref();
      double.channel?.unref();
      known.set(dataDir, url);
      resolve({ url, double });
    });
  });
}
