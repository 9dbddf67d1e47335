import type { RecordedEvent } from '#lib/event-store';
import {
  CanonicalScan,
  envelopeFormFault,
  equalInConstantTime,
  eventId,
  isCanonical,
  isRecordedTime,
  type KeyRing,
  Members,
  METADATA_MEMBERS,
  type StoredEnvelope,
  HmacKey,
} from '#lib/kernel';

import type { Detector } from '../domain/fault.js';
import type { TextCut } from './leaves.js';
import { ReadEvent } from './read-event.js';
import type { IntegrityRules } from './rules.js';

/** What is wrong with one event, taken by itself. */
export interface Found {
  readonly detector: Detector;
  readonly reason: string;
}

/** An event with the first thing that is wrong with it; without one where its text is none. */
interface Checked {
  readonly event: ReadEvent | null;
  readonly found: Found | null;
  /** Where data and metadata end in the text of an event with which nothing is wrong at a glance; null says nothing. */
  readonly cut: TextCut | null;
}

/** Of the metadata, what every event has, in the order of canonical JSON; what may stand beside them are texts. */
const REQUIRED_MEMBERS = [
  '$correlationId',
  'actor',
  'event_id',
  'job_seed',
  'kid',
  'prev_hash',
  'schema_version',
  'sequence_index',
  'signature',
  'timestamp_seeded',
  'trace_id',
];
const OPTIONAL_MEMBERS = new Set(METADATA_MEMBERS.filter((name) => !REQUIRED_MEMBERS.includes(name)));
const MOST_ACTORS = 4096;

const NO_EVENT: Checked = { event: null, found: { detector: 'text', reason: 'its text is no event' }, cut: null };
const RECORDED_FIELD = ',"recorded_at":"';
const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_LENGTH = SIGNATURE_FIELD.length + 64 + 2;
const MAX_SUBKEYS = 16_384;

/** Checks events one by one, as spec/kernel.md, "Event envelope", says them: all that needs no other event. */
export class EventCheck {
  private readonly subkeys = new Map<string, Map<string, HmacKey | null>>();
  private held = 0;
  private readonly scan = new CanonicalScan();
  private readonly metadata = new Members(REQUIRED_MEMBERS, OPTIONAL_MEMBERS);

  /** Texts of actors that are of the form. */
  private readonly actors = new Set<string>();

  constructor(
    private readonly ring: KeyRing,
    private readonly rules: Pick<IntegrityRules, 'retired' | 'versions'>,
  ) {}

  check(recorded: RecordedEvent): Checked {
    const sound = this.sound(recorded);
    if (sound) return sound;
    const envelope = parse(recorded.text);
    if (!envelope) return NO_EVENT;
    const { prev_hash, recorded_at } = envelope.metadata;
    const time = isRecordedTime(recorded_at) ? Date.parse(recorded_at) : null;
    const event = new ReadEvent(recorded.text, prev_hash, time, envelope);
    return { event, found: this.faultOf(recorded, envelope), cut: null };
  }

  /**
   * The event, where it is seen at a glance that nothing is wrong with it: by the same checks as those of `faultOf`, on
   * the text itself. Null says nothing.
   */
  private sound({ stream, type, id, text, position }: RecordedEvent): Checked | null {
    const { scan, metadata } = this;
    metadata.clear();
    if (!(scan.begin(text) && scan.passes('{"data":{', 1) && scan.object(1))) return null;
    const dataEnd = scan.position;
    if (!(scan.passes(',"metadata":{', 1) && scan.object(1, metadata))) return null;
    const metadataEnd = scan.position;
    const isCanonical = scan.passes(`,"stream":"${stream}","type":"${type}"}`) && scan.isAtEnd;
    const [correlation, actor, eventIdText, seedText, kidText, prevHashText, version, index, signature, time, trace] =
      metadata.values as [string, ...string[]];
    if (!isCanonical || eventIdText !== `"${id}"`) return null;
    if (version !== String(this.rules.versions[type]) || !index || !this.isActor(actor!)) return null;
    if (![correlation, time, trace].every(isText)) return null;
    const [seed, kid, prevHash] = [plainText(seedText!), plainText(kidText!), plainText(prevHashText!)];
    if (seed === null || kid === null || prevHash === null) return null;
    if (eventId(seed, Number(index), type) !== id) return null;
    if (this.isRetired(kid, position)) return null;
    const recordedAt = timeIn(text, dataEnd, metadataEnd);
    if (recordedAt === undefined) return null;
    if (!equalInConstantTime(signature!, `"${this.signatureOf(kid, stream, text)}"`)) return null;
    return { event: new ReadEvent(text, prevHash, recordedAt), found: null, cut: { dataEnd, metadataEnd } };
  }

