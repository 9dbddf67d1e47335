import {
  canonicalize,
  eventId,
  GENESIS_HASH,
  PERSONAL_MEMBER,
  equalInConstantTime,
  quote,
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
import { EnvelopeWriter } from './envelope-writer.js';
import { HmacKey } from './hmac-key.js';
import { decryptField, encryptField, encryptText, ERASED, isEncrypted } from './personal-fields.js';
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

/** Where an event stands in the log, without what it says. */
type Place = Pick<RecordedEvent, 'type' | 'stream' | 'revision' | 'position'>;

interface DeclaredField {
  /** Name and colon, as they stand in the text. */
  readonly lead: string;
  readonly personal: boolean;
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

const TOGETHER = `/${PERSONAL_MEMBER}`;
const STREAM_NAME = /^[A-Za-z0-9._:/-]{1,300}$/;
const MAX_CACHED_SUBKEYS = 4096;
const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_FIELD_LENGTH = SIGNATURE_FIELD.length + 64 + 2;

/**
 * The one place between events and stored bytes: canonical text, hash chain, signature, versions and personal fields
 * (spec/kernel.md, "Event envelope"). An event is serialised, signed and hashed once.
 */
export class EventCodec {
  private readonly subkeys = new Map<string, HmacKey>();
  private readonly declared = new Map<EventDefinition, ReadonlyMap<string, DeclaredField>>();

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
    const { kid } = this.ring.active('event-hmac');
    const subkey = this.subkey(kid, head.stream);
    const envelope = new EnvelopeWriter(provenance, head.stream, kid);
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
      const { before, after } = envelope.write({
        id,
        type,
        index,
        cause,
        prevHash,
        version: definition.version,
        digest: i === 0 ? provenance.requestDigest : undefined,
        data: this.dataText(definition, id, whole, ciphers),
      });
      const text = `${before}${SIGNATURE_FIELD}${subkey.hex(before, after)}",${after}`;
      prevHash = sha256Hex(text);
      cause = id;
      encoded.push({ id, type, text, hash: prevHash });
    }
    return encoded;
  }

  /** The event with personal fields as stored, brought to the current version; nothing is verified. */
  decode(recorded: Place & { readonly text: string }): LoggedEvent {
    return this.logged(recorded, JSON.parse(recorded.text) as StoredEnvelope);
  }

  /** As `decode`, for an event that perhaps nobody looks into: its text is parsed at the first look. */
  decodeLater({ type, stream, revision, position }: Place, text: string): LoggedEvent {
    let decoded: LoggedEvent | undefined;
    const look = (): LoggedEvent => (decoded ??= this.decode({ type, stream, revision, position, text }));
    return {
      type,
      stream,
      revision,
      position,
      get data() {
        return look().data;
      },
      get metadata() {
        return look().metadata;
      },
    };
  }

  /** The event with its personal fields in plain, or as `{"$erased": true}` where their key is destroyed. */
  async decodePlain(recorded: RecordedEvent): Promise<LoggedEvent> {
    return this.reveal(this.decode(recorded));
  }

  /** Personal fields of a decoded event in plain. */
  async reveal(event: LoggedEvent): Promise<LoggedEvent> {
    for (;;) {
      const revealed = this.revealCached(event);
      if (revealed) return revealed;
      for (const value of Object.values(event.data)) if (isEncrypted(value)) await this.ciphers.forKid(value.$enc.kid);
    }
  }

  /** As `reveal`, at once; null where a data key is not in memory. */
  revealCached(event: LoggedEvent): LoggedEvent | null {
    const definition = this.definition(event.type);
    if (this.subjectOf(definition, event.data) === null) return event;
    if (definition.personalTogether) return this.revealTogether(event, definition.personal!);
    let data: Record<string, Json> | undefined;
    for (const field of definition.personal!) {
      const value = event.data[field];
      if (!isEncrypted(value)) continue;
      const cipher = this.ciphers.cachedKid(value.$enc.kid);
      if (!cipher) return null;
      data ??= { ...event.data };
      data[field] = cipher === 'destroyed' ? ERASED : decryptField(cipher, event.metadata.event_id, `/${field}`, value);
    }
    return data ? { ...event, data } : event;
  }

  private revealTogether(event: LoggedEvent, fields: readonly string[]): LoggedEvent | null {
    const sealed = event.data[PERSONAL_MEMBER];
    if (!isEncrypted(sealed)) return event;
    const cipher = this.ciphers.cachedKid(sealed.$enc.kid);
    if (!cipher) return null;
    const personal =
      cipher === 'destroyed'
        ? Object.fromEntries(fields.map((field) => [field, ERASED]))
        : (decryptField(cipher, event.metadata.event_id, TOGETHER, sealed) as JsonObject);
    const data: Record<string, Json> = {};
    // By hand: leaving one member out of a spread costs several times as much.
    for (const name of Object.keys(event.data)) if (name !== PERSONAL_MEMBER) data[name] = event.data[name]!;
    return { ...event, data: Object.assign(data, personal) };
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
    return this.open(recorded, prevHash).hash;
  }

  /**
   * As `verify`, and the event with it: whoever wants both parses once.
   * @throws IntegrityError
   */
  open(recorded: RecordedEvent, prevHash: string): { readonly hash: string; readonly event: LoggedEvent } {
    const fail = (reason: string): never => {
      throw new IntegrityError(recorded.stream, recorded.revision, reason);
    };
    const envelope = parsed(recorded.text);
    if (!envelope) return fail('its text is no event');
    const { metadata } = envelope;
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
    const expected = this.subkey(metadata.kid, recorded.stream).hex(
      recorded.text.slice(0, cut),
      recorded.text.slice(cut + SIGNATURE_FIELD_LENGTH),
    );
    if (!equalInConstantTime(expected, metadata.signature)) return fail('its signature does not verify');
    return { hash: sha256Hex(recorded.text), event: this.logged(recorded, envelope) };
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
    if (cipher && definition.personalTogether) return this.dataTogether(definition, id, data, cipher);
    let text = '';
    for (const name of Object.keys(data).sort()) {
      const field = this.fieldOf(definition, name);
      const value = data[name];
      const stored = field.personal && cipher ? encryptField(cipher, id, `/${name}`, value) : canonicalize(value);
      text += (text === '' ? '' : ',') + field.lead + stored;
    }
    return `{${text}}`;
  }

  /** One cipher for all personal fields: setting one up costs more than what it encrypts. */
  private dataTogether(definition: EventDefinition, id: string, data: JsonObject, cipher: SubjectCipher): string {
    const open: string[] = [];
    const personal: string[] = [];
    for (const name of Object.keys(data).sort()) {
      const { lead, personal: isPersonal } = this.fieldOf(definition, name);
      (isPersonal ? personal : open).push(lead + canonicalize(data[name]));
    }
    const sealed = `"${PERSONAL_MEMBER}":${encryptText(cipher, id, TOGETHER, `{${personal.join(',')}}`)}`;
    // Members are in order of their names; of identifiers, quoted ones sort as they do without quotes.
    const place = open.findIndex((member) => member > sealed);
    open.splice(place < 0 ? open.length : place, 0, sealed);
    return `{${open.join(',')}}`;
  }

  private fieldOf(definition: EventDefinition, name: string): DeclaredField {
    const field = this.fieldsOf(definition).get(name);
    if (!field) throw new Error(`event type ${definition.type} declares no field "${name}"`);
    return field;
  }

  private fieldsOf(definition: EventDefinition): ReadonlyMap<string, DeclaredField> {
    let fields = this.declared.get(definition);
    if (!fields) {
      const field = (personal: boolean) => (name: string) => [name, { lead: `${quote(name)}:`, personal }] as const;
      fields = new Map([...definition.plain.map(field(false)), ...(definition.personal ?? []).map(field(true))]);
      this.declared.set(definition, fields);
    }
    return fields;
  }

  private logged({ type, stream, revision, position }: Place, { data, metadata }: StoredEnvelope): LoggedEvent {
    const current = this.registry.upcast(type, metadata.schema_version, data);
    return { type, data: current, metadata, stream, revision, position };
  }

  private subkey(kid: string, stream: string): HmacKey {
    const name = `${kid} ${stream}`;
    const known = this.subkeys.get(name);
    if (known) return known;
    const key = this.ring.verifying(kid, 'event-hmac');
    if (!key) throw new Error(`key ${kid} is not an event key of this ring`);
    if (this.subkeys.size >= MAX_CACHED_SUBKEYS) this.subkeys.clear();
    const subkey = new HmacKey(this.ring.subkey(key, stream));
    this.subkeys.set(name, subkey);
    return subkey;
  }
}

/** A stored text as the envelope it claims to be; null where it is nothing of the kind. */
function parsed(text: string): StoredEnvelope | null {
  try {
    const { data, metadata, stream, type } = JSON.parse(text) as StoredEnvelope;
    const isObject = [data, metadata].every((part) => typeof part === 'object' && part !== null);
    return isObject && typeof metadata.signature === 'string' ? { data, metadata, stream, type } : null;
  } catch {
    return null;
  }
}

export function emptyHead(stream: string): StreamHead {
  return { stream, version: 0, lastHash: GENESIS_HASH };
}
