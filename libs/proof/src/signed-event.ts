import type { RecordedEvent } from '#lib/event-store';
import { equalInConstantTime, type KeyRing, HmacKey } from '#lib/kernel';

/** How the signature stands in an event's text, which was signed without it. */
const SIGNATURE = '"signature":"';
const HEX_LENGTH = 64;
const QUOTE_AND_COMMA = 2;

export interface EventSignature {
  /** Of the key by which the event says that it was signed; null where it says none. */
  readonly kid: string | null;
  /** Whether the ring holds that key, not revoked. */
  readonly isKnown: boolean;
  /** Whether the event is as that key signed it. */
  readonly holds: boolean;
}

/** The signature of an event as it is stored, whatever it is: its chain and its form are not looked at. */
export function signatureOf({ stream, text }: Pick<RecordedEvent, 'stream' | 'text'>, ring: KeyRing): EventSignature {
  const { kid, signature } = signedBy(text);
  const key = kid === null ? undefined : ring.verifying(kid, 'event-hmac');
  if (!key) return { kid, isKnown: false, holds: false };
  const cut = text.lastIndexOf(SIGNATURE);
  const [before, after] = [text.slice(0, cut), text.slice(cut + SIGNATURE.length + HEX_LENGTH + QUOTE_AND_COMMA)];
  const holds = cut >= 0 && equalInConstantTime(new HmacKey(ring.subkey(key, stream)).hex(before, after), signature);
  return { kid, isKnown: true, holds };
}

/** As far as the text says it: it may hold anything. */
function signedBy(text: string): { readonly kid: string | null; readonly signature: string } {
  const { kid, signature } = metadataOf(text);
  return { kid: typeof kid === 'string' ? kid : null, signature: typeof signature === 'string' ? signature : '' };
}

function metadataOf(text: string): { readonly kid?: unknown; readonly signature?: unknown } {
  try {
    return (JSON.parse(text) as { readonly metadata?: { readonly kid?: unknown } }).metadata ?? {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}
