import type {
  AllStreamResolvedEvent,
  ReadPosition,
  ReadRevision,
  ResolvedEvent,
  StreamingRead,
} from '@eventstore/db-client';

import { checkLimit } from '../checks.js';
import { IntegrityError } from '../codec/integrity-error.js';
import {
  BEYOND_THE_END,
  comparePositions,
  type Page,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  START,
  type StreamSlice,
  UnknownPositionError,
} from '../port.js';
import { type Connection, LEADER_ATTEMPTS } from './connection.js';
import {
  failureOf,
  isLostConnection,
  isNotLeader,
  isStreamNotFound,
  isUnreadable,
  quietly,
  tooLate,
  unavailable,
} from './failures.js';
import { fromWire, isSystem, placeOf, positionIn, recordOf, type WireRecord } from './wire-events.js';

const DEFAULT_LIMIT = 1000;
/** A page ends after so many characters of text, so that large events do not make pages of gigabytes. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** With a type filter, which reading does not have on the server, one page looks at no more than this many records. */
const FILTER_WINDOW = 16_384;
/** Looking backwards for the newest event of ours: so many records of the server's own may stand behind it, at a time. */
const HEAD_WINDOW = 512;

type Read = StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>;

/** Reads; each waits at most the connection's deadline for the next record. */
export class Reader {
  /** The newest event known: the head is no further back. */
  private known: Position = START;

  constructor(private readonly connection: Connection) {}

  saw(position: Position): void {
    if (comparePositions(position, this.known) > 0) this.known = position;
  }

  async streamVersion(stream: string): Promise<number> {
    const last = (await this.stream(stream, { backwards: true, from: 'end', count: 1 }))?.[0];
    return last ? Number(last.revision) + 1 : 0;
  }

  async readStream(
    stream: string,
    { from, limit = DEFAULT_LIMIT, backwards = false }: ReadStreamOptions = {},
  ): Promise<StreamSlice> {
    checkLimit(limit);
    if (backwards) return this.readBackwards(stream, from, limit);
    const first = from ?? 0;
    if (first === BEYOND_THE_END) return { events: [], version: await this.streamVersion(stream) };
    // One more than is wanted: where it is not there, the slice ends with the stream's last event.
    const records = await this.stream(stream, { backwards, from: first, count: limit + 1 });
    if (!records) return { events: [], version: 0 };
    refuseGap(stream, first, records);
    const events = records.slice(0, limit).map(fromWire);
    if (records.length > 0 && records.length <= limit) return { events, version: events.at(-1)!.revision + 1 };
    const version = await this.streamVersion(stream);
    if (events.length === 0 && version > first) return this.readStream(stream, { from: first, limit });
    return { events, version };
  }

  private async readBackwards(stream: string, from: number | undefined, limit: number): Promise<StreamSlice> {
    if (from === undefined) {
      const records = await this.stream(stream, { backwards: true, from: 'end', count: limit });
      const events = (records ?? []).map(fromWire);
      return { events, version: events.length === 0 ? 0 : events[0]!.revision + 1 };
    }
    // Version first: what is appended in between lies beyond it and is left out, so the two agree.
    const version = await this.streamVersion(stream);
    if (version === 0) return { events: [], version };
    const last = Math.min(from, version - 1);
    const records = await this.stream(stream, { backwards: true, from: last, count: limit });
    return { events: (records ?? []).map(fromWire), version };
  }

  async readAll({ after, limit, types }: ReadAllOptions): Promise<Page> {
    checkLimit(limit);
    const look = new Look(after, limit, types);
    // A position is included, and one more says whether anything lies beyond. More would be cancelled, page after page.
    let count = types ? FILTER_WINDOW : limit + (after === START ? 1 : 2);
    for (let left = FILTER_WINDOW; left > 0; left -= count, count = HEAD_WINDOW) {
      let seen = 0;
      await this.all({ backwards: false, from: look.last, count }, (record) => {
        seen++;
        return look.take(record);
      });
      this.saw(look.scannedTo);
      if (look.isCut || seen < count) return look.page(!look.isCut);
      if (look.events.length === limit) break;
    }
    look.scannedTo = look.last;
    return look.page(false);
  }

  /** Backwards over what the server itself has written, to the newest event of ours or the newest known. */
  async head(): Promise<Position> {
    let from: Position | 'end' = 'end';
    // Mostly the last record is ours: what else is asked for would be sent for nothing.
    for (let count = 1; ; count = Math.min(HEAD_WINDOW, 32 * count)) {
      let [seen, found] = [0, undefined as Position | undefined];
      await this.all({ backwards: true, from, count }, (record) => {
        seen++;
        from = positionIn(record);
        if (isSystem(record) && comparePositions(from, this.known) > 0) return true;
        if (!isSystem(record)) found = from;
        return false;
      });
      if (found !== undefined) this.saw(found);
      if (found !== undefined || seen < count || comparePositions(from as Position, this.known) <= 0) return this.known;
    }
  }

  /** The event at a position; undefined where none begins there. */
  async eventAt(position: Position): Promise<RecordedEvent | undefined> {
    let found: RecordedEvent | undefined;
    try {
      await this.all({ backwards: false, from: position, count: 1 }, (record) => {
        if (positionIn(record) === position && !isSystem(record)) found = fromWire(record);
        return false;
      });
    } catch (error) {
      if (!(error instanceof UnknownPositionError)) throw error;
    }
    return found;
  }

