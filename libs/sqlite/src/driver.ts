import { createRequire } from 'node:module';
import { versions } from 'node:process';

/** What SQLite stores. Booleans, dates and undefined are not among them: convert before binding. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface RunResult {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

/**
 * A prepared statement. Prepare once and keep it: preparing in a loop that never yields leaks gigabytes.
 * The type parameter names the row's shape; it is the caller's word, the driver does not check it.
 */
export interface Statement<R = Row> {
  run(...parameters: readonly SqlValue[]): RunResult;
  get(...parameters: readonly SqlValue[]): R | undefined;
  all(...parameters: readonly SqlValue[]): R[];
  /** Rows as arrays in the order of the columns: faster than objects where many rows are read. */
  setReturnArrays(enabled: boolean): void;
  setReadBigInts(enabled: boolean): void;
}

/**
 * The rows of a statement, one after another. Where a step fails, the twin leaves the statement open, and its connection
 * goes on showing the file as it was then, whatever is stored since: here it is let go of.
 */
export function* eachRow<R>(
  statement: Statement<R>,
  ...parameters: readonly SqlValue[]
): Generator<R, void, undefined> {
  try {
    yield* (statement as Iterated<R>).iterate(...parameters);
  } catch (error) {
    letGo(statement, parameters);
    throw error;
  }
}

interface Iterated<R> extends Statement<R> {
  iterate(...parameters: readonly SqlValue[]): Iterable<R>;
}

function letGo(statement: Statement<unknown>, parameters: readonly SqlValue[]): void {
  try {
    statement.get(...parameters);
  } catch {
    // It fails as it did, and is closed by that.
  }
}

/** The part of node:sqlite's DatabaseSync that both drivers have and we use. */
export interface DatabaseSync {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare<R = Row>(sql: string): Statement<R>;
  function(name: string, implementation: (...parameters: SqlValue[]) => null): void;
  /**
   * The twin lets go of the file only when every statement prepared on the connection has been collected as garbage, or
   * its thread has ended; until then the file has one more reader. So a connection that lives shortly prepares nothing,
   * and a writer's end is not what cuts the WAL: `closeStoreFile` does.
   */
  close(): void;
}

interface DatabaseSyncOptions {
  readonly readOnly?: boolean;
  readonly timeout?: number;
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: DatabaseSyncOptions) => DatabaseSync;
}

export interface OpenOptions {
  /** Default false. Such a connection makes no file and takes no write. */
  readonly readOnly?: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds; default 5000. */
  readonly busyTimeoutMs?: number;
}

/**
 * Opens a connection and touches nothing: SQLite reads the file at the first statement. Callers who want a file of
 * ours checked before its first use want `openStoreFile`.
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  const { readOnly = false, busyTimeoutMs = 5000 } = options;
  return new (driver().DatabaseSync)(path, { readOnly, timeout: busyTimeoutMs });
}

let loaded: Driver | undefined;

function driver(): Driver {
  loaded ??= builtInDriver() ?? (createRequire(import.meta.url)('@photostructure/sqlite') as Driver);
  return loaded;
}

/**
 * node:sqlite where it has all of the interface above: isTransaction and setReturnArrays came with 22.16 and 24.0. The
 * twin is the same code built for older Nodes.
 */
function builtInDriver(): Driver | undefined {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (!(major >= 24 || (major === 22 && minor >= 16))) return undefined;
  return withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite') as Driver | undefined);
}

/** The warning says nothing a user of ours could act on, and would be the first line of every command's output. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
