import { IntegrityError } from '../codec/integrity-error.js';
import { StoreUnavailableError } from '../port.js';

/** What the client's errors have where they come from the server: its words, a number of gRPC, a type where it is known. */
interface ClientError extends Error {
  readonly code?: number;
  readonly type?: string;
  readonly details?: string;
  readonly _raw?: { readonly details?: string };
  /** Of a wrong expected version: the stream's last revision. */
  readonly actualVersion?: bigint | 'no_stream';
}

/** Of @grpc/grpc-js, by number; the others are told by their text. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'the call was cancelled',
  2: 'it failed',
  4: 'it did not answer in time',
  8: 'it is exhausted',
  10: 'it broke the call off',
  14: 'it cannot be reached',
};
const UNKNOWN = 2;
const EXHAUSTED = 8;
const INTERNAL = 13;
const UNREACHABLE = 14;

export const isNotLeader = (error: unknown): boolean => (error as ClientError).type === 'not-leader';
export const isStreamNotFound = (error: unknown): boolean => (error as ClientError).type === 'stream-not-found';
export const isTooLarge = (error: unknown): boolean => (error as ClientError).type === 'maximum-append-size-exceeded';
export const isWrongVersion = (error: unknown): boolean => (error as ClientError).type === 'wrong-expected-version';

/** Number of events that the stream of a wrong expected version has. */
export function actualVersion(error: unknown): number {
  const { actualVersion: last } = error as ClientError;
  return typeof last === 'bigint' ? Number(last) + 1 : 0;
}

/**
 * What the server answers to a reading of the log from where no record begins. It says the same where it cannot read a
 * record that does.
 */
export const isUnreadable = (error: unknown): boolean =>
  (error as ClientError).code === UNKNOWN && /^Unexpected ReadAllResult/.test(saidBy(error));

/**
 * The server says that it has no room. The client's own refusals have that code too, and so has a connection that was
 * told to calm down (HTTP/2, ENHANCE_YOUR_CALM): whether an append was written is unknown then.
 */
export const isFull = (error: unknown): boolean =>
  (error as ClientError).code === EXHAUSTED && /disk|space|room|full/i.test(saidBy(error));

/** The connection ended under the call, or there was none: the next call makes a new one. */
export function isLostConnection(error: unknown): boolean {
  const { code } = error as ClientError;
  if (code === UNREACHABLE) return true;
  if (code === EXHAUSTED) return !isFull(error);
  return code === INTERNAL && /RST_STREAM|session/i.test(saidBy(error));
}

/** What the server said, in one line. */
export function wordsOf(error: unknown): string {
  const { code, type } = error as ClientError;
  const said = saidBy(error);
  if (type === 'access-denied') return 'the user of the connection string may not do this, or the password is wrong';
  if (type === 'not-leader') return 'the cluster has no leader';
  const name = code === undefined ? undefined : NAMES[code];
  return name === undefined ? said : `${name} (${said})`;
}

function saidBy(error: unknown): string {
  const { message, details, _raw } = error as ClientError;
  return details ?? _raw?.details ?? message;
}

/** For all that leaves open what happened, or says that nothing can be done. */
export function unavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`EventStoreDB: ${wordsOf(error)}`, { cause: error });
}

/**
 * For what went wrong with one stream. Where it was deleted for good the server answers, and no later attempt finds more:
 * that is what a changed log is, and no outage, which all that reads the stream would wait for the end of.
 */
export function failureOf(stream: string, error: unknown): IntegrityError | StoreUnavailableError {
  if ((error as ClientError).type !== 'stream-deleted') return unavailable(error);
  return new IntegrityError(stream, 0, 'the stream was deleted for good; restore the database from a backup');
}

/** @throws StoreUnavailableError where it takes longer; what comes of it later is nobody's */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(what, ms)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function tooLate(what: string, ms: number): StoreUnavailableError {
  return new StoreUnavailableError(`EventStoreDB: no answer to ${what} within ${ms} ms`);
}

/** For what has no more say: an end that fails changes nothing. */
export async function quietly(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
