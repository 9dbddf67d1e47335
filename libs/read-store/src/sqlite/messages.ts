import { isStorageFull, sqliteCode, whyNoRoom } from '#lib/sqlite';
import { ReadStoreCorruptError, ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';
import type { Checkpoint, CollectionDefinition, Generation } from '../port.js';
import type { PreparedBatch } from './document-writer.js';
import { KeptJsonError } from './kept-json.js';
import type { Place } from './tables.js';

export interface WorkerData {
  /** Whether the files of this thread need not outlive a crash of the machine. */
  readonly disposable: boolean;
}

export type WriteRequest =
  | {
      readonly kind: 'prepare';
      readonly generation: Generation;
      readonly definitions: readonly CollectionDefinition[];
      readonly indexed: boolean;
    }
  | { readonly kind: 'claim'; readonly generation: Generation }
  | { readonly kind: 'apply'; readonly generation: Generation; readonly batch: PreparedBatch }
  | { readonly kind: 'drop'; readonly generation: Generation }
  | { readonly kind: 'place'; readonly generation: Generation; readonly place: Place };

export type WriteAnswer = Answer<Checkpoint | 'applied' | 'fenced' | null>;

/** A request and the file that it is about; `release` lets go of the file. */
export interface FileRequest {
  readonly path: string;
  readonly request: WriteRequest | 'release';
}

/** Errors lose their class on the way between threads, so they travel as what they mean. */
export type Answer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: 'definition' | 'corrupt' | 'unavailable'; readonly message: string };

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const UNKNOWN_NAME = /^no such (table|column)/;

export function answer<T>(work: () => T): Answer<T> {
  try {
    return { kind: 'done', value: work() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ReadStoreDefinitionError) return { kind: 'failed', reason: 'definition', message };
    if (isDamaged(error)) return { kind: 'failed', reason: 'corrupt', message };
    return {
      kind: 'failed',
      reason: 'unavailable',
      message: isStorageFull(error) ? `${whyNoRoom(error)} (${message})` : message,
    };
  }
}

/** @throws the error that an answer stands for */
export function valueOf<T>(path: string, given: Answer<T>): T {
  if (given.kind === 'done') return given.value;
  if (given.reason === 'definition') throw new ReadStoreDefinitionError(given.message);
  if (given.reason === 'corrupt') throw new ReadStoreCorruptError(path, given.message);
  throw new ReadStoreUnavailableError(given.message);
}

/** Whether the file was found to be none of SQLite's own, or to hold what no release writes. */
export function isDamaged(error: unknown): boolean {
  if (error instanceof KeptJsonError) return true;
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  return primary === CORRUPT || primary === NOT_A_DATABASE;
}

/** Whether a table or a column is not there. */
export function isUnknownName(error: unknown): boolean {
  return isSqliteError(error) && UNKNOWN_NAME.test(error.message);
}

/** By its members and not by its class: a native module's errors belong to the realm that loaded it. */
export function isSqliteError(error: unknown): error is { readonly message: string; readonly errcode?: number } {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}
