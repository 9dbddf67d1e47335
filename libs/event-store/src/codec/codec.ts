import {
  canonicalize,
  envelopeFormFault,
  eventId,
  GENESIS_HASH,
  isCanonical,
  equalInConstantTime,
  sha256Hex,
  sha256HexOfBytes,
  type DomainEvent,
  type EventRegistry,
  type JsonObject,
  type KeyRing,
  type Provenance,
  type StoredEnvelope,
  strangeField,
  NewerReleaseError,
  HmacKey,
} from '#lib/kernel';

import type { EventToAppend, RecordedEvent } from '../port.js';
import { EnvelopeWriter } from './envelope-writer.js';
import { IntegrityError, NewerEventError } from './integrity-error.js';
import type { LoggedEvent } from './logged-event.js';
import { PersonalData, type PreparedCiphers } from './personal-data.js';
import { SealOrder } from './seal-order.js';
import type { SubjectCiphers } from './subject-ciphers.js';

/** What the next event of a stream builds on. */
export interface StreamHead {
  readonly stream: string;
  /** Number of events. */
  readonly version: number;
  /** sha256 of the last event's stored text; 64 zeros for an empty stream. */
  readonly lastHash: string;
}

/** Where an event stands in the log, without what it says. */
type Place = Pick<RecordedEvent, 'type' | 'stream' | 'revision' | 'position'> & { readonly recordedAt?: number };

/** An event as it is stored, from the first look at its bytes on. */
export class EncodedEvent implements EventToAppend {
  constructor(
    readonly id: string,
    readonly type: string,
    /** Of its whole append. */
    readonly order: SealOrder,
    private readonly index: number,
  ) {}

  get utf8(): Buffer {
    return this.order.result.texts[this.index]!;
  }

  /** Made when somebody asks: strings that wait for the disk are copied by every collection, and bytes are not. */
  get text(): string {
    return this.utf8.toString();
  }

  /** sha256 of the text: the next event's prev_hash. */
  get hash(): string {
    const { texts, lastHash } = this.order.result;
    return this.index === texts.length - 1 ? lastHash : sha256HexOfBytes(texts[this.index]!);
  }
}

const STREAM_NAME = /^[A-Za-z0-9._:/-]{1,300}$/;
const MAX_CACHED_SUBKEYS = 4096;
const NO_EVENT = 'its text is no event';
const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_FIELD_LENGTH = SIGNATURE_FIELD.length + 64 + 2;

/**
 * The one place between events and stored bytes: canonical text, hash chain, signature, versions and personal fields
 * (spec/kernel.md, "Event envelope"). An event is serialised, signed and hashed once.
 */
export class EventCodec extends PersonalData {
  private readonly subkeys = new Map<string, HmacKey>();

  /** @param now wall time, milliseconds since the Unix epoch: `recorded_at` of what is encoded */
  constructor(
    registry: EventRegistry,
    private readonly ring: KeyRing,
    ciphers: SubjectCiphers,
    private readonly now: () => number = Date.now,
  ) {
    super(registry, ciphers);
  }

  /**
   * The stored form of events that follow `head`, chained to it and to each other, as recorded now; sealed by who looks at
   * it first.
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
    const order = new SealOrder(head.lastHash, subkey, provenance.traceId);
    const envelope = new EnvelopeWriter(order, provenance, head.stream, kid, this.now());
    const encoded: EncodedEvent[] = [];
    let cause = provenance.causationId;
    for (let i = 0; i < events.length; i++) {
      const { type, data } = events[i]!;
      const definition = this.definition(type);
      const index = provenance.sequenceIndex + i;
      const id = eventId(provenance.jobSeed, index, type);
      const seal = definition.chainHashField;
      order.write('{"data":');
      this.writeData(order, definition, seal === undefined ? data : { ...data, [seal]: head.lastHash }, ciphers);
      envelope.writeAfterData({
        id,
        type,
        index,
        cause,
        version: definition.version,
        digest: i === 0 ? provenance.requestDigest : undefined,
      });
      cause = id;
      encoded.push(new EncodedEvent(id, type, order, i));
    }
    order.close();
    return encoded;
  }

  /** The event with personal fields as stored, brought to the current version; nothing is verified. */
  decode(recorded: Place & { readonly text: string }): LoggedEvent {
    return this.logged(recorded, JSON.parse(recorded.text) as StoredEnvelope);
  }

