import type { ArtifactStore, EventStore, SubjectKeyRecord, SubjectKeyStore } from '#lib/event-store';
import { SqliteReadStore, type ReadStore } from '#lib/read-store';
import type { DataFolder } from '#lib/sqlite';

import { openSqliteEventStore } from '../../../libs/event-store/src/sqlite/sqlite-event-store.js';
import type { Config } from './platform.config.js';

export interface Stores {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly subjectKeys: SubjectKeyStore;
  readonly artifacts: ArtifactStore;
  closeStores(): Promise<void>;
}

/** The stores that the configuration names; where one refuses, those before it are closed again. */
export async function openStores(config: Config, folder: DataFolder): Promise<Stores> {
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
    return {
      eventStore: keep(await openSqliteEventStore({ folder, ...(quotaBytes === undefined ? {} : { quotaBytes }) })),
      readStore: keep(await SqliteReadStore.open({ folder: folder.path })),
      subjectKeys: keep(memorySubjectKeys()),
      artifacts: keep(memoryArtifacts()),
      closeStores,
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

function memorySubjectKeys(): SubjectKeyStore {
  const records = new Map<string, SubjectKeyRecord>();
  return {
    create: async (subject, key) => {
      const there = records.get(key.kid);
      if (there) return there;
      records.set(key.kid, { state: 'present', subject, key });
      return { state: 'present', subject, key };
    },
    get: async (kid) => records.get(kid) ?? null,
    rewrap: async () => false,
    destroy: async (kid) => void records.delete(kid),
    listFor: async (subject) => [...records.values()].filter((record) => record.subject === subject),
    close: async () => undefined,
  };
}

function memoryArtifacts(): ArtifactStore {
  return { put: async () => '', get: async () => null, delete: async () => false, close: async () => undefined };
}
