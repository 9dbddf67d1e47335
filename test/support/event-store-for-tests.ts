import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { openSqliteEventStore } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';

/** Whether the applications of tests keep their events in a double of EventStoreDB. */
export const ON_SERVER = process.env['MACE_TEST_EVENT_STORE'] === 'eventstoredb';

/** Where the events of a test's application lie, in its data folder. */
export const EVENTS_FILE = ON_SERVER ? join('server', 'events.db') : 'events.db';

/** The rows of a type in that file; a double of EventStoreDB keeps more in the column. */
export function rowsOfType(type: string): string {
  return ON_SERVER ? `type LIKE '${type}' || char(1) || '%'` : `type = '${type}'`;
}

/**
 * What the events of a test's application are kept in: the embedded store, or with MACE_TEST_EVENT_STORE=eventstoredb a
 * double of EventStoreDB of its own, which the application reaches over the network as it would the real one. The double
 * keeps its files in the data folder, so that copying the folder copies the log.
 */
export class EventStoreForTests {
  private constructor(
    private readonly wire: EventStoreWire | null,
    private readonly held: DataFolder | null,
  ) {}

  static async start(dataDir: string): Promise<EventStoreForTests> {
    if (!ON_SERVER) return new EventStoreForTests(null, null);
    const path = join(dataDir, 'server');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const held = DataFolder.take(path);
    try {
      const store = await openSqliteEventStore({ folder: held });
      return new EventStoreForTests(await EventStoreWire.start({ store }), held);
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** Settings of the application. */
  get settings(): Readonly<Record<string, string>> {
    return this.wire ? { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: this.wire.url } : {};
  }

  async close(): Promise<void> {
    await this.wire?.close();
    this.held?.release();
  }
}
