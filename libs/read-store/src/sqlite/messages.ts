import { isStorageFull } from '#lib/sqlite';
import { ReadStoreCorruptError, ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';
import type { CollectionDefinition, Generation } from '../port.js';
import type { PreparedBatch } from './document-writer.js';

export interface WorkerData {
  readonly path: string;
  readonly synchronous: 'NORMAL' | 'OFF';
}

export type WriteRequest =
  | { readonly kind: 'prepare'; readonly generation: Generation; readonly definitions: readonly CollectionDefinition[] }
  | { readonly kind: 'claim'; readonly generation: Generation }
  | { readonly kind: 'apply'; readonly generation: Generation; readonly batch: PreparedBatch }
  | { readonly kind: 'drop'; readonly generation: Generation };

/** Errors lose their class on the way between threads, so they travel as what they mean. */
export type Answer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: 'definition' | 'corrupt' | 'unavailable'; readonly message: string };

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

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
      message: isStorageFull(error) ? `the disk is full (${message})` : message,
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

/** Whether SQLite found the file to be none of its own. */
export function isDamaged(error: unknown): boolean {
  const primary = (sqliteErrorCode(error) ?? 0) & 0xff;
  return primary === CORRUPT || primary === NOT_A_DATABASE;
}

/** By its members and not by its class: a native module's errors belong to the realm that loaded it. */
export function sqliteErrorCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
