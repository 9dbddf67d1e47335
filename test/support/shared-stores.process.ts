import { openSqliteEventStore } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import { MongoWire } from '../fixtures/mongodb-wire/mongodb-wire.js';

/**
 * Doubles of EventStoreDB, over the events in a folder, and of MongoDB, in memory, that several processes share; for as
 * long as whoever started them lives.
 */
const folder = DataFolder.take(process.argv[2]!);
const events = await EventStoreWire.start({ store: await openSqliteEventStore({ folder }) });
const documents = await MongoWire.start();
process.once('disconnect', () => process.exit());
process.send!({ events: events.url, documents: documents.url });
