import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

import { CacheEntryError } from '../cache/guarded-state-cache.js';
import type { Folded } from '../cache/state-cache.js';

const REVISION_DIGITS = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_HEX = 40;
/** What stands in an entry beside what it holds. */
export const SEAL_BYTES = REVISION_DIGITS + NONCE_BYTES + TAG_BYTES;

/** An entry as it lies in Redis: the revision in digits that compare as text, then the sealed rest. */
export interface SealedEntry {
  readonly revision: string;
  readonly sealed: Buffer;
}

/**
 * Entries as somebody may see who reads the cache, and may not make who writes to it: AES-256-GCM under a key for each
 * name, bound to name and revision. Names are keyed hashes, because streams are named after people.
 */
export class SealedEntries {
  private readonly naming: Buffer;
  private readonly sealing: Buffer;

  /** @param secret 32 bytes that only the processes of this log have */
  constructor(secret: Buffer) {
    this.naming = createHmac('sha256', secret).update('name').digest();
    this.sealing = createHmac('sha256', secret).update('seal').digest();
  }

  nameOf(key: string): string {
    return createHmac('sha256', this.naming).update(key).digest('hex').slice(0, NAME_HEX);
  }

  seal(name: string, entry: Folded<unknown>): SealedEntry {
    const revision = String(entry.head.version).padStart(REVISION_DIGITS, '0');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(name), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(`${name} ${revision}`));
    const body = cipher.update(JSON.stringify(entry), 'utf8');
    return { revision, sealed: Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]) };
  }

  /** @throws CacheEntryError for anything that was not sealed here, under this name and for this revision */
  open(name: string, stored: Buffer): Folded<unknown> {
    if (stored.length <= SEAL_BYTES) throw new CacheEntryError();
    const revision = stored.toString('latin1', 0, REVISION_DIGITS);
    const bodyAt = REVISION_DIGITS + NONCE_BYTES;
    const nonce = stored.subarray(REVISION_DIGITS, bodyAt);
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(name), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`${name} ${revision}`)).setAuthTag(stored.subarray(-TAG_BYTES));
    let text: string;
    try {
      text = decipher.update(stored.subarray(bodyAt, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new CacheEntryError();
    }
    return JSON.parse(text) as Folded<unknown>;
  }

  private keyOf(name: string): Buffer {
    return createHmac('sha256', this.sealing).update(name).digest();
  }
}
