import { KeyFileError } from '#lib/access';
import { IntegrityError, StoreUnavailableError } from '#lib/event-store';
import { NewerLogError } from '#lib/history';
import { HalfCopiedError, MigrationUnfinishedError } from '#lib/migration';
import { MongoAwayError } from '#lib/mongodb';
import { LogGuardError, OriginError, RestoreError, RestoreUnfinishedError } from '#lib/proof';
import { ReadStoreCorruptError } from '#lib/read-store';
import { DataFileError, DataFolderInUseError } from '#lib/sqlite';

import { ConfigurationFileError } from './configuration-files.js';
import { faultShape } from './edge/log.js';
import { MetricsPortError } from './metrics/metrics-server.js';
import { GrpcPortError } from './negotiation/serve-negotiation.js';
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
  HalfCopiedError,
  MigrationUnfinishedError,
  RestoreUnfinishedError,
  RestoreError,
  ReadStoreCorruptError,
];

/** What may be there at another time. */
const AWAY = [DataFolderInUseError, EventStoreAwayError, MetricsPortError, GrpcPortError];

/** Why a file of the data folder or the key folder cannot be used, by the system's word for it. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there, or a link that leads nowhere',
  EISDIR: 'is a folder, and a file should stand there',
  ERR_FS_EISDIR: 'is a folder, and a file should stand there',
  ENOTDIR: 'has a file in its way where a folder should be',
  EEXIST: 'is a file, and a folder should stand there',
  EACCES: 'may not be read and written by this user',
  EPERM: 'may not be read and written by this user',
  EROFS: 'stands where nothing can be written',
  ENOSPC: 'cannot be written: the disk is full',
};

/** Null for what is no fault of a file that a person can mend. */
function fileFault({ code, path }: NodeJS.ErrnoException): string | null {
  const fault = FILE_FAULTS[code ?? ''];
  if (path === undefined || fault === undefined) return null;
  return `${path} ${fault}. Mend that, or put back what stood there from the newest copy of its folder`;
}

/** Signs that control a terminal or the direction of writing: an unsigned row's stream may be called anything. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

function changedLog({ message }: IntegrityError): string {
  return `what a start reads in events.db is not what was signed: ${message.replace(UNSEEN, '\ufffd')}. \`mace integrity verify\` names every fault with its place; put back the newest copy of the data folder, or of the database, or begin a new log on an older one by \`mace restore --from DIR\`, on what lies in the database by \`mace restore --adopt\``;
}

/** One clear line for whoever started it; what nobody outside can cause keeps its stack for the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConfigError || error instanceof ConfigurationFileError)
    return { message: error.message, exitCode: 64 };
  if (error instanceof StoreUnavailableError)
    return error.cause instanceof DataFileError ? refusalOf(error.cause) : { message: error.message, exitCode: 69 };
  if (error instanceof IntegrityError) return { message: changedLog(error), exitCode: 1 };
  if (AWAY.some((kind) => error instanceof kind)) return { message: (error as Error).message, exitCode: 69 };
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
  const fault = fileFault(error as NodeJS.ErrnoException);
  if (fault !== null) return { message: fault, exitCode: 1 };
  const { error: kind, reason, stack } = faultShape(error);
  return { message: `could not start: ${kind}: ${reason}\n${stack ?? ''}`, exitCode: 1 };
}
