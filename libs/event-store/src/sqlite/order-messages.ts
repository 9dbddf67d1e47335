import { KeyObject } from 'node:crypto';

import { HmacKey } from '#lib/kernel';

import { seal, type Sealed, type Unsealed } from '../codec/sealing.js';

/** Texts that the writing thread sealed. */
export interface SealedTexts {
  /** One after another, in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each. */
  readonly lengths: readonly number[];
  /** sha256 of the last. */
  readonly lastHash: string;
}

const HASH_LENGTH = 64;
/** Of every key of an order. */
export const KEY_BYTES = 32;

/** The keys of the orders of one message, in turn. They travel beside the texts, so that they can be overwritten. */
export class PackedKeys {
  private readonly copies: Buffer[] = [];

  /** Takes a copy that its caller gives up. */
  add(copy: Buffer): void {
    if (copy.length !== KEY_BYTES) throw new RangeError(`a key of ${copy.length} bytes`);
    this.copies.push(copy);
  }

  /** All of them; none is left here. */
  together(): Uint8Array<ArrayBuffer> {
    const keys = new Uint8Array(this.copies.length * KEY_BYTES);
    for (const [i, copy] of this.copies.entries()) {
      keys.set(copy, i * KEY_BYTES);
      copy.fill(0);
    }
    return keys;
  }
}

/** What a message holds, each part taken once and in their order. */
export interface MessageReader {
  string(length: number): string;
  number(): number;
  bytes(length: number): Buffer;
  key(): Buffer;
}

/**
 * Said to whoever asks, before the order stands in one message with those of others.
 * @throws RangeError for a hash or a key of another length, TypeError for a key that is no key object
 */
export function refuseUnpackable({ prevHash, ciphers }: Unsealed): void {
  if (prevHash.length !== HASH_LENGTH) throw new RangeError(`a hash of ${prevHash.length} characters`);
  for (const { dataKey } of ciphers) {
    const bytes = keyObject(dataKey).symmetricKeySize;
    if (bytes !== KEY_BYTES) throw new RangeError(`a data key of ${bytes} bytes`);
  }
}

/** Adds what an order says to the numbers and keys of a message, and answers what it adds to its text; its bytes go too. */
export function packOrder(order: Unsealed, numbers: number[], keys: PackedKeys): string {
  const { utf8, steps, prevHash, subkey, ciphers } = order;
  keys.add(subkey.copy());
  numbers.push(utf8.length, steps.length, ciphers.length);
  for (const step of steps) numbers.push(step);
  let said = prevHash;
  for (const { kid, dataKey, nonceKey } of ciphers) {
    numbers.push(kid.length);
    said += kid;
    keys.add(keyObject(dataKey).export());
    keys.add(nonceKey.copy());
  }
  return said;
}

/** What `packOrder` packed, sealed; none of its keys is left here. @param ids of the order's events */
export function sealPacked(message: MessageReader, ids: readonly string[]): SealedTexts {
  const order = unpackOrder(message, ids);
  try {
    return gathered(seal(order));
  } finally {
    order.subkey.forget();
    for (const { nonceKey } of order.ciphers) nonceKey.forget();
  }
}

function unpackOrder(message: MessageReader, ids: readonly string[]): Unsealed {
  const subkey = new HmacKey(message.key());
  const length = message.number();
  const steps = new Array<number>(message.number());
  const ciphers = new Array<Unsealed['ciphers'][number]>(message.number());
  for (let i = 0; i < steps.length; i++) steps[i] = message.number();
  const prevHash = message.string(HASH_LENGTH);
  const utf8 = message.bytes(length);
  for (let i = 0; i < ciphers.length; i++) {
    const kid = message.string(message.number());
    ciphers[i] = { kid, dataKey: message.key(), nonceKey: new HmacKey(message.key()) };
  }
  return { ids, utf8, steps, prevHash, subkey, ciphers };
}

function gathered({ texts, lastHash }: Sealed): SealedTexts {
  const lengths = texts.map((one) => one.length);
  const bytes = new Uint8Array(lengths.reduce((sum, one) => sum + one, 0));
  let at = 0;
  for (const one of texts) {
    bytes.set(one, at);
    at += one.length;
  }
  return { bytes, lengths, lastHash };
}

/** The texts each by itself; they share the bytes. */
export function textsOf({ bytes, lengths }: SealedTexts): Buffer[] {
  const { buffer, byteOffset } = bytes;
  let at = byteOffset;
  return lengths.map((length) => {
    const text = Buffer.from(buffer, at, length);
    at += length;
    return text;
  });
}

function keyObject(dataKey: Unsealed['ciphers'][number]['dataKey']): KeyObject {
  if (!(dataKey instanceof KeyObject)) throw new TypeError('data keys of orders are key objects');
  return dataKey;
}
