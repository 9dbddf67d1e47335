/** Bodies too large for an event, kept under the SHA-256 of their stored form. */
export interface ArtifactStore {
  /** Stores bytes and answers their name, 64 lower-case hex; the same bytes again are no error. */
  put(body: Uint8Array): Promise<string>;
  get(name: string): Promise<Uint8Array | null>;
  /** True where there was something to delete. */
  delete(name: string): Promise<boolean>;
  close(): Promise<void>;
}
