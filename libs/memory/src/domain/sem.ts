import { canonicalize, sha256Hex, type DomainEvent, type EventMetadata, type Json, type JsonObject } from '#lib/kernel';

import type { Content } from './content.js';
import { type KeyDeletion, memoryEvent, type SemDelete, type SemPut, type UsedConsent } from './sem.events.js';
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
  /** Ids of the consents that it is stored under; absent where it needed none. */
  readonly consents?: readonly string[];
}

export interface Deleted extends EventRef {
  readonly deleted: true;
  readonly source: string;
  readonly timestamp: string;
}

/** What the answer to a write is made of, now or when the same request comes again. */
export interface WriteRef extends EventRef {
  readonly applied: boolean;
  readonly timestamp: string;
  readonly request_digest?: string;
}

export interface SemState {
  /** Undefined where nothing was ever stored under the key. */
  readonly current?: Present | Deleted;
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
  readonly consents?: readonly UsedConsent[];
}

export interface DeleteDecision {
  readonly key: string;
  readonly source: string;
  readonly now: number;
  /** Where a data-subject request asked for it. */
  readonly manifest?: KeyDeletion;
}

export const initialSem: SemState = {};

export function evolveSem(state: SemState, event: PlacedEvent): SemState {
  if (!isApplied(event)) return state;
  const place = { event_id: event.metadata.event_id, revision: event.revision, position: event.position };
  if (event.type === 'sem_delete') {
    const { source, timestamp } = event.data as unknown as SemDelete;
    return { current: { deleted: true, source, timestamp, ...place } };
  }
  const { value, source, timestamp, notes, meta, consents } = event.data as unknown as SemPut;
  const optional = {
    ...(notes === undefined ? {} : { notes }),
    ...(meta === undefined ? {} : { meta }),
    ...(consents === undefined ? {} : { consents: consents.map(({ consent_id }) => consent_id) }),
  };
  return { current: { deleted: false, value, source, timestamp, ...optional, ...place } };
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
    ...(put.consents === undefined || put.consents.length === 0 ? {} : { consents: put.consents }),
  });
}

/** The deletion of what is there, later than it; undefined where there is nothing to delete. */
export function decideDelete(state: SemState, { key, source, now, manifest }: DeleteDecision): DomainEvent | undefined {
  if (!state.current || state.current.deleted) return undefined;
  const told = manifest === undefined ? {} : { deletion_manifest: manifest };
  return memoryEvent('sem_delete', { key, source, timestamp: nextTimestamp(now, state.current.timestamp), ...told });
}

/** A write as its event tells it. */
export function writeRef(event: PlacedEvent): WriteRef {
  const { event_id, request_digest } = event.metadata;
  const digest = request_digest === undefined ? {} : { request_digest };
  const { revision, position, data } = event;
  return { event_id, revision, position, applied: isApplied(event), timestamp: data['timestamp'] as string, ...digest };
}

/** Whether the event made current what it holds; a deletion always does. */
function isApplied({ type, data }: PlacedEvent): boolean {
  return type === 'sem_delete' || data['applied'] === true;
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
