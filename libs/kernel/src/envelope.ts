import type { JsonObject } from './canonical-json.js';

/** Who caused an event: `id` is the principal's normal form, `role` the role under which it acted. */
export interface Actor {
  readonly id: string;
  readonly role: string;
}

/** What a decider or an engine says happened; the codec adds the rest of the envelope. */
export interface DomainEvent<T extends string = string, D = JsonObject> {
  readonly type: T;
  readonly data: D;
}

/** Which seed numbers a command's events, from which index, and on whose behalf (spec/kernel.md, "Event envelope"). */
export interface Provenance {
  readonly jobSeed: string;
  /** sequence_index of the first event. */
  readonly sequenceIndex: number;
  readonly actor: Actor;
  readonly jobId?: string;
  readonly traceId: string;
  /** event_id of what caused the first event; later events of one append are caused by the one before. */
  readonly causationId?: string;
  /** Keyed hash of the request's body, on the first event of a command that a caller can retry. */
  readonly requestDigest?: string;
}

/** Metadata of a stored event, exactly as signed. */
export interface EventMetadata {
  readonly $causationId?: string;
  readonly $correlationId: string;
  readonly actor: Actor;
  readonly event_id: string;
  readonly job_id?: string;
  readonly job_seed: string;
  readonly kid: string;
  readonly prev_hash: string;
  readonly request_digest?: string;
  readonly schema_version: number;
  readonly sequence_index: number;
  readonly signature: string;
  readonly timestamp_seeded: string;
  readonly trace_id: string;
}

/** The canonical object that is stored, hashed by the next event's prev_hash and covered by the signature. */
export interface StoredEnvelope {
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly type: string;
}

/** prev_hash of a stream's first event. */
export const GENESIS_HASH = '0'.repeat(64);
