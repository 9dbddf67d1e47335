import type { JsonObject } from './canonical-json.js';
import type { AskedBody } from './request-digests.js';

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

/**
 * Which seed numbers a command's events, from which index, and on whose behalf (spec/kernel.md, "Event envelope"). The
 * request's digest stands on the first event of a command that a caller can retry.
 */
export interface Provenance extends AskedBody {
  readonly jobSeed: string;
  /** sequence_index of the first event. */
  readonly sequenceIndex: number;
  readonly actor: Actor;
  readonly jobId?: string;
  readonly traceId: string;
  /** event_id of what caused the first event; later events of one append are caused by the one before. */
  readonly causationId?: string;
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
  /** Wall time of the append, ISO 8601 in UTC with milliseconds; events of release 0.1 have none. It decides nothing. */
  readonly recorded_at?: string;
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

type Form = (value: unknown) => boolean;

/** Whether a value is of the form of `recorded_at`. */
export function isRecordedTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isText: Form = (value) => typeof value === 'string';
const isCount: Form = (value) => Number.isInteger(value) && (value as number) >= 0;
const isVersion: Form = (value) => isCount(value) && value !== 0;
const isActor: Form = (value) => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, role } = value as Partial<Actor>;
  return isText(id) && isText(role) && Object.keys(value).length === 2;
};

const OPTIONAL: ReadonlySet<string> = new Set(['$causationId', 'job_id', 'recorded_at', 'request_digest']);
const METADATA: ReadonlyMap<string, Form> = new Map([
  ['$causationId', isText],
  ['$correlationId', isText],
  ['actor', isActor],
  ['event_id', isText],
  ['job_id', isText],
  ['job_seed', isText],
  ['kid', isText],
  ['prev_hash', isText],
  ['recorded_at', isRecordedTime],
  ['request_digest', isText],
  ['schema_version', isVersion],
  ['sequence_index', isCount],
  ['signature', isText],
  ['timestamp_seeded', isText],
  ['trace_id', isText],
]);
const REQUIRED = METADATA.size - OPTIONAL.size;
const ENVELOPE_MEMBERS = 4;

/** Names of the members that may stand in metadata, in the order of canonical JSON. */
export const METADATA_MEMBERS: readonly string[] = [...METADATA.keys()];

/**
 * What is wrong with the form of a parsed envelope, in words; null where it has the members of spec/kernel.md, "Event
 * envelope", and no others. A member that nobody reads would be signed, and shown to nobody who compares.
 */
export function envelopeFormFault(envelope: object): string | null {
  const { data, metadata, stream, type } = envelope as Partial<StoredEnvelope>;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return 'its data is no object';
  if (typeof metadata !== 'object' || metadata === null) return 'its metadata is no object';
  if (!isText(stream) || !isText(type)) return 'it names no stream and type';
  if (Object.keys(envelope).length !== ENVELOPE_MEMBERS) return 'it has a member that no event has';
  let required = 0;
  for (const name of Object.keys(metadata)) {
    const form = METADATA.get(name);
    if (!form) return `its metadata has a member "${name.slice(0, 40)}", which no event has`;
    if (!form(metadata[name as keyof EventMetadata])) return `its metadata holds a "${name}" of another form`;
    if (!OPTIONAL.has(name)) required++;
  }
  return required === REQUIRED ? null : 'its metadata lacks a member that every event has';
}

/** prev_hash of a stream's first event. */
export const GENESIS_HASH = '0'.repeat(64);
