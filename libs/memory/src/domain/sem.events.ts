import type { DomainEvent, EventDefinition, Json, JsonObject } from '#lib/kernel';

import { parseCanonicalKey } from './canonical-key.js';

/**
 * Events of memory. A SEM_PUT or sem_delete is itself the audit entry that every write must leave (spec/memory.md):
 * metadata holds the actor, data holds key, timestamp, source and hash of the value. Nothing is written twice.
 */

/** In `sem-{key}`. Under scope `user` value, notes, meta and value_hash are personal fields of the key's owner. */
export interface SemPut {
  readonly key: string;
  readonly value: Json;
  readonly source: string;
  /** ISO 8601 UTC, as the caller wrote it or as the server set it. */
  readonly timestamp: string;
  readonly notes?: string;
  readonly meta?: JsonObject;
  /** sha256 of the canonical value. */
  readonly value_hash: string;
  /** False where a newer value stood when this one came: it is recorded, and never current. */
  readonly applied: boolean;
  /** Of the key's owner, under which it holds personal data; from when one of them ends the value is not read again. */
  readonly consents?: readonly UsedConsent[];
}

export interface UsedConsent {
  readonly pii_type: string;
  readonly consent_id: string;
}

/** In `sem-{key}`: from here on the key holds nothing. */
export interface SemDelete {
  readonly key: string;
  readonly source: string;
  readonly timestamp: string;
  /** Of a deletion that a data-subject request asked for: what it removed, by hash. */
  readonly deletion_manifest?: KeyDeletion;
}

/** What was removed under one key (spec/privacy.md, "Data-subject requests"). */
export interface KeyDeletion {
  readonly dsr_id: string;
  /** How many writes the key had. */
  readonly writes: number;
  /** sha256 of the canonical list of [event_id, sha256 of the stored text] of each. */
  readonly writes_hash: string;
}

/** In `identity-{scope}/{entity_type}/{entity_id}`: the first raw identity that normalised to this entity_id. */
export interface IdentityRegistered {
  readonly entity_id: string;
  /** Keyed hash of the raw identity, with the kid of its key; the text itself is nowhere. */
  readonly fingerprint: Fingerprint;
}

export interface Fingerprint {
  readonly kid: string;
  readonly hmac: string;
}

/** In the same stream: a further raw identity, and the entity_id it got instead. */
export interface CollisionEvent extends IdentityRegistered {
  readonly base_entity_id: string;
}

/** In `access-{principal}` of a direct command, in the job's stream of a job; never holds what was found. */
export interface PiiFlagged {
  readonly pii_type: string;
  readonly category: string;
  readonly pii_hash: string;
  readonly redaction_reason: 'PII_DETECTED';
  readonly detector_version?: string;
}

/** In `access-{principal}`: a write of high sensitivity waits for the council; its value is in no event. */
export interface PiiHeld {
  readonly key: string;
  readonly request_id: string;
  readonly consents: readonly UsedConsent[];
}

export interface RetryAttempt {
  readonly attempt_index: number;
  readonly key?: string;
  readonly agent_id?: string;
  readonly iteration?: number;
}

export interface MemoryWriteFail {
  readonly key: string;
  readonly error_code: 'SEM_WRITE_FAIL' | 'STORAGE_FULL';
  /** How often the write was tried: 2 after a store's fault, 1 where there was no room. */
  readonly attempts: number;
  /** The kind of fault, such as StoreUnavailableError; never a value. */
  readonly fault: string;
}

/** In `system-world-facts`: which facts a load left in memory, so that the next start loads only what changed. */
export interface WorldFactsLoaded {
  readonly file_hash: string;
  /** Hash of each fact by its key. */
  readonly facts: Readonly<Record<string, string>>;
}

export const memoryEvents: readonly EventDefinition[] = [
  {
    type: 'SEM_PUT',
    version: 1,
    plain: ['key', 'source', 'timestamp', 'applied', 'consents'],
    personal: ['value', 'notes', 'meta', 'value_hash'],
    subject: (data) => ownerOf(data['key'] as string),
  },
  { type: 'sem_delete', version: 1, plain: ['key', 'source', 'timestamp', 'deletion_manifest'] },
  { type: 'IDENTITY_REGISTERED', version: 1, plain: ['entity_id', 'fingerprint'] },
  { type: 'collision_event', version: 1, plain: ['base_entity_id', 'entity_id', 'fingerprint'] },
  {
    type: 'PII_FLAGGED',
    version: 1,
    plain: ['pii_type', 'category', 'pii_hash', 'redaction_reason', 'detector_version'],
  },
  { type: 'PII_HELD', version: 1, plain: ['key', 'request_id', 'consents'] },
  { type: 'RETRY_ATTEMPT', version: 1, plain: ['attempt_index', 'key', 'agent_id', 'iteration'] },
  { type: 'MEMORY_WRITE_FAIL', version: 1, plain: ['key', 'error_code', 'attempts', 'fault'] },
  { type: 'WORLD_FACTS_LOADED', version: 1, plain: ['file_hash', 'facts'] },
];

interface MemoryEventData {
  readonly SEM_PUT: SemPut;
  readonly sem_delete: SemDelete;
  readonly IDENTITY_REGISTERED: IdentityRegistered;
  readonly collision_event: CollisionEvent;
  readonly PII_FLAGGED: PiiFlagged;
  readonly PII_HELD: PiiHeld;
  readonly RETRY_ATTEMPT: RetryAttempt;
  readonly MEMORY_WRITE_FAIL: MemoryWriteFail;
  readonly WORLD_FACTS_LOADED: WorldFactsLoaded;
}

/** A domain event from typed data: the one cast between memory's types and JSON. */
export function memoryEvent<T extends keyof MemoryEventData>(type: T, data: MemoryEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

/** Whose personal content a key holds: the entity of a `user/...` key, else nobody's. */
export function ownerOf(key: string): string | null {
  const { scope, entityId } = parseCanonicalKey(key);
  return scope === 'user' ? entityId : null;
}

export function semStream(key: string): string {
  return `sem-${key}`;
}
