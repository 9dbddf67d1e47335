import { canonicalize, sha256Hex } from '#lib/kernel';

/** One stored event that holds personal fields of the person, by the hash of its stored form. */
export interface ErasedEntry {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly event_id: string;
  /** sha256 of the stored canonical text: the next event's prev_hash. */
  readonly hash: string;
}

/**
 * What became of a copy. `purged`: removed; `unreadable`: its ciphertext is there and no key opens it; `kept`: a recorded
 * legal hold names it.
 */
export type Fate = 'purged' | 'unreadable' | 'kept';

/** A place besides the log that may hold something of a person. */
export interface PurgedPlace {
  readonly kind: 'read_model' | 'cache' | 'scratch' | 'snapshot' | 'replaced_folder';
  readonly name: string;
  /** Entries that hold something of the person; null where everything is dropped, whosever it is. */
  readonly found: number | null;
  readonly fate: Exclude<Fate, 'kept'>;
}

export interface PurgedEvidence {
  /** Name of the artifact. */
  readonly evidence_ref: string;
  readonly fate: 'purged' | 'kept';
  readonly legal_hold: string | null;
}

export interface DeletedKey {
  readonly key: string;
  readonly event_id: string;
}

/** A certificate is one event: keys of the greatest length take a third of the most that one may have. */
export const MOST_KEYS_LISTED = 1000;

/** What a manifest says of deleted keys. @param deleted all of them, in log order */
export function listedKeys(deleted: readonly DeletedKey[]): Pick<DeletionManifest, 'sem_keys' | 'sem_keys_all'> {
  if (deleted.length <= MOST_KEYS_LISTED) return { sem_keys: deleted };
  const sem_keys_all = { count: deleted.length, hash: sha256Hex(canonicalize(deleted)) };
  return { sem_keys: deleted.slice(0, MOST_KEYS_LISTED), sem_keys_all };
}

/** What was removed of a person, by hash (spec/privacy.md, "Data-subject requests"). */
export interface DeletionManifest {
  readonly dsr_id: string;
  readonly user_id: string;
  /** Keys of memory that were deleted for this request, with the sem_delete of each; the first of them, where they are many. */
  readonly sem_keys: readonly DeletedKey[];
  /**
   * Of all of them, where there are more than MOST_KEYS_LISTED; absent otherwise. `hash` is the sha256 of their canonical
   * list in log order, which follows from the log: each sem_delete names its request.
   */
  readonly sem_keys_all?: { readonly count: number; readonly hash: string };
  /** Data keys that were destroyed. */
  readonly data_keys: readonly string[];
  /** Every stored event with personal fields of the person, which read as `[erased]` from now on. */
  readonly events: {
    readonly count: number;
    readonly by_type: Readonly<Record<string, number>>;
    /** sha256 of the canonical list of ErasedEntry, in log order. */
    readonly hash: string;
    /** Artifact that holds that list. */
    readonly list: string;
  };
  readonly forensic: readonly PurgedEvidence[];
  readonly places: readonly PurgedPlace[];
  /** Jobs of the person that were under way; each is closed as failed. */
  readonly jobs_closed: readonly string[];
}

export function entriesText(entries: readonly ErasedEntry[]): string {
  return canonicalize(entries);
}

export function countByType(entries: readonly ErasedEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

export function manifestHash(manifest: DeletionManifest): string {
  return sha256Hex(canonicalize(manifest));
}
