import { KeyFileError } from '#lib/access';
import { NewerLogError } from '#lib/history';
import { MongoAwayError } from '#lib/mongodb';
import { LogGuardError, OriginError, RestoreUnfinishedError } from '#lib/proof';
import { ReadStoreCorruptError } from '#lib/read-store';
import { DataFileError, DataFolderInUseError } from '#lib/sqlite';

import { ConfigurationFileError } from './configuration-files.js';
import { faultShape } from './edge/log.js';
import { ConfigError } from './platform.config.js';
import { EventStoreAwayError } from './platform.stores.js';

/** A start that cannot be: what to tell, and the exit code (spec/api.md, "Command line"). */
export interface Refusal {
  readonly message: string;
  readonly exitCode: 1 | 64 | 69;
}

/** What a person can mend, said whole in the message. */
const REFUSALS = [
  KeyFileError,
  DataFileError,
  NewerLogError,
  LogGuardError,
  OriginError,
  RestoreUnfinishedError,
  ReadStoreCorruptError,
];

/** One clear line for whoever started it; what nobody outside can cause keeps its stack for the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConfigError || error instanceof ConfigurationFileError)
    return { message: error.message, exitCode: 64 };
  if (error instanceof DataFolderInUseError || error instanceof EventStoreAwayError)
    return { message: error.message, exitCode: 69 };
  if (error instanceof MongoAwayError) return { message: `MONGODB_URL: ${error.message}`, exitCode: 69 };
  if (REFUSALS.some((kind) => error instanceof kind)) return { message: (error as Error).message, exitCode: 1 };
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const place = `${address ?? ''}:${port ?? ''}`;
  if (code === 'EADDRINUSE')
    return { message: `${place} is in use; stop what listens there, or set MACE_PORT`, exitCode: 69 };
  if (code === 'EACCES' && port !== undefined)
    return { message: `${place} may not be listened on; set MACE_PORT`, exitCode: 69 };
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return { message: `MACE_HOST: this machine has no address ${address ?? ''}`, exitCode: 64 };
  const { error: kind, reason, stack } = faultShape(error);
  return { message: `could not start: ${kind}: ${reason}\n${stack ?? ''}`, exitCode: 1 };
}
