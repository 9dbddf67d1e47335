import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { openSqliteEventStore } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import { givenEventStore } from './given-event-store.js';

/** Whether the applications of tests keep their events in a double of EventStoreDB. */
export const ON_SERVER = process.env['MACE_TEST_EVENT_STORE'] === 'eventstoredb';

/** Why what is named in a test is not run on the double: it is about files that are not there. */
export const FILE_OF_EVENTS = 'it changes the file events.db, which a server has not';
export const NO_RESTORE = 'mace restore puts folders back, in which a server has no events';

/**
 * `describe` or `it` for what is about the embedded store alone. With MACE_TEST_EVENT_STORE=eventstoredb it is skipped,
 * and the reason stands in the output.
 */
export function describeEmbedded(name: string, reason: string, tests: () => void): void {
  if (!ON_SERVER) return describe(name, tests);
  tellSkipped(name, reason);
  describe(name, () => it.skip(`not on EventStoreDB: ${reason}`, () => undefined));
}

export function itEmbedded(name: string, reason: string, test: () => Promise<void>): void {
  if (!ON_SERVER) return it(name, test);
  tellSkipped(name, reason);
  it.skip(`${name} [not on EventStoreDB: ${reason}]`, test);
}

function tellSkipped(name: string, reason: string): void {
  process.stderr.write(`NOT ON EVENTSTOREDB: ${name}: ${reason}\n`);
}

/** Where the events of a test's application lie, in its data folder. */
export const EVENTS_FILE = ON_SERVER ? join('server', 'events.db') : 'events.db';

/** The rows of a type in that file; a double of EventStoreDB keeps more in the column. */
export function rowsOfType(type: string): string {
  return ON_SERVER ? `type LIKE '${type}' || char(1) || '%'` : `type = '${type}'`;
}

/** What `givenEventStore` gave the application on a folder, which is opened again on the same. */
const GIVEN = new Map<string, string>();

/**
 * What the events of a test's application are kept in: the embedded store, or with MACE_TEST_EVENT_STORE=eventstoredb the
 * server that EVENTSTORE_URL names (`givenEventStore`), or a double of EventStoreDB of its own, which the application reaches
 * over the network as it would the real one. The double keeps its files in the data folder, so that copying the folder copies
 * the log.
 */
export class EventStoreForTests {
  private constructor(
    private readonly url: string | null,
    private readonly double: { readonly wire: EventStoreWire; readonly held: DataFolder } | null = null,
  ) {}

  static async start(dataDir: string): Promise<EventStoreForTests> {
    if (!ON_SERVER) return new EventStoreForTests(null);
    const path = join(dataDir, 'server');
    // Where the files of a double are there already, they are the log.
    const given = GIVEN.get(dataDir) ?? (existsSync(path) ? null : await givenEventStore(dataDir));
    if (given !== null) {
      GIVEN.set(dataDir, given);
      return new EventStoreForTests(given);
    }
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const held = DataFolder.take(path);
    try {
      const store = await openSqliteEventStore({ folder: held });
      const wire = await EventStoreWire.start({ store });
      return new EventStoreForTests(wire.url, { wire, held });
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** Settings of the application. */
  get settings(): Readonly<Record<string, string>> {
    return this.url === null ? {} : { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: this.url };
  }

  async close(): Promise<void> {
    await this.double?.wire.close();
    this.double?.held.release();
  }
}
