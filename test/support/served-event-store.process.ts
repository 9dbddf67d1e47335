import { openSqliteEventStore } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';

/** A double of EventStoreDB over the events in a folder, for as long as whoever started it lives. */
const folder = DataFolder.take(process.argv[2]!);
const wire = await EventStoreWire.start({ store: await openSqliteEventStore({ folder }) });
process.once('disconnect', () => process.exit());
process.send!(wire.url);
