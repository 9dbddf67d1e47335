/**
 * What the verifier asks of `node:crypto`, for a browser: the build puts this in its place (scripts/lib/console.mjs).
 * Synchronous, as the verifier is, and without a secure context, which a file opened from a disk has not everywhere: two
 * reasons why it is not WebCrypto.
 */
import { hashes, Point, verify as verifyEd25519 } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer';

hashes.sha512 = sha512;

const bytesOf = (input: string | Uint8Array): Uint8Array => (typeof input === 'string' ? Buffer.from(input) : input);

function refuseOther(algorithm: string): void {
  if (algorithm !== 'sha256') throw new Error(`${algorithm}: the verifier uses sha256 alone`);
}

/** As `crypto.hash` of Node. */
export function hash(algorithm: string, input: string | Uint8Array, encoding: 'hex' | 'binary'): string {
  refuseOther(algorithm);
  return Buffer.from(sha256(bytesOf(input))).toString(encoding);
}

interface Hash {
  update(input: string | Uint8Array): Hash;
  digest(encoding: 'hex'): string;
}

/** As `crypto.createHash`. */
export function createHash(algorithm: string): Hash {
  refuseOther(algorithm);
  const state = sha256.create();
  const self: Hash = {
    update: (input) => (state.update(bytesOf(input)), self),
    digest: (encoding) => Buffer.from(state.digest()).toString(encoding),
  };
  return self;
}

export interface KeyObject {
  readonly publicKey: Uint8Array;
}

/** As `crypto.createPublicKey`, of an Ed25519 key as SubjectPublicKeyInfo, whose last 32 bytes are the key. */
export function createPublicKey({ key }: { readonly key: Uint8Array }): KeyObject {
  return { publicKey: key.subarray(-32) };
}

/**
 * As `crypto.verify`, with an Ed25519 key. The library multiplies both sides by the cofactor, which takes some signatures
 * that whoever has the key can make and that OpenSSL refuses; so R is computed too, and compared.
 */
export function verify(_: null, message: Uint8Array, { publicKey }: KeyObject, signature: Uint8Array): boolean {
  try {
    if (!verifyEd25519(signature, message, publicKey, { zip215: false })) return false;
    const k = scalarOf(sha512(Buffer.concat([signature.subarray(0, 32), publicKey, message]))) % ORDER;
    const s = scalarOf(signature.subarray(32));
    const r = Point.BASE.multiply(s, false).subtract(Point.fromBytes(publicKey).multiply(k, false));
    return Buffer.compare(r.toBytes(), signature.subarray(0, 32)) === 0;
  } catch {
    // Not a point, not a number below the order: not a signature.
    return false;
  }
}

/** The order of the group (RFC 8032, 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** A number as Ed25519 writes it: the lowest byte first. */
function scalarOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