  /** The first thing wrong with an event; null where nothing is. */
  private faultOf(recorded: RecordedEvent, envelope: StoredEnvelope): Found | null {
    const { stream, type, id, text } = recorded;
    const { metadata } = envelope;
    if (envelope.stream !== stream) return columns(`it was written to stream ${short(envelope.stream)}`);
    if (envelope.type !== type) return columns(`it was written as ${short(envelope.type)}`);
    if (metadata.event_id !== id) return columns(`it was written with the id ${short(metadata.event_id)}`);
    if (eventId(metadata.job_seed, metadata.sequence_index, type) !== id)
      return { detector: 'event-id', reason: 'its event_id does not follow from its seed, index and type' };
    const expected = this.signatureOf(metadata.kid, stream, text);
    if (expected === null) return { detector: 'key', reason: `key ${short(metadata.kid)} may not sign events` };
    if (this.isRetired(metadata.kid, recorded.position))
      return { detector: 'key', reason: `key ${short(metadata.kid)} was retired before, and signs no more` };
    if (!equalInConstantTime(expected, metadata.signature))
      return { detector: 'signature', reason: 'its signature does not verify' };
    if (!isCanonical(text, envelope)) return { detector: 'canonical', reason: 'its text is not in canonical form' };
    const form = envelopeFormFault(envelope) ?? this.versionFault(type, metadata.schema_version);
    return form === null ? null : { detector: 'form', reason: form };
  }

  /** Why no release up to this one writes an event of this version; null where one does. */
  private versionFault(type: string, version: number): string | null {
    const known = this.rules.versions[type];
    if (known === undefined) return `events of type ${short(type)} are not known to this release`;
    return version <= known ? null : `it is of version ${version}, and this release writes ${known}`;
  }

  /** Whether a canonical text is that of an actor; of the same few, again and again. */
  private isActor(text: string): boolean {
    if (this.actors.has(text)) return true;
    if (!/^\{"id":"[^"\\]*","role":"[^"\\]*"\}$/.test(text)) return false;
    if (this.actors.size >= MOST_ACTORS) this.actors.clear();
    this.actors.add(text);
    return true;
  }

  private isRetired(kid: string, position: string): boolean {
    const last = this.rules.retired[kid];
    return last !== undefined && Number(position) > last;
  }

  /** The signature that the text should have; null where the key may not sign, empty where there is no place for one. */
  private signatureOf(kid: string, stream: string, text: string): string | null {
    const key = this.subkey(kid, stream);
    if (!key) return null;
    const cut = text.lastIndexOf(SIGNATURE_FIELD);
    return cut < 0 ? '' : key.hex(text.slice(0, cut), text.slice(cut + SIGNATURE_LENGTH));
  }

  private subkey(kid: string, stream: string): HmacKey | null {
    let ofKey = this.subkeys.get(kid);
    const known = ofKey?.get(stream);
    if (known !== undefined) return known;
    const key = this.ring.verifying(kid, 'event-hmac');
    const subkey = key ? new HmacKey(this.ring.subkey(key, stream)) : null;
    if (this.held++ >= MAX_SUBKEYS) {
      this.subkeys.clear();
      this.held = 1;
      ofKey = undefined;
    }
    ofKey ??= new Map<string, HmacKey | null>();
    this.subkeys.set(kid, ofKey.set(stream, subkey));
    return subkey;
  }
}

/** The `recorded_at` of a canonical text; null where it has none, undefined where that is of another form. */
function timeIn(text: string, dataEnd: number, metadataEnd: number): number | null | undefined {
  // A quote within a text is escaped, so that no value looks like the member.
  const at = text.indexOf(RECORDED_FIELD, dataEnd);
  if (at < 0 || at >= metadataEnd) return null;
  const from = at + RECORDED_FIELD.length;
  const time = text.slice(from, text.indexOf('"', from));
  return isRecordedTime(time) ? Date.parse(time) : undefined;
}

function isText(json: string | undefined): boolean {
  return json?.startsWith('"') === true;
}

/** What a text in JSON says; null where it is none, or says it with escapes. */
function plainText(json: string): string | null {
  return json.startsWith('"') && !json.includes('\\') ? json.slice(1, -1) : null;
}

/** The envelope, where the text is one. */
function parse(text: string): StoredEnvelope | null {
  try {
    const envelope = JSON.parse(text) as StoredEnvelope;
    const { data, metadata } = envelope;
    const isWhole = [data, metadata].every((part) => typeof part === 'object' && part !== null);
    return isWhole && typeof metadata.signature === 'string' && metadata.signature.length === 64 ? envelope : null;
  } catch {
    return null;
  }
}

function columns(reason: string): Found {
  return { detector: 'columns', reason };
}

/** What a damaged text says may be anything of any length. */
function short(value: unknown): string {
  return String(value).slice(0, 120);
}
