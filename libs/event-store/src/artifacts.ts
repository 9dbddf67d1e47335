/** Bodies too large for an event, kept under the SHA-256 of their stored form. */
export interface ArtifactStore {
  /**
   * Stores bytes and answers their name, 64 lower-case hex; the same bytes again are no error.
   * @throws StorageFullError
   */
  put(body: Uint8Array): Promise<string>;
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
}

/** The stored bytes have changed since they were put. */
export class DamagedArtifactError extends Error {
  constructor(readonly artifact: string) {
    super(`artifact ${artifact} is damaged: its bytes have another SHA-256. Restore it from a backup.`);
    this.name = 'DamagedArtifactError';
  }
}
