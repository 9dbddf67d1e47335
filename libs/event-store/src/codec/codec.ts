import {
  canonicalize,
  eventId,
  GENESIS_HASH,
  hmacSha256Hex,
  equalInConstantTime,
  quote,
  seedEpochMs,
  sha256Hex,
  type DomainEvent,
  type EventDefinition,
  type EventMetadata,
  type EventRegistry,
  type Json,
  type JsonObject,
  type KeyRing,
  type Provenance,
  type StoredEnvelope,
} from '#lib/kernel';

import type { EventToAppend, Position, RecordedEvent } from '../port.js';
import { decryptField, encryptField, ERASED, isEncrypted } from './personal-fields.js';
import type { SubjectCipher, SubjectCiphers } from './subject-ciphers.js';

/** An event as it is worked with: of the current version, with its place in the log. */
export interface LoggedEvent<T extends string = string, D = JsonObject> {
  readonly type: T;
  readonly data: D;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: number;
  /** Of an event just appended together with others: the position of the last of them. */
  readonly position: Position;
}

/** What the next event of a stream builds on. */
export interface StreamHead {
  readonly stream: string;
  /** Number of events. */
  readonly version: number;
  /** sha256 of the last event's stored text; 64 zeros for an empty stream. */
  readonly lastHash: string;
}

/** The data keys of one append, by subject. */
export type PreparedCiphers = ReadonlyMap<string, SubjectCipher>;

export interface EncodedEvent extends EventToAppend {
  /** sha256 of `text`: the next event's prev_hash. */
  readonly hash: string;
}

/** A stored event is not what was signed: changed, moved, dropped or signed by a key that may not. */
export class IntegrityError extends Error {
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly reason: string,
  ) {
    super(`stream ${stream}, revision ${revision}: ${reason}`);
    this.name = 'IntegrityError';
  }
}

const STREAM_NAME = /^[A-Za-z0-9._:/-]{1,300}$/;
const MAX_CACHED_SUBKEYS = 4096;
const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_FIELD_LENGTH = SIGNATURE_FIELD.length + 64 + 2;

/**
 * The one place between events and stored bytes: canonical text, hash chain, signature, versions and personal fields
 * (spec/kernel.md, "Event envelope"). An event is serialised, signed and hashed once.
 */
export class EventCodec {
  private readonly subkeys = new Map<string, Buffer>();

  constructor(
    private readonly registry: EventRegistry,
    private readonly ring: KeyRing,
    private readonly ciphers: SubjectCiphers,
  ) {}

  /** Fetches every data key that these events need, so that encoding is one synchronous step. */
  async prepare(events: readonly DomainEvent[]): Promise<PreparedCiphers> {
    const prepared = new Map<string, SubjectCipher>();
    for (const event of events) {
      const subject = this.subjectOf(this.definition(event.type), event.data);
      if (subject === null || prepared.has(subject)) continue;
      prepared.set(subject, this.ciphers.cached(subject) ?? (await this.ciphers.load(subject)));
    }
    return prepared;
  }

  /**
   * The stored form of events that follow `head`, chained to it and to each other.
   * @throws Error for an undeclared field or type: a fault of ours, caught by the first test that stores it
   */
  encode(
    head: StreamHead,
    events: readonly DomainEvent[],
    provenance: Provenance,
    ciphers: PreparedCiphers,
  ): EncodedEvent[] {
    if (!STREAM_NAME.test(head.stream)) throw new Error(`not a stream name: ${head.stream.slice(0, 80)}`);
    const key = this.ring.active('event-hmac');
    const subkey = this.subkey(key.kid, head.stream);
    const epoch = seedEpochMs(provenance.jobSeed);
    const encoded: EncodedEvent[] = [];
    let prevHash = head.lastHash;
    let cause = provenance.causationId;
    for (let i = 0; i < events.length; i++) {
      const { type, data } = events[i]!;
      const definition = this.definition(type);
      const index = provenance.sequenceIndex + i;
      const id = eventId(provenance.jobSeed, index, type);
      const seal = definition.chainHashField;
      const whole = seal === undefined ? data : { ...data, [seal]: prevHash };
      const before = `{"data":${this.dataText(definition, id, whole, ciphers)},"metadata":{${metadataBefore(
        provenance,
        {
          id,
          index,
          cause,
          kid: key.kid,
          prevHash,
          version: definition.version,
          digest: i === 0 ? provenance.requestDigest : undefined,
        },
      )}`;
      const after = `"timestamp_seeded":"${new Date(epoch + index).toISOString()}","trace_id":"${provenance.traceId}"},"stream":"${head.stream}","type":"${type}"}`;
      const text = `${before}"signature":"${hmacSha256Hex(subkey, before, after)}",${after}`;
      prevHash = sha256Hex(text);
      cause = id;
      encoded.push({ id, type, text, hash: prevHash });
    }
    return encoded;
  }

