/** SQLite's result codes that we tell apart; the low byte of an extended code is its primary code. */
const FULL = 13;
/** A quota is told of so, and a disk that is failing. */
export const IOERR_WRITE = 778;
/** Growing the -shm file beside the WAL. */
const IOERR_SHMSIZE = 4874;
const UNIQUE = 2067;
const PRIMARY_KEY = 1555;
const CORRUPT = 11;

/** The twin names no code where `all` or `iterate` fails; SQLite's own words for what can fail there tell it. */
const BY_MESSAGE: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'disk I/O error': 10,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'unable to open database file': 14,
  'file is not a database': 26,
};

/** What the drivers say of a number or a text that does not fit into one of JavaScript's: no program of ours has written it. */
const TOO_LARGE =
  /too large to be represented as a JavaScript number|Cannot create a string longer than|^Unknown failure$/;

/** A row that is none of ours: one of its columns is of another type than the file was made with. Told as damage of the file. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';
  readonly errcode = CORRUPT;
}

/** The extended result code of an error that SQLite raised; undefined for every other error. */
export function sqliteCode(error: unknown): number | undefined {
  // By its shape: under Jest the driver's errors are of another realm than the tests' Error.
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error) return typeof error.errcode === 'number' ? error.errcode : undefined;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (TOO_LARGE.test(String(message))) return CORRUPT;
  return code === 'ERR_SQLITE_ERROR' ? BY_MESSAGE[String(message)] : undefined;
}

/** True where the disk, a quota or a page limit left no room; the transaction is gone, a later one may work. */
export function isStorageFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === FULL || code === IOERR_WRITE || code === IOERR_SHMSIZE;
}

/** What to look for where `isStorageFull` says so: SQLite does not say more of a write that failed. */
export function whyNoRoom(error: unknown): string {
  return sqliteCode(error) === IOERR_WRITE ? 'the disk is full, over its quota or failing' : 'the disk is full';
}

/** True where a unique index or primary key refused a row. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === UNIQUE || code === PRIMARY_KEY;
}
