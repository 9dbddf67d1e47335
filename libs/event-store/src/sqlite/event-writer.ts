import {
  closeStoreFile,
  type DatabaseSync,
  describeFileError,
  type FileOwner,
  isStorageFull,
  isUniqueViolation,
  whyNoRoom,
} from '#lib/sqlite';

import { LruMap } from '../lru-map.js';
import { EVENT_LOG } from './event-schema.js';
import {
  type AppendAnswer,
  type AppendToWrite as WriteRequest,
  type EventToWrite,
  type PackedAppends,
  unpackAppends,
} from './append-messages.js';

interface StreamState {
  readonly id: number;
  /** Number of events. */
  readonly version: number;
}

/** A stream nobody has written yet. */
const NO_STREAM = 0;
const CACHED_STREAMS = 50_000;

/** An append of the batch holds an id that its stream has already, at another place. */
class DuplicateInBatch extends Error {
  constructor(
    readonly request: WriteRequest,
    readonly id: string,
  ) {
    super('duplicate event id');
  }
}

/**
 * The one writer of the event log. A batch is one transaction: versions are checked before anything is inserted, which
 * the single writer can do, so that a conflict needs no savepoint. The few faults that show only while inserting undo
 * the whole transaction and the batch is written again without their cause.
 */
export class EventWriter implements FileOwner<WriteRequest, AppendAnswer> {
  private streams = new LruMap<string, StreamState>(CACHED_STREAMS);
  private readonly sql: ReturnType<typeof prepareStatements>;
  private lastPosition: number;
  private lastStream: number;

  constructor(
    private readonly db: DatabaseSync,
    private readonly path: string,
  ) {
    this.sql = prepareStatements(db);
    this.lastPosition = this.sql.lastPosition.get()!.last;
    this.lastStream = this.sql.lastStream.get()!.last;
  }

  answer(requests: readonly WriteRequest[]): readonly AppendAnswer[] {
    const refused = new Map<WriteRequest, AppendAnswer>();
    for (;;) {
      try {
        return this.commit(requests, refused);
      } catch (error) {
        this.undo();
        if (error instanceof DuplicateInBatch) refused.set(error.request, { outcome: 'duplicate', id: error.id });
        else if (isStorageFull(error)) return this.answerAlone(requests, refused, whyNoRoom(error));
        else throw describeFileError(this.path, EVENT_LOG.name, error);
      }
    }
  }

  unpack(packed: unknown): readonly WriteRequest[] {
    return unpackAppends(packed as PackedAppends);
  }

  /** The texts that were sealed here go back without a copy: they are stored. */
  handOver(answers: readonly AppendAnswer[]): readonly ArrayBuffer[] {
    return answers.flatMap((answer) =>
      answer.outcome === 'appended' && answer.sealed ? answer.sealed.bytes.buffer : [],
    );
  }

  close(): void {
    closeStoreFile(this.db);
  }

  private commit(requests: readonly WriteRequest[], refused: ReadonlyMap<WriteRequest, AppendAnswer>): AppendAnswer[] {
    const now = Date.now();
    this.db.exec('BEGIN IMMEDIATE');
    const answers = requests.map((request) => refused.get(request) ?? this.append(request, now));
    this.db.exec('COMMIT');
    return answers;
  }

  private append(request: WriteRequest, now: number): AppendAnswer {
    const { stream: name, expected, events } = request;
    const stream = this.streamOf(name);
    const matches =
      expected === 'exists' ? stream.version > 0 : stream.version === (expected === 'none' ? 0 : expected);
    if (!matches) return this.conflict(request, stream);
    if (expected === 'exists') {
      const { id } = events[0]!;
      const before = this.placeOf(stream, id);
      if (before !== undefined) return this.repeated(stream, before, events) ?? { outcome: 'duplicate', id };
    }

    const id = stream.id === NO_STREAM ? this.createStream(name) : stream.id;
    let version = stream.version;
    for (const event of events) {
      try {
        this.sql.insert.run(++this.lastPosition, id, version++, event.id, event.type, now, event.text);
      } catch (error) {
        throw isUniqueViolation(error) ? new DuplicateInBatch(request, event.id) : error;
      }
    }
    this.streams.set(name, { id, version });
    const { sealed } = request;
    const appended = { outcome: 'appended', version, position: this.lastPosition, recordedAt: now } as const;
    return sealed ? { ...appended, sealed } : appended;
  }

