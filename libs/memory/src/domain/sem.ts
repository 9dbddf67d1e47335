import { canonicalize, sha256Hex, type DomainEvent, type EventMetadata, type Json, type JsonObject } from '#lib/kernel';

import type { Content } from './content.js';
import { memoryEvent, type SemDelete, type SemPut } from './sem.events.js';
import { nextTimestamp, parseTimestamp, refuseFuture } from './write-time.js';

/** Where a state came from: the event that made it current. */
export interface EventRef {
  readonly event_id: string;
  readonly revision: number;
  readonly position: string;
}

/** What is current, with value, notes and meta as stored: personal ones stay encrypted until they are read. */
export interface Present extends EventRef {
  readonly deleted: false;
  readonly source: string;
  readonly timestamp: string;
  readonly value: Json;
  readonly notes?: Json;
  readonly meta?: Json;
}

export interface Deleted extends EventRef {
  readonly deleted: true;
  readonly source: string;
  readonly timestamp: string;
}

/** A write as a later one must know it: by what it was numbered. */
export interface WriteRef extends EventRef {
  readonly type: string;
  readonly job_seed: string;
  readonly sequence_index: number;
  readonly request_digest?: string;
  readonly applied: boolean;
}

export interface SemState {
  /** Undefined where nothing was ever stored under the key. */
  readonly current?: Present | Deleted;
  /** The newest write: a command that raced with itself finds its own event here. */
  readonly last?: WriteRef;
}

/** An event of `sem-{key}` with its place in the log. */
export interface PlacedEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly revision: number;
  readonly position: string;
}

export interface PutDecision {
  readonly key: string;
  readonly content: Content;
  readonly source: string;
  /** The server's time where absent. */
  readonly timestamp?: string;
  /** Real time at the edge, milliseconds since the Unix epoch. */
  readonly now: number;
}

export interface DeleteDecision {
  readonly key: string;
  readonly source: string;
  readonly now: number;
}

export const initialSem: SemState = {};

export function evolveSem(state: SemState, event: PlacedEvent): SemState {
  const last = writeRef(event);
  if (!last.applied) return { ...state, last };
  const place = { event_id: event.metadata.event_id, revision: event.revision, position: event.position };
  if (event.type === 'sem_delete') {
    const { source, timestamp } = event.data as unknown as SemDelete;
    return { current: { deleted: true, source, timestamp, ...place }, last };
  }
  const { value, source, timestamp, notes, meta } = event.data as unknown as SemPut;
  const optional = { ...(notes === undefined ? {} : { notes }), ...(meta === undefined ? {} : { meta }) };
  return { current: { deleted: false, value, source, timestamp, ...optional, ...place }, last };
}

/**
 * Last write wins by (timestamp, source, later append). Whether the write wins is decided here and recorded, so that
 * whoever reads the event later needs nothing else.
 * @throws MaceError INVALID_INPUT for a timestamp of another form or too far ahead
 */
export function decidePut(state: SemState, put: PutDecision): DomainEvent {
  const { value, notes, meta } = put.content;
  if (put.timestamp !== undefined) refuseFuture(put.timestamp, put.now);
  const timestamp = put.timestamp ?? nextTimestamp(put.now, state.current?.timestamp);
  return memoryEvent('SEM_PUT', {
    key: put.key,
    value,
    source: put.source,
    timestamp,
    ...(notes === undefined ? {} : { notes }),
    ...(meta === undefined ? {} : { meta }),
    value_hash: sha256Hex(canonicalize(value)),
    applied: wins({ timestamp, source: put.source }, state.current),
  });
}

/** The deletion of what is there, later than it; undefined where there is nothing to delete. */
export function decideDelete(state: SemState, { key, source, now }: DeleteDecision): DomainEvent | undefined {
  if (!state.current || state.current.deleted) return undefined;
  return memoryEvent('sem_delete', { key, source, timestamp: nextTimestamp(now, state.current.timestamp) });
}

/** How an event of `sem-{key}` answers the command that wrote it. */
export function writeRef({ type, data, metadata, revision, position }: PlacedEvent): WriteRef {
  const { event_id, job_seed, sequence_index, request_digest } = metadata;
  const applied = type === 'sem_delete' || data['applied'] === true;
  const digest = request_digest === undefined ? {} : { request_digest };
  return { type, event_id, job_seed, sequence_index, ...digest, applied, revision, position };
}

interface Claim {
  readonly timestamp: string;
  readonly source: string;
}

/** Sources compare by UTF-16 units; among equals the later append wins. */
function wins(claim: Claim, current: Claim | undefined): boolean {
  if (!current) return true;
  const later = parseTimestamp(claim.timestamp) - parseTimestamp(current.timestamp);
  return later !== 0 ? later > 0 : claim.source >= current.source;
}
