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
  /** The key is there and given to nobody: its subject is being erased. */
  | { readonly state: 'refused'; readonly subject: string; readonly kid: string }
  /** A tombstone: the key was destroyed and is never made again under this kid. */
  | { readonly state: 'destroyed'; readonly subject: string; readonly kid: string };

/** Some of the present keys, in the order in which they were made. */
export interface KeyPage {
  readonly keys: readonly WrappedKey[];
  /** What the next page begins after; null where there is nothing more. */
  readonly next: string | null;
}

export function kidOf(record: SubjectKeyRecord): string {
  return record.state === 'present' ? record.key.kid : record.kid;
}

export interface SubjectKeyStore {
  /**
   * Stores the key unless its kid is known; answers what is stored afterwards, so racing creators all get the winner's.
   * For a refused subject nothing is stored and `refused` answered.
   */
  create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord>;
  get(kid: string): Promise<SubjectKeyRecord | null>;
  /** As `get` of each, in their order, in one question. */
  getAll(kids: readonly string[]): Promise<readonly (SubjectKeyRecord | null)[]>;
  /** Replaces the wrapping of a present key (rotation of the key-encryption key); false where it is not present. */
  rewrap(key: WrappedKey): Promise<boolean>;
  /** Overwrites the key and leaves a tombstone; again is no error. @throws Error for an unknown kid */
  destroy(kid: string): Promise<void>;
  /** Every kid of a subject, oldest first. */
  listFor(subject: string): Promise<readonly SubjectKeyRecord[]>;
  /**
   * Every present key, refused ones included, a page at a time: what a rotation of the key-encryption key goes through.
   * @param after `next` of the page before; null for the first
   */
  present(after: string | null, limit: number): Promise<KeyPage>;
  /** From now on no key of this subject is given out or made, in whichever process; again is no error. */
  refuse(subject: string): Promise<void>;
  /**
   * Ends the refusal, so that who returns gets a new key; again is no error.
   * @throws Error while a key of the subject is still there
   */
  readmit(subject: string): Promise<void>;
  close(): Promise<void>;
}
