import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';

/**
 * What the events of a test's application are kept in: the embedded store, or with MACE_TEST_EVENT_STORE=eventstoredb a
 * double of EventStoreDB of its own, which the application reaches over the network as it would the real one.
 */
export class EventStoreForTests {
  private constructor(private readonly wire: EventStoreWire | null) {}

  static async start(): Promise<EventStoreForTests> {
    const isOnServer = process.env['MACE_TEST_EVENT_STORE'] === 'eventstoredb';
    return new EventStoreForTests(isOnServer ? await EventStoreWire.start() : null);
  }

  /** Settings of the application. */
  get settings(): Readonly<Record<string, string>> {
    return this.wire ? { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: this.wire.url } : {};
  }

  async close(): Promise<void> {
    await this.wire?.close();
  }
}
