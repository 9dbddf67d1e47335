import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { accessEvents, KeyFileError } from '#lib/access';
import {
  EventCodec,
  EventLog,
  type EventStore,
  openSqliteEventStore,
  START,
  StorageFullError,
  StoreUnavailableError,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';
import {
  announceMove,
  type Beginning,
  beginningOf,
  copyEvents,
  copyReadSide,
  decidedPositions,
  isHalfAside,
  MigrationError,
  type MovedReadSide,
  putAside,
  recordMigration,
  setAsidePositions,
} from '#lib/migration';
import { MongoAwayError } from '#lib/mongodb';
import { faultBeside, LogGuardError, logAtRest, OriginError, RestoreError, treeOf } from '#lib/proof';
import { DataFileError, DataFolder, DataFolderInUseError } from '#lib/sqlite';

import { EVENT_DEFINITIONS } from '../../../api/src/event-definitions.js';
import { createLogger } from '../../../api/src/edge/log.js';
import { keyWrappingOf } from '../../../api/src/key-encryption.js';
import { type Config, readConfig } from '../../../api/src/platform.config.js';
import { readSideOf } from '../../../api/src/platform.read-side.js';
import { EventStoreAwayError, openEventStore } from '../../../api/src/platform.stores.js';
import { checkCopy } from '../checked-copy.js';
import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { keyFileOf, ringOf } from '../own-keys.js';
import { withProgress } from '../progress.js';

/** What a migration came to. */
interface Migrated extends MovedReadSide {
  readonly events: number;
  /** How many of them this run has appended; the others were there. */
  readonly copied: number;
  readonly streams: number;
  /** Merkle root over all of them, the same in both stores. */
  readonly root: string;
  /** Name of the folder for what is not used any more. */
  readonly aside: string;
}

/** `mace migrate --from embedded --to eventstoredb`: with ids and order; broken off, it is gone on with. */
export async function migrate(context: Context): Promise<ExitCode> {
  // Who gives the command has not switched over yet, or has.
  const target = readConfig({ ...context.env, MACE_EVENT_STORE: 'eventstoredb' });
  const { dataDir } = target;
  return inWords(async () => {
    if (isHalfAside(dataDir)) return tellAside(context, await finished(target));
    if (!existsSync(join(dataDir, 'events.db')))
      throw new MigrationError(`${dataDir} holds no events.db: there is nothing to move, or it was moved before`);
    // Until the end: nobody may write what was verified, and is not copied any more.
    const folder = DataFolder.take(dataDir);
    try {
      return await moveFrom(folder, context, target);
    } finally {
      folder.release();
    }
  });
}

async function moveFrom(folder: DataFolder, context: Context, target: Config): Promise<ExitCode> {
  const { streams } = await verifiedSource(folder, context, target);
  return withLogs(target, folder, async (source, events) => {
    if (context.dryRun) return rehearse(context, target, await beginningOf(source, events));
    const { positions, ...moved } = await movedLog(context, source, events);
    const { keys, ...readSide } = await movedReadSide(target, folder);
    const migrated = { from: 'embedded', to: 'eventstoredb', events: moved.events, root: moved.root, positions };
    try {
      const codec = codecOf(target, keys);
      await announceMove(folder.path, target.mongoDb !== undefined, Date.now());
      await recordMigration(new EventLog(events, codec), { ...migrated, migrated_at: new Date().toISOString() });
    } finally {
      await keys.close();
    }
    await source.close();
    const aside = await putAside(folder.path);
    return tell(context, { ...moved, ...readSide, streams, aside });
  });
}

/** Every signature, chain and reference, before a single event is copied. */
async function verifiedSource(folder: DataFolder, context: Context, config: Config) {
  try {
    return await withProgress(context, '{value}/{total} events verified', (show) =>
      checkCopy(config.dataDir, config, null, show, folder),
    );
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error;
    const message = error.message.replace('the copy does not verify', 'the log does not verify');
    throw new CommandError(`${message}. Nothing was copied`, EXIT.divergence, { cause: error });
  }
}

async function withLogs(
  config: Config,
  folder: DataFolder,
  use: (source: EventStore, target: EventStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened: EventStore[] = [];
  try {
    const source = await openSqliteEventStore({ folder });
    opened.push(source);
    const log = logAtRest(folder.path, dirname(keyFileOf(config)));
    const fault = await faultBeside(source, log, ringOf(config));
    if (fault !== null) throw new MigrationError(`the log is not the one that was signed: ${fault}`);
    // Before anything is copied.
    await setAsidePositions(source);
    const target = await openEventStore(config, folder, createLogger({ ...config, logLevel: 'warn' }), () => undefined);
    opened.push(target);
    return await use(source, target);
  } finally {
    for (const store of opened.reverse()) await store.close();
  }
}

async function movedLog(context: Context, source: EventStore, target: EventStore) {
  const total = (await source.count?.(START)) ?? 0;
  return withProgress(context, '{value}/{total} events copied', async (showOf) => {
    const show = (events: number): void => showOf(events, total);
    const there = await beginningOf(source, target, { onProgress: show });
    const copied = await copyEvents(source, target, there, { onProgress: show });
    const decided = await decidedPositions(source);
    const positions: Record<string, string> = {};
    const onPair = (before: string, now: string): void => void (decided.has(before) && (positions[before] = now));
    const whole = await beginningOf(source, target, { onPair });
    const [wanted, found] = [await treeOf(source), await treeOf(target, total)];
    if (whole.events !== total || found.root !== wanted.root || found.size !== total)
      throw new CommandError(
        `the target holds ${found.size} events with the Merkle root ${found.root}, and the source ${total} with ${wanted.root}. Nothing was put aside; MACE goes on from the source`,
        EXIT.divergence,
      );
    return { events: total, copied, root: wanted.root, positions };
  });
}

/** The key store that the target works with, open: where MongoDB is named, with everything of the folder in it. */
async function movedReadSide(
  config: Config,
  folder: DataFolder,
): Promise<MovedReadSide & { readonly keys: SubjectKeyStore }> {
  const side = readSideOf(config, folder, createLogger({ ...config, logLevel: 'warn' }));
  const keys = await side.subjectKeys();
  try {
    if (!config.mongoDb) return { data_keys: 0, artifacts: 0, keys };
    const artifacts = await side.artifacts();
    try {
      return { ...(await copyReadSide(folder.path, { keys, artifacts })), keys };
    } finally {
      await artifacts.close();
    }
  } catch (error) {
    await keys.close();
    throw error;
  }
}

function codecOf(config: Config, keys: SubjectKeyStore): EventCodec {
  const ring = ringOf(config);
  const registry = new EventRegistry([...accessEvents, ...EVENT_DEFINITIONS]);
  return new EventCodec(registry, ring, new SubjectCiphers(keys, keyWrappingOf(config, ring)));
}

async function finished({ dataDir }: Config): Promise<string> {
  const folder = DataFolder.take(dataDir);
  try {
    return await putAside(folder.path);
  } finally {
    folder.release();
  }
}

function rehearse({ io, json }: Context, { eventStoreDb }: Config, { events }: Beginning): ExitCode {
  if (json) io.out(JSON.stringify({ sound: true, events_there: events }, null, 2));
  else
    io.out(`the log is sound; ${eventStoreDb?.shown ?? ''} holds its first ${events} events, and would get the rest`);
  return EXIT.ok;
}

function tell({ io, json }: Context, migrated: Migrated): ExitCode {
  const { events, streams, copied, data_keys, artifacts, root, aside } = migrated;
  if (json) io.out(JSON.stringify(migrated, null, 2));
  else {
    io.out(`${events} events in ${streams} streams lie in the target, ${copied} of them copied now; root ${root}`);
    if (data_keys + artifacts > 0) io.out(`${data_keys} data keys and ${artifacts} artifacts lie in MongoDB`);
    io.say(`what lay here is in ${aside}; start MACE with MACE_EVENT_STORE=eventstoredb from now on`);
  }
  return EXIT.ok;
}

function tellAside({ io, json }: Context, aside: string): ExitCode {
  if (json) io.out(JSON.stringify({ aside }, null, 2));
  else io.out(`the log had been moved; what lay here is in ${aside}`);
  return EXIT.ok;
}

const AWAY = [DataFolderInUseError, EventStoreAwayError, MongoAwayError, StorageFullError, StoreUnavailableError];
const OF_THE_LOG = [DataFileError, KeyFileError, LogGuardError, MigrationError, OriginError, RestoreError];

async function inWords(work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (AWAY.some((kind) => error instanceof kind))
      throw new CommandError(
        `${(error as Error).message}. Give the same command again: it goes on where it ended`,
        EXIT.unavailable,
        { cause: error },
      );
    if (OF_THE_LOG.some((kind) => error instanceof kind))
      throw new CommandError((error as Error).message, EXIT.failure, { cause: error });
    throw error;
  }
}
