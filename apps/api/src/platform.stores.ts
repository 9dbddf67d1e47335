import {
  type ArtifactStore,
  type EventStore,
  openFileArtifactStore,
  openSqliteEventStore,
  openSqliteSubjectKeys,
  type SubjectKeyStore,
} from '#lib/event-store';
import { LogMark } from '#lib/projections';
import { SqliteReadStore, type ReadStore } from '#lib/read-store';
import type { DataFolder } from '#lib/sqlite';

import type { Logger } from './edge/log.js';
import type { Config } from './platform.config.js';

export interface Stores {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly subjectKeys: SubjectKeyStore;
  readonly artifacts: ArtifactStore;
  /** Why no event can be appended any more; null while it can. */
  readonly appendFault: () => string | null;
  closeStores(): Promise<void>;
}

/** The stores that the configuration names; where one refuses, those before it are closed again. */
export async function openStores(config: Config, folder: DataFolder, log: Logger): Promise<Stores> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  const closeStores = async (): Promise<void> => {
    for (const store of opened.splice(0).reverse()) await store.close();
  };
  try {
    const { storageQuotaBytes: quotaBytes } = config;
    let appendFault: string | null = null;
    const onWriterGone = ({ message }: Error): void => {
      appendFault = message;
      log.error(
        { reason: message },
        'events.db has lost its writer: nothing can be stored until MACE is started again',
      );
    };
    const quota = quotaBytes === undefined ? {} : { quotaBytes };
    const eventStore = keep(await openSqliteEventStore({ folder, onWriterGone, ...quota }));
    const readStore = keep(await SqliteReadStore.open({ folder: folder.path }));
    const onForeign = (reason: string): void =>
      log.warn(
        { reason },
        'read.db was made from another state of the log; the read models are made again from events.db',
      );
    keep(await LogMark.open({ events: eventStore, documents: readStore, onForeign }));
    return {
      eventStore,
      readStore,
      subjectKeys: keep(await openSqliteSubjectKeys({ folder })),
      artifacts: keep(openFileArtifactStore({ folder })),
      appendFault: () => appendFault,
      closeStores,
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
}
