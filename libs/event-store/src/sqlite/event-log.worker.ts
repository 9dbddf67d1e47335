import { describingFileErrors, openStoreFile, ownFile } from '#lib/sqlite';

import {
  type AppendAnswer,
  type AppendRequest,
  type EventLogWorkerData,
  type EventToWrite,
} from './append-messages.js';
import { EVENT_LOG } from './event-schema.js';
import { EventWriter } from './event-writer.js';

ownFile<EventLogWorkerData, AppendRequest<EventToWrite>, AppendAnswer>(({ path, quotaBytes }) =>
  describingFileErrors(path, EVENT_LOG.name, () => new EventWriter(openStoreFile(path, EVENT_LOG), path, quotaBytes)),
);