  /** The event with personal fields as stored, brought to the current version; nothing is verified. */
  decode(recorded: Omit<RecordedEvent, 'recordedAt'>): LoggedEvent {
    const envelope = JSON.parse(recorded.text) as StoredEnvelope;
    return {
      type: recorded.type,
      data: this.registry.upcast(recorded.type, envelope.metadata.schema_version, envelope.data),
      metadata: envelope.metadata,
      stream: recorded.stream,
      revision: recorded.revision,
      position: recorded.position,
    };
  }

  /** The event with its personal fields in plain, or as `{"$erased": true}` where their key is destroyed. */
  async decodePlain(recorded: RecordedEvent): Promise<LoggedEvent> {
    return this.reveal(this.decode(recorded));
  }

  /** Personal fields of a decoded event in plain. */
  async reveal(event: LoggedEvent): Promise<LoggedEvent> {
    const definition = this.definition(event.type);
    if (!definition.personal || this.subjectOf(definition, event.data) === null) return event;
    const data: Record<string, Json> = { ...event.data };
    for (const field of definition.personal) {
      const value = data[field];
      if (isEncrypted(value)) data[field] = await this.revealField(event.metadata.event_id, `/${field}`, value);
    }
    return { ...event, data };
  }

  /** One stored value in plain; a value that was never encrypted is given back as it is. */
  async revealField(id: string, pointer: string, value: Json): Promise<Json> {
    if (!isEncrypted(value)) return value;
    const cipher = this.ciphers.cachedKid(value.$enc.kid) ?? (await this.ciphers.forKid(value.$enc.kid));
    return cipher === 'destroyed' ? ERASED : decryptField(cipher, id, pointer, value);
  }

  /**
   * Checks one event against the end of the chain before it, and answers its own hash.
   * @throws IntegrityError
   */
  verify(recorded: RecordedEvent, prevHash: string): string {
    const fail = (reason: string): never => {
      throw new IntegrityError(recorded.stream, recorded.revision, reason);
    };
    let envelope: StoredEnvelope;
    try {
      envelope = JSON.parse(recorded.text) as StoredEnvelope;
    } catch {
      return fail('its text is not JSON');
    }
    const metadata = envelope.metadata as EventMetadata | undefined;
    if (!metadata) return fail('it has no metadata');
    if (envelope.stream !== recorded.stream) return fail(`it was written to stream ${String(envelope.stream)}`);
    if (envelope.type !== recorded.type) return fail(`it was written as ${String(envelope.type)}`);
    if (metadata.prev_hash !== prevHash) return fail('its prev_hash is not the hash of the event before it');
    const seal = this.registry.get(recorded.type)?.chainHashField;
    if (seal !== undefined && envelope.data[seal] !== prevHash) return fail('its seal names another last event');
    const id = eventId(metadata.job_seed, metadata.sequence_index, envelope.type);
    if (metadata.event_id !== id || recorded.id !== id) return fail('its event_id does not follow from its seed');
    if (!this.ring.verifying(metadata.kid, 'event-hmac')) return fail(`key ${metadata.kid} may not sign events`);
    const cut = recorded.text.lastIndexOf(SIGNATURE_FIELD);
    if (cut < 0) return fail('it has no signature');
    const expected = hmacSha256Hex(
      this.subkey(metadata.kid, recorded.stream),
      recorded.text.slice(0, cut),
      recorded.text.slice(cut + SIGNATURE_FIELD_LENGTH),
    );
    if (!equalInConstantTime(expected, metadata.signature)) return fail('its signature does not verify');
    return sha256Hex(recorded.text);
  }