  /** Null for a stream that is not there, or was deleted. */
  private async stream(
    stream: string,
    { backwards, from, count }: { backwards: boolean; from: number | 'end'; count: number },
  ): Promise<WireRecord[] | null> {
    const fromRevision: ReadRevision = from === 'end' ? 'end' : BigInt(from);
    const direction = backwards ? 'backwards' : 'forwards';
    const { client, options } = this.connection;
    const records: WireRecord[] = [];
    let isThere = true;
    const readRecords = async (): Promise<void> => {
      try {
        const read = client.readStream(stream, { ...options, direction, fromRevision, maxCount: count });
        await this.run(read, count, (record) => records.push(record) > 0);
      } catch (error) {
        if (!isStreamNotFound(error)) throw error;
        isThere = false;
      }
    };
    const faultOf = (error: unknown): Error => failureOf(stream, error);
    await this.tryingLeaders(readRecords, () => records.length === 0, faultOf);
    return isThere ? records : null;
  }

  private async all(
    { backwards, from, count }: { backwards: boolean; from: Position | 'end'; count: number },
    take: (record: WireRecord) => boolean,
  ): Promise<void> {
    const at: ReadPosition = from === 'end' ? 'end' : placeOf(from);
    const direction = backwards ? 'backwards' : 'forwards';
    const { client, options } = this.connection;
    let hasTaken = false;
    const taking = (record: WireRecord): boolean => {
      hasTaken = true;
      return take(record);
    };
    await this.tryingLeaders(
      async () => {
        try {
          await this.run(client.readAll({ ...options, direction, fromPosition: at, maxCount: count }), count, taking);
        } catch (error) {
          if (from !== 'end' && from !== START && isUnreadable(error)) await this.refuseUnknown(from);
          throw error;
        }
      },
      () => !hasTaken,
    );
  }

  /** Where the server reads its newest record it is the position that it could not read from. @throws UnknownPositionError */
  private async refuseUnknown(position: Position): Promise<void> {
    const { client, options } = this.connection;
    const newest = client.readAll({ ...options, direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    const answers = await this.run(newest, 1, () => true).then(
      () => true,
      () => false,
    );
    if (answers) throw new UnknownPositionError(position);
  }

  /** Again where the server is not the leader, and once more where the connection was lost before a record came. */
  private async tryingLeaders(
    read: () => Promise<void>,
    nothingCame: () => boolean,
    faultOf: (error: unknown) => Error = unavailable,
  ): Promise<void> {
    let [leaders, reconnections] = [LEADER_ATTEMPTS, 1];
    for (;;) {
      this.connection.refuseWhenClosed();
      try {
        return await read();
      } catch (error) {
        if (error instanceof UnknownPositionError) throw error;
        const again = isNotLeader(error) ? --leaders : isLostConnection(error) && nothingCame() && reconnections--;
        if (!again) throw faultOf(error);
      }
    }
  }

  /**
   * Record by record, of at most `count`, until `take` wants no more. The client sets no deadline for reads: the next
   * record has ours. What has come to its end is not cancelled: servers end connections on which that is done often.
   */
  private async run(read: Read, count: number, take: (record: WireRecord) => boolean): Promise<void> {
    const { deadlineMs } = this.connection;
    // Its errors are those of the loop; one that comes after the loop has no other listener.
    read.on('error', () => undefined);
    const timer = setTimeout(() => read.destroy(tooLate('a read', deadlineMs)), deadlineMs);
    let [seen, isWhole] = [0, false];
    try {
      for await (const resolved of read as AsyncIterable<ResolvedEvent>) {
        timer.refresh();
        seen++;
        const record = recordOf(resolved);
        const wantsMore = record === undefined || take(record);
        if (!wantsMore && seen < count) return;
      }
      isWhole = true;
    } catch (error) {
      isWhole = isStreamNotFound(error);
      throw error;
    } finally {
      clearTimeout(timer);
      if (!isWhole) void quietly(read.cancel());
    }
  }
}

/** What one page has come to. */
class Look {
  readonly events: RecordedEvent[] = [];
  /** The last event of ours, wanted or not. */
  scannedTo: Position;
  /** The last record, whoever wrote it. */
  last: Position;
  /** There is more than the page holds. */
  isCut = false;
  private characters = 0;
  private readonly wanted: ReadonlySet<string> | undefined;

  constructor(
    after: Position,
    private readonly limit: number,
    types: readonly string[] | undefined,
  ) {
    this.scannedTo = this.last = after;
    this.wanted = types && new Set(types);
  }

  /** Whether it wants more. */
  take(record: WireRecord): boolean {
    const position = positionIn(record);
    if (comparePositions(position, this.last) <= 0) return true;
    const isFull = this.events.length === this.limit || this.characters >= MAX_PAGE_CHARACTERS;
    if (isFull && !isSystem(record)) {
      this.isCut = true;
      return false;
    }
    this.last = position;
    if (isSystem(record)) return true;
    this.scannedTo = position;
    if (this.wanted && !this.wanted.has(record.type)) return true;
    const event = fromWire(record);
    this.events.push(event);
    this.characters += event.text.length;
    return true;
  }

  page(atHead: boolean): Page {
    return { events: this.events, scannedTo: this.scannedTo, atHead };
  }
}

/**
 * A stream that was cut at its beginning would pass for whole, with other versions. The server answers, and no later
 * attempt finds more: it is what a changed log is, and no outage.
 * @throws IntegrityError
 */
function refuseGap(stream: string, first: number, records: readonly WireRecord[]): void {
  const found = records[0] && Number(records[0].revision);
  if (found === undefined || found === first) return;
  throw new IntegrityError(
    stream,
    first,
    `the stream has lost its events before number ${found}: it was deleted or cut short`,
  );
}
