import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';

import { checkAppend } from '../checks.js';
import {
  type Appended,
  AppendTooLargeError,
  type Conflict,
  DuplicateEventError,
  type EventToAppend,
  type ExpectedVersion,
  type NonEmpty,
  positionOf,
  type RecordedEvent,
  StorageFullError,
  StoreUnavailableError,
} from '../port.js';
import type { Connection } from './connection.js';
import { actualVersion, failureOf, isFull, isTooLarge, isWrongVersion } from './failures.js';
import type { Reader } from './reader.js';
import type { IdsOfStream, StreamIds } from './stream-ids.js';
import { toWire, wireSize } from './wire-events.js';

/** What the server takes in one append. */
const MAX_WIRE_BYTES = 1024 * 1024;
const SLICE = 4096;
/** What the server has committed and does not give to readers yet is waited for so long. */
const MOST_UNREAD_MS = 1_000;
const UNREAD_PAUSE_MS = 5;
/** An append to 'exists' looks again so often where others write to the stream. */
const EXISTS_ATTEMPTS = 64;

/** Appends with the promises of the port, of which the server keeps only the expected revision and all-or-nothing. */
export class Appender {
  /** Streams to which an append went whose result is not known: they are read before the next. */
  private readonly uncertain = new Set<string>();

  constructor(
    private readonly connection: Connection,
    private readonly reader: Reader,
    private readonly ids: StreamIds,
  ) {}

  async append(
    stream: string,
    expected: ExpectedVersion,
    events: NonEmpty<EventToAppend>,
  ): Promise<Appended | Conflict> {
    const size = wireSize(events, checkAppend(stream, expected, events));
    if (stream.startsWith('$') || events.some(({ type }) => type.startsWith('$'))) {
      throw new TypeError('names that begin with $ are for what EventStoreDB itself writes');
    }
    if (size > MAX_WIRE_BYTES) throw new AppendTooLargeError(size);
    this.connection.refuseWhenClosed();
    return expected === 'exists'
      ? this.appendToExisting(stream, events)
      : this.appendAt(stream, expected === 'none' ? 0 : expected, events);
  }

  private async appendAt(
    stream: string,
    version: number,
    events: NonEmpty<EventToAppend>,
  ): Promise<Appended | Conflict> {
    // No turn is waited for what is known.
    const ids = this.idsUpTo(stream, version) ?? (await this.readIds(stream));
    // It holds more, or less, or one of these ids: whatever the answer is, it stands in the stream.
    if (ids.version !== version || events.some(({ id }) => ids.find(id) !== undefined)) {
      return this.settle(stream, version, events);
    }
    const written = await this.write(stream, version, events);
    return typeof written === 'number' ? this.settle(stream, version, events, written) : written;
  }

  private async appendToExisting(stream: string, events: NonEmpty<EventToAppend>): Promise<Appended | Conflict> {
    for (let attempt = 1; attempt <= EXISTS_ATTEMPTS; attempt++) {
      const ids = await this.readIds(stream);
      const { version } = ids;
      if (version === 0) return { outcome: 'conflict', version };
      const place = ids.find(events[0].id);
      if (place !== undefined) return this.settle(stream, place, events);
      await this.refuseKnown(stream, events);
      const written = await this.write(stream, version, events);
      if (typeof written !== 'number') return written;
      await this.readIds(stream, written);
    }
    throw new StoreUnavailableError(`others wrote to ${stream} before each of ${EXISTS_ATTEMPTS} attempts`);
  }

