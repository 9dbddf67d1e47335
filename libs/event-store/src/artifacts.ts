import { createHash } from 'node:crypto';

import type { Actor } from '#lib/kernel';

/** Bodies too large for an event, kept under the SHA-256 of their stored form. */
export interface ArtifactStore {
  /**
   * Stores bytes and answers their name, 64 lower-case hex; the same bytes again are no error.
   * @param by whom they are counted for; `evidence` may use the reserve (docs/decisions/0033). The system where absent
   * @throws StorageFullError
   */
  put(body: Uint8Array, by?: Actor | 'evidence'): Promise<string>;
  /** Whether something is stored under a name, whole or damaged. */
  has(name: string): Promise<boolean>;
  /**
   * Null where there is none, and for what is no name at all.
   * @throws DamagedArtifactError where what is stored no longer has this name
   */
  get(name: string): Promise<Uint8Array | null>;
  /**
   * Names of what is stored, in order, a page at a time.
   * @param after the last name of the page before; null for the first
   */
  names(after: string | null, limit: number): Promise<readonly string[]>;
  /** True where there was something to delete. */
  delete(name: string): Promise<boolean>;
  close(): Promise<void>;
  /** Bytes that all of it takes in the data folder; absent in a store elsewhere. */
  readonly localBytes?: number;
}

/** The name of a body: its SHA-256, hex. */
export function artifactName(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** The stored bytes have changed since they were put. */
export class DamagedArtifactError extends Error {
  constructor(readonly artifact: string) {
    super(`artifact ${artifact} is damaged: its bytes have another SHA-256. Restore it from a backup.`);
    this.name = 'DamagedArtifactError';
  }
}
