import { describingFileErrors, openStoreFile, ownFile } from '#lib/sqlite';

import type { AppendAnswer, AppendToWrite, EventLogWorkerData } from './append-messages.js';
import { EVENT_LOG } from './event-schema.js';
import { EventWriter } from './event-writer.js';

ownFile<EventLogWorkerData, AppendToWrite, AppendAnswer>(({ path }) =>
  describingFileErrors(path, EVENT_LOG.name, () => new EventWriter(openStoreFile(path, EVENT_LOG), path)),
);
