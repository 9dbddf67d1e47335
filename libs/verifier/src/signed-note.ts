import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { cosignatureMessage } from './checkpoint.js';

/** C2SP signed-note (c2sp.org/signed-note) with Ed25519 signatures and timestamped cosignatures. */

export const ED25519 = 0x01;
export const COSIGNATURE = 0x04;
export type SignatureType = typeof ED25519 | typeof COSIGNATURE;

/** What stands before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const MAX_NOTE_BYTES = 100_000;
const MAX_SIGNATURES = 64;
const MAX_TIMESTAMP = 2n ** 63n - 1n;

/** A note, or a verifier key, that is not of the form of the standard. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}

export interface NoteSignature {
  readonly name: string;
  /** 8 hex. */
  readonly keyId: string;
  /** What follows the key id: of Ed25519 the 64 bytes, of a cosignature 8 bytes of time before them. */
  readonly bytes: Buffer;
}

export interface Note {
  /** The signed text with its last newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A key whose signatures are looked at: the public part of one signer. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: string;
  readonly type: SignatureType;
  readonly key: KeyObject;
  /** `<name>+<key id>+<base64>`, as `--key` takes it. */
  readonly vkey: string;
}

/** A signature of a known key that verified; `time` (POSIX seconds) only of a cosignature. */
export interface VerifiedSignature {
  readonly key: VerifierKey;
  readonly time?: number;
}

/** The first four bytes of SHA-256(name || 0x0A || type || public key), hex. */
export function noteKeyId(name: string, type: SignatureType, publicKey: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(Buffer.of(type)).update(publicKey).digest('hex').slice(0, 8);
}

/** The text form of a verifier key; `publicKey` is the 32 bytes of RFC 8032. @throws NoteError */
export function formatVkey(name: string, type: SignatureType, publicKey: Uint8Array): string {
  if (!isName(name)) throw new NoteError(`a key name has no space and no plus: "${name}"`);
  const material = Buffer.concat([Buffer.of(type), publicKey]).toString('base64');
  return `${name}+${noteKeyId(name, type, publicKey)}+${material}`;
}

/** Reads `<name>+<8 hex>+<base64(type || 32 bytes)>`. @throws NoteError saying what is wrong with it */
export function parseVkey(vkey: string): VerifierKey {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey);
  const [, name = '', keyId = '', encoded = ''] = parts ?? [];
  const material = base64(encoded);
  if (!parts || !isName(name) || !material) throw new NoteError('a verifier key reads <name>+<8 hex>+<base64>');
  const type = material[0];
  if ((type !== ED25519 && type !== COSIGNATURE) || material.length !== 33) {
    throw new NoteError('only Ed25519 keys (type 1) and Ed25519 cosigner keys (type 4) are known');
  }
  const raw = material.subarray(1);
  if (noteKeyId(name, type, raw) !== keyId) throw new NoteError(`the key id of ${name} is not ${keyId}`);
  return { name, keyId, type, vkey, key: publicKeyOf(raw) };
}

/** An Ed25519 public key of its 32 bytes. */
function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
}

/** One signature line, with its newline. */
export function signatureLine(name: string, keyId: string, bytes: Uint8Array): string {
  return `— ${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), bytes]).toString('base64')}\n`;
}

/** Splits a note into its text and signatures; nothing is verified. @throws NoteError */
export function parseNote(note: string): Note {
  if (note.length > MAX_NOTE_BYTES) throw new NoteError(`a note has at most ${MAX_NOTE_BYTES} bytes`);
  if (!note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note))
    throw new NoteError('a note holds no control characters');
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw new NoteError('a note is text, an empty line, and signature lines');
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new NoteError(`a note has at most ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, split + 1), signatures: lines.map(parseLine) };
}

function parseLine(line: string): NoteSignature {
  const [dash, name = '', encoded = '', ...more] = line.split(' ');
  const bytes = base64(encoded);
  if (dash !== '—' || !isName(name) || more.length > 0 || !bytes || bytes.length < 5) {
    throw new NoteError('a signature line reads "— <key name> <base64 of key id and signature>"');
  }
  return { name, keyId: bytes.toString('hex', 0, 4), bytes: bytes.subarray(4) };
}

/**
 * The signatures of known keys, all of which must verify; those of unknown keys are ignored. An empty answer means that
 * no known key signed.
 * @throws NoteError where the signature of a known key does not verify
 */
export function verifyNote(note: Note, keys: readonly VerifierKey[]): VerifiedSignature[] {
  return note.signatures.flatMap(({ name, keyId, bytes }) => {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    return key ? [verifyOne(note.text, key, bytes)] : [];
  });
}

function verifyOne(text: string, key: VerifierKey, bytes: Buffer): VerifiedSignature {
  if (key.type === ED25519) {
    if (bytes.length !== 64 || !verify(null, Buffer.from(text), key.key, bytes)) throw refusalOf(key);
    return { key };
  }
  if (bytes.length !== 72) throw refusalOf(key);
  const time = bytes.readBigUInt64BE();
  const message = cosignatureMessage(text, time);
  if (time > MAX_TIMESTAMP || !verify(null, Buffer.from(message), key.key, bytes.subarray(8))) throw refusalOf(key);
  return { key, time: Number(time) };
}

function refusalOf({ name, keyId }: VerifierKey): NoteError {
  return new NoteError(`the signature of ${name} (key ${keyId}) does not verify`);
}

/** Non-empty, without Unicode spaces and plus. */
function isName(name: string): boolean {
  return /^[^\s\u0085+]+$/u.test(name);
}

/** Strict base64 of RFC 4648 section 4, or null. */
export function base64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
