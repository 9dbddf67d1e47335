import { keyFileIn, KeyFileError, openKeyFile } from '#lib/access';
import {
  LogGuardError,
  type LogKeys,
  OriginError,
  RestoreError,
  restoreFolder,
  WitnessClient,
  WitnessListError,
} from '#lib/proof';
import { DataFileError, DataFolder, DataFolderInUseError } from '#lib/sqlite';

import type { Config } from '../../../api/src/platform.config.js';
import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

const OF_THE_FOLDER = [DataFileError, KeyFileError, LogGuardError, OriginError, RestoreError, WitnessListError];

const ON_SERVER =
  'the events lie in EventStoreDB, and no copy of a data folder holds them: put back the newest backup of the database. Nothing was moved';

/**
 * `mace restore`: only for who holds the folder and its keys; it is recorded in the name `local` before anything else is
 * stored.
 */
export async function restore(context: Context, from: string): Promise<ExitCode> {
  const { config, io, dryRun } = context;
  if (config.eventStoreDb) throw new CommandError(ON_SERVER, EXIT.failure);
  if (dryRun) {
    io.out(`would begin a new log in ${config.dataDir} on the copy in ${from}`);
    return EXIT.ok;
  }
  const { origin, previous_origin, erased_keys } = await inWords(() => restoreInto(config, from));
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

async function restoreInto(config: Config, from: string) {
  const { dataDir, keysFile, mode, witness } = config;
  const folder = DataFolder.take(dataDir);
  try {
    const keyFile = keysFile ?? keyFileIn(folder.path);
    const ring = openKeyFile(keyFile, { mayDraw: false, production: mode === 'production', now: Date.now() });
    const witnessed = witness && {
      witness: (log: LogKeys) => new WitnessClient({ ...witness, log }),
    };
    return await restoreFolder({ folder, from, ring, keyFile, now: Date.now, ...witnessed });
  } finally {
    folder.release();
  }
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DataFolderInUseError)
      throw new CommandError(`stop what holds the folder first: ${error.message}`, EXIT.unavailable);
    if (OF_THE_FOLDER.some((kind) => error instanceof kind))
      throw new CommandError((error as Error).message, EXIT.failure);
    throw error;
  }
}
