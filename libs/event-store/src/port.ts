/**
 * The event store port: bytes in, bytes out. Meaning (signatures, versions, personal fields) is the codec's business;
 * a store keeps what it is given, in order, once, and never acknowledges what it has not stored.
 */

import type { SealOrder } from './codec/seal-order.js';

/** Opaque and totally ordered by `comparePositions`; a decimal text, so that it travels in JSON without loss. */
export type Position = string & { readonly __brand: 'Position' };

/** Before the first event of any store. */
export const START = '0' as Position;

/** @throws RangeError unless `text` is a decimal number without leading zeros, at most 20 digits */
export function positionOf(text: string | number | bigint): Position {
  const decimal = String(text);
  if (!/^(0|[1-9][0-9]{0,19})$/.test(decimal))
    throw new RangeError(`a position is a decimal number, not "${decimal.slice(0, 40)}"`);
  return decimal as Position;
}

export function comparePositions(a: Position, b: Position): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The version a stream must have for an append to happen: its number of events, or one of two words. */
export type ExpectedVersion = number | 'none' | 'exists';

export type NonEmpty<T> = readonly [T, ...T[]];

export interface EventToAppend {
  /**
   * event_id: 64 lower-case hex. Stores keep it unique within its stream, and none looks across streams: there it is
   * unique only because a seed numbers its events across all the streams they go to. Who lets the stream follow from
   * what a caller may vary under one seed must bind the seed first (RequestBindings in libs/access).
   */
  readonly id: string;
  readonly type: string;
  /** The signed canonical text, stored byte for byte. */
  readonly text: string;
  /** The bytes of `text`, where whoever made it has them: a store that writes bytes need not make them again. */
  readonly utf8?: Uint8Array;
  /**
   * The append that the event was made for, where `text` and `utf8` are made at the first look: a store with a thread of
   * its own has that done there. One order holds all events of one append.
   */
  readonly order?: SealOrder;
  /** It is of another store, whose log is copied here. A store that logs are copied to says so of the event for ever. */
  readonly copied?: true;
}

export interface RecordedEvent {
  readonly stream: string;
  /** Index in its stream, from 0. */
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly text: string;
  /** The bytes of `text`, where the store has them at hand. */
  readonly utf8?: Uint8Array | undefined;
  /** As it was appended; absent in a store that logs are not copied to. */
  readonly copied?: true;
  /** Milliseconds since the Unix epoch at which the store took it; for people only. */
  readonly recordedAt: number;
}

export interface Appended {
  readonly outcome: 'appended';
  /** True where these events were there already: the answer to the first append was lost, this is it again. */
  readonly repeated: boolean;
  /** Number of events in the stream after the append. */
  readonly version: number;
  /** Position of the last of the events. */
  readonly position: Position;
}

export interface Conflict {
  readonly outcome: 'conflict';
  /** Number of events the stream has. */
  readonly version: number;
}

export interface ReadStreamOptions {
  /** First revision to read, default 0 (backwards: the last). */
  readonly from?: number;
  /** At most this many events, 1 to 4096, default 1000. */
  readonly limit?: number;
  readonly backwards?: boolean;
}

/** Beyond the end of every stream: from here, the version alone is asked for. */
export const BEYOND_THE_END = Number.MAX_SAFE_INTEGER - 1;

/** A part of a stream, forwards. */
export interface StreamPart {
  readonly stream: string;
  /** First revision to read; BEYOND_THE_END for who wants the version alone. */
  readonly from: number;
  /** At most this many events, 1 to 4096. */
  readonly limit: number;
}

export interface StreamSlice {
  readonly events: readonly RecordedEvent[];
  /** Number of events the stream had when it was read; 0 for a stream that does not exist. */
  readonly version: number;
}

export interface ReadAllOptions {
  /** Exclusive. */
  readonly after: Position;
  /** At most this many events, 1 to 4096. */
  readonly limit: number;
  /** Only events of these types; all where absent. */
  readonly types?: readonly string[];
}

export interface Page {
  readonly events: readonly RecordedEvent[];
  /**
   * Everything up to here has been looked at, whether it matched or not. A page may end before its limit: where events
   * are large, or where a filter has looked at many that did not match.
   */
  readonly scannedTo: Position;
  /** True where nothing lay beyond `scannedTo` when the page was read. */
  readonly atHead: boolean;
  /**
   * Where it holds what this process appended itself, as it appended it. What was read back may be what somebody else has
   * written to the store since.
   */
  readonly isOwn?: true;
}

