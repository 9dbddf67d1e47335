import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { ON_SERVER } from './event-store-for-tests.js';

const SERVER = join(process.cwd(), 'dist/test/support/served-event-store.process.js');

interface Served {
  readonly url: Promise<string>;
  readonly process: ChildProcess;
}

const started = new Map<string, Served>();

/**
 * Settings of a process on a data folder: with MACE_TEST_EVENT_STORE=eventstoredb its events lie in a double of
 * EventStoreDB, a process of its own for each folder, which ends with this one. A test that waits for a command without
 * letting anything else run would hold up a double in its own process.
 */
export async function servedEventStore(dataDir: string): Promise<Readonly<Record<string, string>>> {
  if (!ON_SERVER) return {};
  const served = started.get(dataDir) ?? startServer(dataDir);
  started.set(dataDir, served);
  return { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: await served.url };
}

/** Ends the double on a folder, so that the next one serves what was put there meanwhile. */
export async function endServedEventStore(dataDir: string): Promise<void> {
  const served = started.get(dataDir);
  started.delete(dataDir);
  known.delete(dataDir);
  if (!served) return;
  const ended = once(served.process, 'exit');
  served.process.ref();
  served.process.kill('SIGKILL');
  await ended;
}

/** What `servedEventStore` answered for a folder, for those who cannot wait: it was asked before. */
const known = new Map<string, string>();

export function knownEventStore(dataDir: string): Readonly<Record<string, string>> {
  const url = known.get(dataDir);
  return url === undefined ? {} : { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url };
}

function startServer(dataDir: string): Served {
  const path = join(dataDir, 'server');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const child = fork(SERVER, [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const url = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the double for ${dataDir} ended before it listened`)));
    child.once('message', (url: string) => {
      child.removeAllListeners('exit');
      // It ends when this process does; until then neither waits for the other.
      child.unref();
      child.channel?.unref();
      known.set(dataDir, url);
      resolve(url);
    });
  });
  return { url, process: child };
}
