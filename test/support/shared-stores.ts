import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { drawKeys, writeKeyFile } from '#lib/access';

import { givenEventStore } from './given-event-store.js';

const DOUBLES = join(process.cwd(), 'dist/test/support/shared-stores.process.js');

/**
 * Stores that several processes share, in a folder; each process has a data folder of its own beside them. The events lie
 * in a double, or in the server that EVENTSTORE_URL names (`givenEventStore`).
 */
export class SharedStores {
  private constructor(
    private readonly child: ChildProcess,
    /** Settings of every process on them. */
    readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start(folder: string): Promise<SharedStores> {
    const path = join(folder, 'events');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const keys = join(folder, 'keys', 'keys.json');
    mkdirSync(join(folder, 'keys'), { mode: 0o700 });
    writeKeyFile(keys, drawKeys(Date.now()));
    const child = fork(DOUBLES, [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const { events, documents } = await new Promise<{ events: string; documents: string }>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the doubles ended before they listened')));
      child.once('message', (urls: { events: string; documents: string }) => resolve(urls));
    });
    return new SharedStores(child, {
      MACE_EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: (await givenEventStore(folder)) ?? events,
      MACE_READ_STORE: 'mongodb',
      MONGODB_URL: documents,
      MACE_KEYS_FILE: keys,
      MACE_ORIGIN: 'mace.test/shared',
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }
}
