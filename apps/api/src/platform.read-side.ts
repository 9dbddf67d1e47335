import {
  type ArtifactStore,
  openFileArtifactStore,
  openMongoArtifacts,
  openMongoSubjectKeys,
  openSqliteSubjectKeys,
  type SubjectKeyStore,
} from '#lib/event-store';
import { openMongoReadStore, type ReadStore, SqliteReadStore } from '#lib/read-store';
import type { DataFolder } from '#lib/sqlite';

import type { Logger } from './edge/log.js';
import type { Config } from './platform.config.js';

/** What stands beside the events: in the data folder, or all of it in one MongoDB that several processes share. */
export interface ReadSide {
  subjectKeys(): Promise<SubjectKeyStore>;
  readStore(): Promise<ReadStore>;
  artifacts(): Promise<ArtifactStore>;
}

/** Nothing is opened yet. Its calls throw MongoAwayError where the server does not answer in time. */
export function readSideOf({ mongoDb }: Config, folder: DataFolder, log: Logger): ReadSide {
  if (!mongoDb) {
    return {
      subjectKeys: () => openSqliteSubjectKeys({ folder }),
      readStore: () => SqliteReadStore.open({ folder: folder.path }),
      artifacts: async () => openFileArtifactStore({ folder }),
    };
  }
  const { url, shown, waitMs } = mongoDb;
  const onWaiting = (reason: string): void => log.warn({ reason, server: shown }, 'waiting for the read store');
  const options = { url, waitMs, onWaiting };
  return {
    subjectKeys: () => openMongoSubjectKeys(options),
    readStore: () => openMongoReadStore(options),
    artifacts: () => openMongoArtifacts(options),
  };
}