  /** As `decode`, for an event that perhaps nobody looks into: its text is parsed at the first look. */
  decodeLater({ type, stream, revision, position }: Place, source: { readonly text: string }): LoggedEvent {
    let decoded: LoggedEvent | undefined;
    const look = (): LoggedEvent => (decoded ??= this.decode({ type, stream, revision, position, text: source.text }));
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

  /**
   * The event with its personal fields in plain, or as `{"$erased": true}` where their key is destroyed.
   * @throws IntegrityError for a field that says so without its key being destroyed, or that another's key closes
   */
  async decodePlain(recorded: RecordedEvent): Promise<LoggedEvent> {
    return this.reveal(this.decode(recorded));
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
   * @param prevHash null where the event may follow anything
   * @throws IntegrityError
   */
  open(recorded: RecordedEvent, prevHash: string | null): { readonly hash: string; readonly event: LoggedEvent } {
    const event = this.known(recorded, this.verified(recorded, prevHash));
    return { hash: sha256Hex(recorded.text), event };
  }

  /**
   * The event, verified without what stands before it: what it follows is in its metadata, and for the caller to judge.
   * @throws IntegrityError; NewerEventError for what a newer release signed
   */
  openAlone(recorded: RecordedEvent): LoggedEvent {
    return this.known(recorded, this.verified(recorded, null));
  }

  /** As `openAlone`; null for what nobody signed, or a newer release did: a walk names it, and nothing follows from it. */
  signedAlone(recorded: RecordedEvent): LoggedEvent | null {
    try {
      return this.openAlone(recorded);
    } catch (error) {
      if (error instanceof IntegrityError || error instanceof NewerEventError) return null;
      throw error;
    }
  }

  /** @param prevHash null where the event may follow anything */
  private verified(recorded: RecordedEvent, prevHash: string | null): StoredEnvelope {
    const fail = (reason: string): never => {
      throw new IntegrityError(recorded.stream, recorded.revision, reason);
    };
    // Asked for once: a store may make it anew each time.
    const { text } = recorded;
    const envelope = parsed(text);
    if (typeof envelope === 'string') return fail(envelope);
    const { metadata } = envelope;
    if (envelope.stream !== recorded.stream) return fail(`it was written to stream ${String(envelope.stream)}`);
    if (envelope.type !== recorded.type) return fail(`it was written as ${String(envelope.type)}`);
    const follows = prevHash ?? metadata.prev_hash;
    if (metadata.prev_hash !== follows) return fail('its prev_hash is not the hash of the event before it');
    const seal = this.registry.get(recorded.type)?.chainHashField;
    if (seal !== undefined && envelope.data[seal] !== follows) return fail('its seal names another last event');
    const id = eventId(metadata.job_seed, metadata.sequence_index, envelope.type);
    if (metadata.event_id !== id || recorded.id !== id) return fail('its event_id does not follow from its seed');
    const field = this.personalFault(recorded.type, envelope.data);
    if (field !== null) return fail(field);
    if (!this.ring.verifying(metadata.kid, 'event-hmac')) return fail(`key ${metadata.kid} may not sign events`);
    const cut = text.lastIndexOf(SIGNATURE_FIELD);
    if (cut < 0) return fail('it has no signature');
    const expected = this.subkey(metadata.kid, recorded.stream).hex(
      text.slice(0, cut),
      text.slice(cut + SIGNATURE_FIELD_LENGTH),
    );
    if (!equalInConstantTime(expected, metadata.signature)) return fail('its signature does not verify');
    // What a text says beside its canonical form, as a member twice, is signed too, and shown to nobody.
    if (!isCanonical(text, envelope)) return fail('its text is not in canonical form');
    return envelope;
  }

  /**
   * Refuses an event that is to be looked into and has a field of a form that no release writes, whoever signed it.
   * @throws IntegrityError
   */
  refuseStrange({ type, data, stream, revision }: LoggedEvent): void {
    const { forms } = this.definition(type);
    const field = forms ? strangeField(forms, data) : null;
    if (field === null) return;
    throw new IntegrityError(stream, revision, `/data/${field} of ${type} is of a form that no release writes`);
  }

  /**
   * Whether stored events say the same as these: type, plain data, actor and causation, never prev_hash, kid, nonce, time
   * of recording or signature (spec/kernel.md).
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

  /** As `logged`, of an event that is verified: what this release does not know is named with its place. */
  private known(recorded: RecordedEvent, envelope: StoredEnvelope): LoggedEvent {
    try {
      return this.logged(recorded, envelope);
    } catch (error) {
      if (error instanceof NewerReleaseError) {
        throw new NewerEventError(recorded.stream, recorded.revision, error.what);
      }
      throw error;
    }
  }

  private logged(place: Place, { data, metadata }: StoredEnvelope): LoggedEvent {
    const { type, stream, revision, position, recordedAt } = place;
    const current = this.registry.upcast(type, metadata.schema_version, data);
    const event = { type, data: current, metadata, stream, revision, position };
    return metadata.recorded_at !== undefined || recordedAt === undefined
      ? event
      : { ...event, unsignedAt: recordedAt };
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

/** A stored text as the envelope it claims to be, or what is wrong with its form. */
function parsed(text: string): StoredEnvelope | string {
  try {
    const envelope = JSON.parse(text) as StoredEnvelope | null;
    return envelope === null || typeof envelope !== 'object' ? NO_EVENT : (envelopeFormFault(envelope) ?? envelope);
  } catch {
    return NO_EVENT;
  }
}

export function emptyHead(stream: string): StreamHead {
  return { stream, version: 0, lastHash: GENESIS_HASH };
}
