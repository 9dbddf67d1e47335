import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  type ArtifactStore,
  type EventStore,
  lacksItsWal,
  openEventStoreDb,
  openSqliteEventStore,
  START,
  StoreUnavailableError,
  type SubjectKeyStore,
} from '#lib/event-store';
import { keyFileIn } from '#lib/access';
import type { KeyRing } from '#lib/kernel';
import { refuseHalfAside, refuseHalfCopied } from '#lib/migration';
import {
  foldersAside,
  type MerkleLog,
  openMerkleLog,
  type OpenMerkleLogOptions,
  refuseUnfinished,
  WitnessClient,
} from '#lib/proof';
import { LogMark } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { DataFileError, type DataFolder, DataFolderInUseError } from '#lib/sqlite';

import { destroyReplacedKeys } from './aside/replaced-keys.js';
import { faultShape, type Logger } from './edge/log.js';
import { refuseForeignRing } from './key-encryption.js';
import type { Config } from './platform.config.js';
import { readSideOf } from './platform.read-side.js';
import type { StoreSettings } from './settings/stores.js';

export interface Stores {
  readonly eventStore: EventStore;
  readonly proof: MerkleLog;
  readonly readStore: ReadStore;
  readonly subjectKeys: SubjectKeyStore;
  readonly artifacts: ArtifactStore;
  /** Why no event can be appended any more; null while it can. */
  readonly appendFault: () => string | null;
  closeStores(): Promise<void>;
}

/** The event store outside this process did not answer at the start. */
export class EventStoreAwayError extends Error {
  constructor(shown: string, waitMs: number, { reason }: StoreUnavailableError) {
    super(`EVENTSTORE_URL: no event store at ${shown} within ${waitMs / 1000} s: ${reason}`);
    this.name = 'EventStoreAwayError';
  }
}

/** Opening makes the file, or what is missing beside it, anew: nothing else would say that what is stored of people is closed. */
async function tellLostKeys({ mongoDb }: Config, folder: DataFolder, events: EventStore, log: Logger): Promise<void> {
  const file = join(folder.path, 'subject-keys.db');
  if (mongoDb || (await events.head()) === START) return;
  if (lacksItsWal(file)) {
    log.error(
      { file },
      'subject-keys.db-wal is not there, in which a process that was killed had written: data keys of people may be lost, and what is stored under them can be read by nobody until both files are put back from a backup',
    );
  }
  if (existsSync(file)) return;
  log.error(
    { file },
    'the data keys of people are not there: what is stored of them can be read by nobody until the file is put back from a backup, in the place of the one that is made now',
  );
}

