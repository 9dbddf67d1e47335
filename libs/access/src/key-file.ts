import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { KeyRing, MIN_KEY_BYTES, type KeyPurpose, type KeyState, type RingKey } from '#lib/kernel';

import { isFixtureSecret } from './fixture-keys.js';

/** Every purpose has an active key from the first start on; a signature purpose is Ed25519, the others are secrets. */
export const KEY_PURPOSES: Readonly<Record<KeyPurpose, 'secret' | 'ed25519'>> = {
  'event-hmac': 'secret',
  'snapshot-hmac': 'secret',
  'pii-hmac': 'secret',
  'request-hmac': 'secret',
  'data-key-wrapping': 'secret',
  'forensic-evidence': 'secret',
  'token-signature': 'ed25519',
  'response-signature': 'ed25519',
  'checkpoint-signature': 'ed25519',
};
const PURPOSES = Object.keys(KEY_PURPOSES) as KeyPurpose[];
const STATES: readonly KeyState[] = ['active', 'verify-only', 'revoked'];
const FORMAT = 1;
const GROUP_AND_OTHERS = 0o077;

/** The keys cannot be used; the message names the file and says what to do. */
export class KeyFileError extends Error {
  constructor(
    readonly file: string,
    reason: string,
  ) {
    super(`key file ${file}: ${reason}`);
    this.name = 'KeyFileError';
  }
}

interface StoredKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly state: KeyState;
  /** Base64. */
  readonly secret: string;
  readonly notBefore: string;
  readonly notAfter?: string;
}

export function keyFileIn(dataFolder: string): string {
  return join(dataFolder, 'keys', 'ring.json');
}

/**
 * The ring of a file, drawn and written first where the file is missing and `mayDraw` allows it. Without the right
 * keys nothing that is stored can be verified or decrypted, so every doubt is an error before anything is opened.
 * @param options.mayDraw false where data exists already, or keys come from outside
 * @param options.production refuses keys of the test fixtures and keys that were plainly not drawn at random
 * @throws KeyFileError
 */
export function openKeyFile(file: string, options: { mayDraw: boolean; production: boolean; now: number }): KeyRing {
  if (!existsSync(file)) {
    if (!options.mayDraw) {
      throw new KeyFileError(
        file,
        'missing, and the data beside it cannot be read without it; restore it from a backup',
      );
    }
    writeKeyFile(file, drawKeys(options.now));
  }
  const keys = readKeyFile(file);
  if (options.production) for (const key of keys) refuseWeak(file, key);
  try {
    const ring = new KeyRing(keys, Date.now);
    for (const purpose of PURPOSES) ring.active(purpose);
    return ring;
  } catch (error) {
    throw new KeyFileError(file, (error as Error).message);
  }
}

/**
 * Adds a new active key of a purpose; the one before it still verifies what it signed. A running process keeps the ring
 * it started with.
 * @throws KeyFileError
 */
export function rotateKey(file: string, purpose: KeyPurpose, now: number): { kid: string; previousKid: string | null } {
  const keys = readKeyFile(file);
  const previous = keys.find((key) => key.purpose === purpose && key.state === 'active');
  const generation = keys.filter((key) => key.purpose === purpose).length + 1;
  const next = drawKey(purpose, generation, now);
  const retired = keys.map((key): RingKey =>
    key === previous ? { ...key, state: 'verify-only', notAfter: next.notBefore } : key,
  );
  writeKeyFile(file, [...retired, next]);
  return { kid: next.kid, previousKid: previous?.kid ?? null };
}

/** Of these nothing is lost with a key, once nothing is wrapped by it; what the others signed could be verified by nobody. */
const REVOCABLE: readonly KeyPurpose[] = ['token-signature', 'response-signature', 'data-key-wrapping'];

/**
 * Ends a key that was rotated away, for good: it verifies and opens nothing any more, and its secret is in the file no
 * longer. Again changes nothing.
 * @throws KeyFileError also for a key that is not there, still signs, or whose end would be that of what it signed
 */
