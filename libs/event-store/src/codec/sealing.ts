import { sha256HexOfBytes, type HmacKey } from '#lib/kernel';

import { encryptText, type FieldCipher } from './personal-fields.js';

/** What a stored text is put together of, in turn; behind each step stand its numbers. Lengths are in UTF-16 units. */
export const STEP = {
  /** Length: stands in the text as it is. */
  text: 0,
  /** The hash of the event before. */
  prevHash: 1,
  /** Which cipher, length of the pointer, length of the canonical value: a personal field. */
  field: 2,
  /** The place of the signature. */
  signature: 3,
  /** The event is complete. */
  end: 4,
} as const;

/** The events of one append as they are before they are encrypted, chained and signed. */
export interface Unsealed {
  /** event_id of each. */
  readonly ids: readonly string[];
  /** What the steps take, in their order, in UTF-8: it waits, and bytes are copied by no collection. */
  readonly utf8: Buffer;
  readonly steps: readonly number[];
  /** sha256 of the text that the first follows. */
  readonly prevHash: string;
  /** The stream's key for events. */
  readonly subkey: HmacKey;
  readonly ciphers: readonly FieldCipher[];
}

export interface Sealed {
  /** The stored texts in UTF-8. */
  readonly texts: readonly Buffer[];
  /** sha256 of the last of them. */
  readonly lastHash: string;
}

const AROUND_SIGNATURE = ['"signature":"', '",'] as const;

/**
 * Encrypts the personal fields of events, chains each to what stands before it, and signs it (spec/kernel.md, "Event
 * envelope"). The same order gives the same bytes in whichever thread, and however often.
 */
export function seal({ ids, utf8: bytes, steps, prevHash, subkey, ciphers }: Unsealed): Sealed {
  const texts: Buffer[] = [];
  let lastHash = prevHash;
  let before = '';
  let written = '';
  const text = bytes.toString();
  let at = 0;
  for (let n = 0; n < steps.length;) {
    switch (steps[n++]) {
      case STEP.text:
        written += text.slice(at, (at += steps[n++]!));
        break;
      case STEP.prevHash:
        written += lastHash;
        break;
      case STEP.field: {
        const cipher = ciphers[steps[n++]!]!;
        const pointer = text.slice(at, (at += steps[n++]!));
        const value = text.slice(at, (at += steps[n++]!));
        written += encryptText(cipher, ids[texts.length]!, pointer, value);
        break;
      }
      case STEP.signature:
        before = written;
        written = '';
        break;
      default: {
        const utf8 = subkey.sign(before, AROUND_SIGNATURE, written);
        texts.push(utf8);
        lastHash = sha256HexOfBytes(utf8);
        written = '';
      }
    }
  }
  return { texts, lastHash };
}