/** The stores that the configuration names; where one refuses, those before it are closed again. */
export async function openStores(config: Config, folder: DataFolder, log: Logger, ring: KeyRing): Promise<Stores> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  const closeStores = async (): Promise<void> => {
    for (const store of opened.splice(0).reverse()) await store.close();
  };
  try {
    // Before a store makes a file of its own where one was moved away.
    refuseHalfAside(folder.path);
    refuseUnfinished(folder.path);
    let appendFault: string | null = null;
    const onWriterGone = (reason: string): void => void (appendFault = reason);
    const eventStore = keep(await openEventStore(config, folder, log, onWriterGone));
    // Before anything is written: what is copied next would not be the log any more.
    if (config.eventStoreDb) await refuseHalfCopied(eventStore);
    // The wrong key file is told as that, before it is told as a log that its keys did not sign.
    const readSide = readSideOf(config, folder, log);
    await tellLostKeys(config, folder, eventStore, log);
    const subjectKeys = keep(await readSide.subjectKeys());
    await refuseForeignRing(config, ring, subjectKeys);
    const proof = keep(await openMerkleLog(merkleLogOptions(config, folder, log, { events: eventStore, ring })));
    const readStore = keep(await readSide.readStore());
    const onForeign = (reason: string): void =>
      log.warn(
        { reason },
        'the read models were made from another state of the log, and are made again from the events',
      );
    keep(await LogMark.open({ events: eventStore, documents: readStore, onForeign }));
    const returned = await destroyAgain(subjectKeys, proof.erasedKeys());
    if (returned > 0)
      log.warn({ keys: returned }, 'data keys that were destroyed before had come back, and are gone again');
    await destroyReplaced(folder.path, proof.erasedKeys(), log);
    return {
      eventStore,
      proof,
      readStore,
      subjectKeys,
      artifacts: keep(await readSide.artifacts()),
      appendFault: () => appendFault,
      closeStores,
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

/**
 * The store that the configuration names.
 * @param onWriterGone told why nothing can be stored any more
 * @throws EventStoreAwayError, and what opening events.db throws
 */
export async function openEventStore(
  { eventStoreDb }: Config,
  folder: DataFolder,
  log: Logger,
  onWriterGone: (reason: string) => void,
): Promise<EventStore> {
  if (eventStoreDb) return openServer(eventStoreDb, log);
  const gone = ({ message }: Error): void => {
    onWriterGone(message);
    log.error({ reason: message }, 'events.db has lost its writer: nothing can be stored until MACE is started again');
  };
  return openSqliteEventStore({ folder, onWriterGone: gone });
}

async function openServer({ url, shown, waitMs }: StoreSettings, log: Logger): Promise<EventStore> {
  const onWaiting = (reason: string): void => log.warn({ reason, server: shown }, 'waiting for the event store');
  const onDrop = (fault: unknown): void => log.debug(faultShape(fault), 'a subscription ended, and is begun again');
  try {
    return await openEventStoreDb({ url, waitMs, onWaiting, onDrop });
  } catch (error) {
    throw error instanceof StoreUnavailableError ? new EventStoreAwayError(shown, waitMs, error) : error;
  }
}

/** A backup brings back what was erased since it was made; answers how many keys it had brought. */
async function destroyAgain(keys: SubjectKeyStore, kids: readonly string[]): Promise<number> {
  let returned = 0;
  for (const kid of kids) {
    const record = await keys.get(kid);
    if (record === null || record.state === 'destroyed') continue;
    await keys.destroy(kid);
    returned++;
  }
  return returned;
}

/** The same where a restore put aside what it replaced. Nothing is read from there, so a folder in use stops no start. */
async function destroyReplaced(dataDir: string, kids: readonly string[], log: Logger): Promise<void> {
  if (kids.length === 0) return;
  for (const path of foldersAside(dataDir)) {
    try {
      const { destroyed } = await destroyReplacedKeys(path, { kids });
      if (destroyed > 0)
        log.warn({ keys: destroyed, folder: path }, 'data keys that were destroyed before are gone from here too');
    } catch (error) {
      if (!(error instanceof DataFileError || error instanceof DataFolderInUseError)) throw error;
      const { message } = error;
      log.error({ reason: message, folder: path }, 'erased data keys may be left here: free it and start again');
    }
  }
}

function merkleLogOptions(
  { keysFile, origin, witness, eventStoreDb }: Config,
  folder: DataFolder,
  log: Logger,
  on: Pick<OpenMerkleLogOptions, 'events' | 'ring'>,
): OpenMerkleLogOptions {
  const onWitness = (fault: string | null): void =>
    fault === null ? log.info({}, 'the witness cosigns again') : log.warn({ reason: fault }, 'no cosignature');
  return {
    ...on,
    folder,
    keyFile: keysFile ?? keyFileIn(folder.path),
    now: () => Date.now(),
    onFault: (fault) =>
      fault === null
        ? log.info({}, 'the Merkle log grows and is signed again')
        : log.error({ reason: fault.message }, 'the Merkle log does not grow, or is not signed'),
    onRebuild: (reason) =>
      log.warn({ reason }, `proof.db is made again from ${eventStoreDb ? 'the events in EventStoreDB' : 'events.db'}`),
    ...(origin === undefined ? {} : { origin }),
    ...(witness && {
      witness: (keys) =>
        new WitnessClient({
          ...witness,
          log: keys,
          onFault: onWitness,
        }),
    }),
  };
}