  /**
   * Whether stored events say the same as these: type, plain data, actor and causation, never prev_hash, kid, nonce or
   * signature (spec/kernel.md).
   */
  async sameBodies(
    stored: readonly RecordedEvent[],
    events: readonly DomainEvent[],
    provenance: Provenance,
  ): Promise<boolean> {
    if (stored.length !== events.length) return false;
    for (let i = 0; i < events.length; i++) {
      const there = await this.decodePlain(stored[i]!);
      const here = events[i]!;
      const actors =
        there.metadata.actor.id === provenance.actor.id && there.metadata.actor.role === provenance.actor.role;
      const cause = i > 0 || there.metadata.$causationId === provenance.causationId;
      if (there.type !== here.type || !actors || !cause) return false;
      if (canonicalize(this.withoutSeal(there)) !== canonicalize(here.data)) return false;
    }
    return true;
  }

  /** The data as a decider said it, without what the codec itself filled in. */
  withoutSeal(event: DomainEvent): JsonObject {
    const seal = this.definition(event.type).chainHashField;
    if (seal === undefined) return event.data;
    return Object.fromEntries(Object.entries(event.data).filter(([field]) => field !== seal));
  }

  private definition(type: string): EventDefinition {
    const definition = this.registry.get(type);
    if (!definition) throw new Error(`event type ${type} is not registered`);
    return definition;
  }

  private subjectOf(definition: EventDefinition, data: JsonObject): string | null {
    return definition.personal?.length ? definition.subject!(data) : null;
  }

  private dataText(definition: EventDefinition, id: string, data: JsonObject, ciphers: PreparedCiphers): string {
    const subject = this.subjectOf(definition, data);
    const cipher = subject === null ? undefined : ciphers.get(subject);
    if (subject !== null && !cipher) throw new Error(`the data key of ${subject} was not prepared`);
    let text = '{';
    for (const field of Object.keys(data).sort()) {
      const personal = definition.personal?.includes(field) ?? false;
      if (!personal && !definition.plain.includes(field)) {
        throw new Error(`event type ${definition.type} declares no field "${field}"`);
      }
      const value = data[field];
      const stored = personal && cipher ? encryptField(cipher, id, `/${field}`, value) : canonicalize(value);
      text += `${text === '{' ? '' : ','}${quote(field)}:${stored}`;
    }
    return `${text}}`;
  }

  private subkey(kid: string, stream: string): Buffer {
    const name = `${kid} ${stream}`;
    const known = this.subkeys.get(name);
    if (known) return known;
    const key = this.ring.verifying(kid, 'event-hmac');
    if (!key) throw new Error(`key ${kid} is not an event key of this ring`);
    if (this.subkeys.size >= MAX_CACHED_SUBKEYS) this.subkeys.clear();
    const subkey = this.ring.subkey(key, stream);
    this.subkeys.set(name, subkey);
    return subkey;
  }
}

export function emptyHead(stream: string): StreamHead {
  return { stream, version: 0, lastHash: GENESIS_HASH };
}

interface EventFacts {
  readonly id: string;
  readonly index: number;
  readonly cause: string | undefined;
  readonly kid: string;
  readonly prevHash: string;
  readonly version: number;
  readonly digest: string | undefined;
}

/** The metadata members that sort before `signature`, in canonical order; all values but actor and seed are of safe form. */
function metadataBefore(p: Provenance, e: EventFacts): string {
  return (
    (e.cause === undefined ? '' : `"$causationId":"${e.cause}",`) +
    `"$correlationId":"${p.traceId}","actor":{"id":${quote(p.actor.id)},"role":${quote(p.actor.role)}},"event_id":"${e.id}",` +
    (p.jobId === undefined ? '' : `"job_id":"${p.jobId}",`) +
    `"job_seed":${quote(p.jobSeed)},"kid":"${e.kid}","prev_hash":"${e.prevHash}",` +
    (e.digest === undefined ? '' : `"request_digest":"${e.digest}",`) +
    `"schema_version":${e.version},"sequence_index":${e.index},`
  );
}
