import { HmacKey, type RecordedEvent } from '#lib/event-store';
import { eventId, type KeyRing, type StoredEnvelope } from '#lib/kernel';

import type { Detector } from '../domain/fault.js';
import { isCanonical } from './canonical-form.js';

/** What is wrong with one event, taken by itself. */
export interface Found {
  readonly detector: Detector;
  readonly reason: string;
}

const SIGNATURE_FIELD = '"signature":"';
const SIGNATURE_LENGTH = SIGNATURE_FIELD.length + 64 + 2;
const MAX_SUBKEYS = 16_384;

/** Checks events one by one, as spec/kernel.md, "Event envelope", says them: all that needs no other event. */
export class EventCheck {
  private readonly subkeys = new Map<string, HmacKey | null>();

  constructor(private readonly ring: KeyRing) {}

  /** The envelope, where the text is one. */
  parse(text: string): StoredEnvelope | null {
    try {
      const envelope = JSON.parse(text) as StoredEnvelope;
      const { data, metadata } = envelope;
      const isWhole = [data, metadata].every((part) => typeof part === 'object' && part !== null);
      return isWhole && typeof metadata.signature === 'string' && metadata.signature.length === 64 ? envelope : null;
    } catch {
      return null;
    }
  }

  /** The first thing wrong with an event; null where nothing is. */
  faultOf(recorded: RecordedEvent, envelope: StoredEnvelope): Found | null {
    const { stream, type, id, text } = recorded;
    const { metadata } = envelope;
    if (envelope.stream !== stream) return columns(`it was written to stream ${short(envelope.stream)}`);
    if (envelope.type !== type) return columns(`it was written as ${short(envelope.type)}`);
    if (metadata.event_id !== id) return columns(`it was written with the id ${short(metadata.event_id)}`);
    if (eventId(metadata.job_seed, metadata.sequence_index, type) !== id)
      return { detector: 'event-id', reason: 'its event_id does not follow from its seed, index and type' };
    const key = this.subkey(metadata.kid, stream);
    if (!key) return { detector: 'key', reason: `key ${short(metadata.kid)} may not sign events` };
    const cut = text.lastIndexOf(SIGNATURE_FIELD);
    const expected = cut < 0 ? '' : key.hex(text.slice(0, cut), text.slice(cut + SIGNATURE_LENGTH));
    // Nobody learns from the time that this takes: it is told to nobody who could try again.
    if (expected !== metadata.signature) return { detector: 'signature', reason: 'its signature does not verify' };
    return isCanonical(text, envelope) ? null : { detector: 'canonical', reason: 'its text is not in canonical form' };
  }

  private subkey(kid: string, stream: string): HmacKey | null {
    const name = `${kid} ${stream}`;
    const known = this.subkeys.get(name);
    if (known !== undefined) return known;
    const key = this.ring.verifying(kid, 'event-hmac');
    const subkey = key ? new HmacKey(this.ring.subkey(key, stream)) : null;
    if (this.subkeys.size >= MAX_SUBKEYS) this.subkeys.clear();
    this.subkeys.set(name, subkey);
    return subkey;
  }
}

function columns(reason: string): Found {
  return { detector: 'columns', reason };
}

/** What a damaged text says may be anything of any length. */
function short(value: unknown): string {
  return String(value).slice(0, 120);
}
