import { equalInConstantTime, type KeyRing, HmacKey } from '#lib/kernel';

import { LruMap } from '../lru-map.js';
import type { RecordedEvent } from '../port.js';

const METADATA = ',"metadata":{';
const SIGNATURE = '"signature":"';
const HEX_LENGTH = 64;
const AFTER = '",';
/** Those of the streams that are written to at the same time: one costs less to make again than to keep for long. */
const MAX_SUBKEYS = 256;

/**
 * Whether rows of an event store are what a key of the ring signed for their stream, type and id: for whoever follows the
 * log by thousands. It is looked for in the text, which is not parsed: whatever the search takes for a member is signed
 * where the signature verifies. The place in the stream is not looked at (that is `EventCodec.open`).
 */
export class RowSignatures {
  private readonly subkeys = new LruMap<string, HmacKey>(MAX_SUBKEYS);

  constructor(private readonly ring: KeyRing) {}

  /** Why a row is none of this ring's events, in words; null where it is one. */
  faultOf({ stream, type, id, text }: Pick<RecordedEvent, 'stream' | 'type' | 'id' | 'text'>): string | null {
    if (!text.endsWith(`},"stream":"${stream}","type":"${type}"}`)) return 'it was not written as this event';
    const from = lastMetadata(text);
    if (from < 0 || memberAt(text, from, 'event_id') !== id) return 'it was written under another event_id';
    const kid = memberAt(text, from, 'kid');
    if (kid === null) return 'it says no key';
    const subkey = this.subkey(kid, stream);
    if (!subkey) return `key ${kid.slice(0, 80)} may not sign events`;
    const cut = text.indexOf(SIGNATURE, from);
    if (cut < 0) return 'it has no signature';
    const end = cut + SIGNATURE.length + HEX_LENGTH;
    if (!text.startsWith(AFTER, end)) return 'its signature is no signature';
    const said = text.slice(cut + SIGNATURE.length, end);
    const expected = subkey.hex(text.slice(0, cut), text.slice(end + AFTER.length));
    return equalInConstantTime(expected, said) ? null : 'its signature does not verify';
  }

  private subkey(kid: string, stream: string): HmacKey | null {
    const name = `${kid} ${stream}`;
    const known = this.subkeys.get(name);
    if (known) return known;
    const key = this.ring.verifying(kid, 'event-hmac');
    if (!key) return null;
    const subkey = new HmacKey(this.ring.subkey(key, stream));
    this.subkeys.set(name, subkey);
    return subkey;
  }
}

/** Whatever the data holds, the last unescaped member of that name is the envelope's; searched from the front, which is faster. */
function lastMetadata(text: string): number {
  let last = -1;
  for (let at = text.indexOf(METADATA); at >= 0; at = text.indexOf(METADATA, at + METADATA.length)) last = at;
  return last;
}

/** The text of a member without escapes; null where there is none. A quote within a text is escaped, so none looks like one. */
function memberAt(text: string, from: number, name: string): string | null {
  const lead = `"${name}":"`;
  const at = text.indexOf(lead, from);
  if (at < 0) return null;
  const begin = at + lead.length;
  return text.slice(begin, text.indexOf('"', begin));
}