export type SubscriptionItem =
  | { readonly kind: 'page'; readonly page: Page }
  /** Once, when everything that was there has been delivered. */
  | { readonly kind: 'caughtUp'; readonly position: Position };

export interface SubscribeOptions {
  /** Exclusive. */
  readonly after: Position;
  readonly types?: readonly string[];
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

export interface EventStore {
  /**
   * All events or none. A conflict changes nothing. Where the stream already holds exactly these event ids from the
   * expected version on (with 'exists': anywhere), the first result is given again (`repeated`).
   * @throws TypeError for a name, id, type or text that could not be given back unchanged
   * @throws DuplicateEventError, StorageFullError, StoreUnavailableError, AppendTooLargeError
   */
  append(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>): Promise<Appended | Conflict>;
  readStream(stream: string, options?: ReadStreamOptions): Promise<StreamSlice>;
  /**
   * The first events (revision 0) of these streams, as `readStream` gives them, in one question and in any order; none of
   * a stream that has none. Absent in a store that would have to ask for each by itself.
   */
  readFirst?(streams: readonly string[]): Promise<readonly RecordedEvent[]>;
  /**
   * Parts of streams, each as `readStream` gives it and in their order, in one question. Undefined for one that is left to
   * be read by itself: where the answer would be too large, or the stream is not whole. Absent in a store that would have
   * to ask for each by itself.
   */
  readStreams?(parts: readonly StreamPart[]): Promise<readonly (StreamSlice | undefined)[]>;
  /** Number of events in a stream, as of every append acknowledged before the call. */
  streamVersion(stream: string): Promise<number>;
  /** The same at once, where nobody need be asked; undefined where `streamVersion` must be. Absent in a store that others write to. */
  knownVersion?(stream: string): number | undefined;
  /** @throws UnknownPositionError, where positions are not the numbers of events */
  readAll(options: ReadAllOptions): Promise<Page>;
  /** The position of the newest event; START in an empty store. */
  head(): Promise<Position>;
  /** The event at a position; absent where positions follow one another, so that reading behind the one before does. */
  eventAt?(position: Position): Promise<RecordedEvent | undefined>;
  /** Bytes that the log takes in the data folder; absent in a store elsewhere. */
  localBytes?(): number;
  /** Number of events after a position; absent in a store that would have to read them all to know it. */
  count?(after: Position): Promise<number>;
  /**
   * Pages as they become available, without gap or repetition, until the signal aborts or the store closes. With a
   * filter a page may be empty: it moves the checkpoint.
   */
  subscribeAll(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  close(): Promise<void>;
}

/** The event that begins at a position; undefined where none does. */
export async function eventAt(store: EventStore, position: Position): Promise<RecordedEvent | undefined> {
  if (position === START) return undefined;
  if (store.eventAt) return store.eventAt(position);
  const [event] = (await store.readAll({ after: positionOf(BigInt(position) - 1n), limit: 1 })).events;
  return event?.position === position ? event : undefined;
}

/** An event id is stored already in this stream, in another place than this append would put it; or it occurs twice. */
export class DuplicateEventError extends Error {
  constructor(readonly eventId: string) {
    super(`event ${eventId} is stored already, at another place of its stream`);
    this.name = 'DuplicateEventError';
  }
}

/** Nothing was written because there is no room; a later append works once there is. */
export class StorageFullError extends Error {
  /** @param reason names the limit, for whoever is refused: no path, and no word of a server */
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the store is full: ${reason}`, options);
    this.name = 'StorageFullError';
  }
}

/** The store did not answer or answered with a fault; whether an append was written is unknown. */
export class StoreUnavailableError extends Error {
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the store is unavailable: ${reason}`, options);
    this.name = 'StoreUnavailableError';
  }
}

/** No event begins at a position from which was to be read; only where positions are not the numbers of events. */
export class UnknownPositionError extends Error {
  constructor(readonly position: Position) {
    super(`no event of this log is at position ${position}`);
    this.name = 'UnknownPositionError';
  }
}

/** More than one append may carry; split it. */
export class AppendTooLargeError extends Error {
  constructor(readonly bytes: number) {
    super(`an append of ${bytes} bytes is over ${MAX_APPEND_BYTES}`);
    this.name = 'AppendTooLargeError';
  }
}

/** Every store takes an append of this size (EventStoreDB refuses more than 1 MiB). */
export const MAX_APPEND_BYTES = 900 * 1024;
