import { HmacKey, type RecordedEvent } from '#lib/event-store';
import {
  CanonicalScan,
  equalInConstantTime,
  eventId,
  isCanonical,
  type KeyRing,
  Members,
  type StoredEnvelope,
} from '#lib/kernel';

import type { Detector } from '../domain/fault.js';
import type { TextCut } from './leaves.js';
import { ReadEvent } from './read-event.js';

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

/** Of the metadata, what an event is checked by; in the order of canonical JSON. */
const SIGNED_MEMBERS = ['event_id', 'job_seed', 'kid', 'prev_hash', 'sequence_index', 'signature'] as const;

const NO_EVENT: Checked = { event: null, found: { detector: 'text', reason: 'its text is no event' }, cut: null };
const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_LENGTH = SIGNATURE_FIELD.length + 64 + 2;
const MAX_SUBKEYS = 16_384;

/** Checks events one by one, as spec/kernel.md, "Event envelope", says them: all that needs no other event. */
export class EventCheck {
  private readonly subkeys = new Map<string, Map<string, HmacKey | null>>();
  private held = 0;
  private readonly scan = new CanonicalScan();
  private readonly metadata = new Members(SIGNED_MEMBERS);

  /** @param retired positions after which a key signs no more, by kid */
  constructor(
    private readonly ring: KeyRing,
    private readonly retired: Readonly<Record<string, number>>,
  ) {}

  check(recorded: RecordedEvent): Checked {
    const sound = this.sound(recorded);
    if (sound) return sound;
    const envelope = parse(recorded.text);
    if (!envelope) return NO_EVENT;
    const { prev_hash } = envelope.metadata;
    const event = new ReadEvent(recorded.text, prev_hash, envelope);
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
    const [eventIdText = '', seedText = '', kidText = '', prevHashText = '', index, signature = ''] = metadata.values;
    if (!isCanonical || eventIdText !== `"${id}"`) return null;
    const [seed, kid, prevHash] = [plainText(seedText), plainText(kidText), plainText(prevHashText)];
    if (seed === null || kid === null || prevHash === null || !index) return null;
    if (eventId(seed, Number(index), type) !== id) return null;
    if (this.isRetired(kid, position)) return null;
    if (!equalInConstantTime(signature, `"${this.signatureOf(kid, stream, text)}"`)) return null;
    return { event: new ReadEvent(text, prevHash), found: null, cut: { dataEnd, metadataEnd } };
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
    return isCanonical(text, envelope) ? null : { detector: 'canonical', reason: 'its text is not in canonical form' };
  }

  private isRetired(kid: string, position: string): boolean {
    const last = this.retired[kid];
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