export function revokeKey(file: string, kid: string): RingKey {
  const keys = readKeyFile(file);
  const key = keys.find((one) => one.kid === kid);
  if (!key) throw new KeyFileError(file, `it holds no key ${kid}; \`mace keys list\` shows those that it holds`);
  if (!REVOCABLE.includes(key.purpose))
    throw new KeyFileError(file, `${kid} verifies what is stored; a key of ${REVOCABLE.join(', ')} can be revoked`);
  if (key.state === 'active') throw new KeyFileError(file, `${kid} is in use; rotate ${key.purpose} first`);
  if (key.state === 'revoked') return key;
  const revoked: RingKey = { ...key, state: 'revoked', secret: randomBytes(MIN_KEY_BYTES) };
  writeKeyFile(
    file,
    keys.map((one) => (one === key ? revoked : one)),
  );
  return revoked;
}

/** @throws KeyFileError for a file that is missing, open to others, or not what was written */
export function readKeyFile(file: string): RingKey[] {
  let text: string;
  try {
    refuseNoFile(file);
    refuseOpen(file);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    throw new KeyFileError(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new KeyFileError(
      file,
      `damaged: ${error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message}; restore it from a backup`,
    );
  }
}

/** Replaces the file in one step; a crash leaves the old one or the new one. */
export function writeKeyFile(file: string, keys: readonly RingKey[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const stored = keys.map((key): StoredKey => ({ ...key, secret: key.secret.toString('base64') }));
  const checksum = digest(stored);
  const text = `${JSON.stringify({ format: FORMAT, checksum, keys: stored }, null, 2)}\n`;
  const draft = `${file}.${process.pid}.new`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  syncFolder(dirname(file));
}

export function drawKeys(now: number): RingKey[] {
  return PURPOSES.map((purpose) => drawKey(purpose, 1, now));
}

function drawKey(purpose: KeyPurpose, generation: number, now: number): RingKey {
  const secret =
    KEY_PURPOSES[purpose] === 'secret'
      ? randomBytes(MIN_KEY_BYTES)
      : generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
  const kid = `${purpose}.${generation}.${randomBytes(3).toString('hex')}`;
  return { kid, purpose, state: 'active', secret, notBefore: new Date(now).toISOString() };
}

function parse(text: string): RingKey[] {
  const ring = JSON.parse(text) as { format?: unknown; checksum?: unknown; keys?: unknown } | null;
  if (ring === null) throw new Error('it holds nothing');
  const { format, checksum, keys } = ring;
  if (format !== FORMAT) throw new Error(`format ${String(format)}, this release reads ${FORMAT}`);
  if (!Array.isArray(keys)) throw new Error('it lists no keys');
  const stored = keys as StoredKey[];
  if (checksum !== digest(stored)) throw new Error('its checksum does not match its keys');
  return stored.map((key) => {
    const known = Object.hasOwn(KEY_PURPOSES, key.purpose) && STATES.includes(key.state);
    if (!known) throw new Error(`key ${key.kid} has an unknown purpose or state`);
    return { ...key, secret: Buffer.from(key.secret, 'base64') };
  });
}

/** Tells damage apart from keys that merely do not fit; no secret can be told from it. */
function digest(keys: readonly StoredKey[]): string {
  return hash('sha256', JSON.stringify(keys), 'hex');
}

/** Reading something else ends in a fault that says nothing of it, or never. */
function refuseNoFile(file: string): void {
  const kind = statSync(file);
  if (kind.isFile()) return;
  const what = kind.isDirectory() ? 'a folder' : 'no file';
  throw new KeyFileError(
    file,
    `is ${what}, and a file should stand there; restore it from a backup, or name the right one by MACE_KEYS_FILE`,
  );
}

function refuseOpen(file: string): void {
  if (process.platform === 'win32') return;
  for (const path of [file, dirname(file)]) {
    const mode = statSync(path).mode & 0o777;
    if ((mode & GROUP_AND_OTHERS) === 0) continue;
    // A folder that others may list is theirs to know of; a file that they may read is not.
    if (path !== file && (mode & 0o022) === 0) continue;
    const wanted = path === file ? '600' : '700';
    throw new KeyFileError(
      file,
      `${path === file ? 'it' : 'its folder'} is open to other users (mode ${mode.toString(8)}); chmod ${wanted} ${path}`,
    );
  }
}

function refuseWeak(file: string, key: RingKey): void {
  if (isFixtureSecret(key.secret))
    throw new KeyFileError(file, `key ${key.kid} is a test fixture; production needs its own keys`);
  if (new Set(key.secret).size < 12)
    throw new KeyFileError(file, `key ${key.kid} was not drawn at random; production needs its own keys`);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