  /**
   * @returns where the stream is not at that version, the number of events that it has or will soon be read to have
   * @throws StoreUnavailableError where the result is not known
   */
  private async write(stream: string, version: number, events: NonEmpty<EventToAppend>): Promise<Appended | number> {
    const { client, options, deadlineMs } = this.connection;
    const expectedRevision = version === 0 ? ('no_stream' as const) : BigInt(version - 1);
    const writing = randomUUID();
    const wire = events.map((event) => toWire(event, writing));
    try {
      const { nextExpectedRevision, position } = await this.connection.call('an append', () =>
        client.appendToStream(stream, wire, { ...options, deadline: deadlineMs, expectedRevision }),
      );
      const after = Number(nextExpectedRevision) + 1;
      if (after !== version + events.length) throw begunAnew(stream, version, after);
      const at = positionOf(position!.commit);
      this.ids.take(
        stream,
        events.map(({ id }, i) => ({ revision: version + i, id })),
      );
      this.reader.saw(at);
      return { outcome: 'appended', repeated: false, version: after, position: at };
    } catch (error) {
      if (isWrongVersion(error)) return actualVersion(error);
      if (isTooLarge(error)) throw new AppendTooLargeError(wireSize(events, 0));
      if (isFull(error)) throw new StorageFullError('the disk of EventStoreDB is full', { cause: error });
      this.uncertain.add(stream);
      throw failureOf(stream, error);
    }
  }

  /** The answer where these events are not simply new: they were written before, some were, or others took their place. */
  private async settle(
    stream: string,
    version: number,
    events: NonEmpty<EventToAppend>,
    atLeast = 0,
  ): Promise<Appended | Conflict> {
    const ids = await this.readIds(stream, atLeast);
    const stored = await this.storedAt(stream, version, events.length, ids.version);
    if (stored.length === events.length && events.every(({ id }, i) => stored[i]!.id === id)) {
      const { revision, position } = stored.at(-1)!;
      return { outcome: 'appended', repeated: true, version: revision + 1, position };
    }
    await this.refuseKnown(stream, events);
    return { outcome: 'conflict', version: ids.version };
  }

  private async storedAt(
    stream: string,
    from: number,
    count: number,
    version: number,
  ): Promise<readonly RecordedEvent[]> {
    if (from >= version) return [];
    const { events } = await this.reader.readStream(stream, { from, limit: Math.min(SLICE, count) });
    if (events.length < Math.min(count, version - from) && events.length === SLICE) {
      return [...events, ...(await this.storedAt(stream, from + SLICE, count - SLICE, version))];
    }
    return events;
  }

  /** @throws DuplicateEventError for the first of these ids that the stream holds */
  private async refuseKnown(stream: string, events: NonEmpty<EventToAppend>): Promise<void> {
    const ids = this.ids.of(stream);
    for (const { id } of events) {
      const revision = ids.find(id);
      if (revision === undefined) continue;
      const [stored] = (await this.reader.readStream(stream, { from: revision, limit: 1 })).events;
      if (stored?.id === id) throw new DuplicateEventError(id);
    }
  }

  /** Of a stream to which nothing was written yet there is nothing to know. */
  private idsUpTo(stream: string, version: number): IdsOfStream | undefined {
    const ids = this.ids.of(stream);
    return ids.version >= version && !this.uncertain.has(stream) ? ids : undefined;
  }

  /**
   * All ids of a stream, as of now.
   * @param atLeast so many events the server said that it has: what it counts in an append can be read a moment later
   */
  private async readIds(stream: string, atLeast = 0): Promise<IdsOfStream> {
    const wasUncertain = this.uncertain.delete(stream);
    const until = performance.now() + MOST_UNREAD_MS;
    try {
      for (;;) {
        const ids = this.ids.of(stream);
        const { events } = await this.reader.readStream(stream, { from: ids.version, limit: SLICE });
        this.ids.take(stream, events);
        if (events.length === SLICE) continue;
        if (ids.version >= atLeast || performance.now() > until) return ids;
        await rest(UNREAD_PAUSE_MS);
      }
    } catch (error) {
      if (wasUncertain) this.uncertain.add(stream);
      throw error;
    }
  }
}

/** The server lets a deleted stream begin again behind its old end; what stands there now is not what we count. */
function begunAnew(stream: string, version: number, after: number): StoreUnavailableError {
  return new StoreUnavailableError(
    `EventStoreDB: stream ${stream} was deleted and began anew: events for version ${version} were written before version ${after}`,
  );
}
