import { KeyFileError } from '#lib/access';
import { BackupError, type BackupManifest, checkFiles, readManifest } from '#lib/backup';
import { HalfCopiedError, refuseHalfCopied } from '#lib/migration';
import { MongoAwayError } from '#lib/mongodb';
import {
  LogGuardError,
  type LogKeys,
  type LogStores,
  OriginError,
  RestoreError,
  restoreFolder,
  WitnessClient,
  WitnessListError,
} from '#lib/proof';
import { DataFileError, DataFolder, DataFolderInUseError } from '#lib/sqlite';

import { createLogger } from '../../../api/src/edge/log.js';
import type { Config } from '../../../api/src/platform.config.js';
import { readSideOf } from '../../../api/src/platform.read-side.js';
import { EventStoreAwayError, openEventStore } from '../../../api/src/platform.stores.js';
import { checkCopy } from '../checked-copy.js';
import { type Context, rehearsedHere } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { keyFileOf, ringOf } from '../own-keys.js';
import { withProgress } from '../progress.js';

const OF_THE_FOLDER = [
  BackupError,
  DataFileError,
  HalfCopiedError,
  KeyFileError,
  LogGuardError,
  OriginError,
  RestoreError,
  WitnessListError,
];

const ON_SERVER =
  'the events lie in EventStoreDB, and no copy of a data folder holds them: put back a backup of the database by its own means, then give `mace restore --adopt`. Nothing was moved';
const NAMED =
  'MACE_ORIGIN names the log, and a restore gives it another name: unset it for this command, and set it to the new name afterwards';
const NO_ROOM = ['ENOSPC', 'EDQUOT'];
const FULL =
  'no room for a copy of the backup beside the log, which stays where it is until the copy is verified: make some, and give the same command again';
const ONE_OF = '--from FOLDER, a copy, or --adopt, the log as it stands: one of them';

/** What takes the place of the log. */
export interface RestoreChoice {
  readonly from?: string;
  /** What is there now, in the data folder or on the server. */
  readonly adopt?: boolean;
}

/**
 * `mace restore`: only for who holds the folder and its keys; it is recorded in the name `local` before anything else is
 * stored.
 */
export async function restore(context: Context, { from: copy, adopt = false }: RestoreChoice): Promise<ExitCode> {
  const { config, io } = context;
  if ((copy === undefined) !== adopt) throw new CommandError(ONE_OF, EXIT.usage);
  if (config.origin !== undefined) throw new CommandError(NAMED, EXIT.usage);
  if (config.eventStoreDb && !adopt) throw new CommandError(ON_SERVER, EXIT.failure);
  const from = copy ?? config.dataDir;
  const change = `begin a new log in ${config.dataDir} on the copy in ${from}`;
  if (rehearsedHere(context, change, config.dataDir)) return EXIT.ok;
  const { origin, previous_origin, erased_keys } = await inWords(() => restoreInto(context, from));
  // Opening the folder destroys the keys and puts the restore on record.
  const { state } = await context.answer<{ state: { leaves: number } }>({ method: 'GET', path: '/audit/checkpoint' });
  const told = { origin, previous_origin, erased_keys, events: state.leaves };
  if (context.json) io.out(JSON.stringify(told, null, 2));
  else {
    io.out(`the log is ${origin} from now on, and was ${previous_origin}; ${erased_keys} erased data keys stay erased`);
    io.say('give its new verifier key (/.well-known/mace-log.vkey) to the witness and to whoever checks the log');
  }
  return EXIT.ok;
}

async function restoreInto(context: Context, from: string) {
  const { config } = context;
  const manifest = readManifest(from);
  // Without the keys nothing is restored, and no folder is made for it.
  ringOf(config);
  const folder = DataFolder.take(config.dataDir);
  try {
    const ring = ringOf(config);
    const { witness } = config;
    const witnessed = witness && {
      witness: (log: LogKeys) => new WitnessClient({ ...witness, log }),
    };
    const order = {
      folder,
      from,
      ring,
      keyFile: keyFileOf(config),
      now: Date.now,
      isAtRest: manifest !== null,
      verify: (copied: string) => verified(context, copied, manifest),
      ...witnessed,
    };
    if (!config.eventStoreDb) return await restoreFolder(order);
    return await withStores(config, folder, (stores) => restoreFolder({ ...order, stores }));
  } finally {
    folder.release();
  }
}

/** Where they are on servers. */
async function withStores<T>(config: Config, folder: DataFolder, use: (stores: LogStores) => Promise<T>): Promise<T> {
  const logger = createLogger({ ...config, logLevel: 'warn' });
  const opened: { close(): Promise<void> }[] = [];
  const keep = <S extends { close(): Promise<void> }>(store: S): S => {
    opened.push(store);
    return store;
  };
  try {
    const side = readSideOf(config, folder, logger);
    const events = keep(await openEventStore(config, folder, logger, () => undefined));
    await refuseHalfCopied(events);
    return await use({ events, subjectKeys: keep(await side.subjectKeys()), artifacts: keep(await side.artifacts()) });
  } finally {
    for (const store of opened.reverse()) await store.close();
  }
}

/** What a restore takes of a backup. */
const TAKEN = ['events.db', 'subject-keys.db'];
const isTaken = (path: string): boolean => TAKEN.includes(path) || path.startsWith('artifacts/');

async function verified(context: Context, copied: string, manifest: BackupManifest | null): Promise<void> {
  if (manifest) await checkFiles(copied, manifest, { only: isTaken, onProgress: () => undefined });
  await withProgress(context, '{value}/{total} events', (show) => checkCopy(copied, context.config, manifest, show));
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DataFolderInUseError)
      throw new CommandError(`stop what holds the folder first: ${error.message}`, EXIT.unavailable);
    if (NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? ''))
      throw new CommandError(FULL, EXIT.unavailable, { cause: error });
    if (error instanceof EventStoreAwayError || error instanceof MongoAwayError)
      throw new CommandError(error.message, EXIT.unavailable, { cause: error });
    if (OF_THE_FOLDER.some((kind) => error instanceof kind))
      throw new CommandError((error as Error).message, EXIT.failure);
    throw error;
  }
}
