/** Where people's data keys live, outside the log, so that destroying one reaches every copy (spec/privacy.md). */

/** A data key as kept: wrapped, so that the store alone opens nothing. */
export interface WrappedKey {
  readonly kid: string;
  /** Base64 of the data key wrapped by the key-encryption key named `wrappedBy`. */
  readonly wrapped: string;
  readonly wrappedBy: string;
}

export type SubjectKeyRecord =
  | { readonly state: 'present'; readonly subject: string; readonly key: WrappedKey }
  /** A tombstone: the key was destroyed and is never made again under this kid. */
  | { readonly state: 'destroyed'; readonly subject: string; readonly kid: string };

export interface SubjectKeyStore {
  /** Stores the key unless its kid is known; answers what is stored afterwards, so racing creators all get the winner's. */
  create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord>;
  get(kid: string): Promise<SubjectKeyRecord | null>;
  /** Replaces the wrapping of a present key (rotation of the key-encryption key); false where it is not present. */
  rewrap(key: WrappedKey): Promise<boolean>;
  /** Overwrites the key and leaves a tombstone; again is no error. @throws Error for an unknown kid */
  destroy(kid: string): Promise<void>;
  /** Every kid of a subject, oldest first. */
  listFor(subject: string): Promise<readonly SubjectKeyRecord[]>;
  close(): Promise<void>;
}