  /** A repetition of what is stored is no conflict: its first answer was lost. */
  private conflict({ expected, events }: WriteRequest, stream: StreamState): AppendAnswer {
    if (typeof expected === 'number' || expected === 'none') {
      const repeated = this.repeated(stream, expected === 'none' ? 0 : expected, events);
      if (repeated) return repeated;
    }
    for (const { id } of events) {
      if (this.placeOf(stream, id) !== undefined) return { outcome: 'duplicate', id };
    }
    return { outcome: 'conflict', version: stream.version };
  }

  private repeated(stream: StreamState, from: number, events: readonly EventToWrite[]): AppendAnswer | null {
    const count = events.length;
    if (from + count > stream.version) return null;
    const stored = this.sql.slice.all(stream.id, from, from + count);
    if (!stored.every(({ id }, i) => id === events[i]!.id)) return null;
    return { outcome: 'repeated', version: from + count, position: stored.at(-1)!.position };
  }

  private placeOf(stream: StreamState, eventId: string): number | undefined {
    return this.sql.revisionOf.get(stream.id, eventId)?.revision;
  }

  private streamOf(name: string): StreamState {
    const cached = this.streams.get(name);
    if (cached) return cached;
    const found = this.sql.stream.get(name);
    if (!found) return { id: NO_STREAM, version: 0 };
    this.streams.set(name, found);
    return found;
  }

  private createStream(name: string): number {
    this.sql.insertStream.run(++this.lastStream, name);
    return this.lastStream;
  }

  /** Together they do not fit; those that do alone are taken. */
  private answerAlone(
    requests: readonly WriteRequest[],
    refused: ReadonlyMap<WriteRequest, AppendAnswer>,
    reason: string,
  ): readonly AppendAnswer[] {
    if (requests.length === 1) return [{ outcome: 'full', reason }];
    return requests.map((request) => refused.get(request) ?? this.answer([request])[0]!);
  }

  /** Back to what is committed, in the file and in memory. After SQLITE_FULL the transaction is gone already. */
  private undo(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.streams = new LruMap(CACHED_STREAMS);
    this.lastPosition = this.sql.lastPosition.get()!.last;
    this.lastStream = this.sql.lastStream.get()!.last;
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    lastPosition: db.prepare<{ last: number }>('SELECT coalesce(max(position), 0) AS last FROM events'),
    lastStream: db.prepare<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM streams'),
    stream: db.prepare<{ id: number; version: number }>(
      `SELECT id, (SELECT max(revision) + 1 FROM events WHERE stream = streams.id) AS version
       FROM streams WHERE name = ?`,
    ),
    slice: db.prepare<{ id: string; position: number }>(
      `SELECT lower(hex(id)) AS id, position FROM events
       WHERE stream = ? AND revision >= ? AND revision < ? ORDER BY revision`,
    ),
    revisionOf: db.prepare<{ revision: number }>('SELECT revision FROM events WHERE stream = ? AND id = unhex(?)'),
    insertStream: db.prepare('INSERT INTO streams (id, name) VALUES (?, ?)'),
    // The cast of bytes to text changes their name alone: they are UTF-8, as the file is.
    insert: db.prepare(
      `INSERT INTO events (position, stream, revision, id, type, recorded_at, text)
       VALUES (?, ?, ?, unhex(?), ?, ?, CAST(? AS TEXT))`,
    ),
  };
}
