import type { LogPlaces } from '#lib/event-store';

/** A signed statement that the log had this size and this root (C2SP tlog-checkpoint). */
export interface CheckpointRecord {
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  /** Merkle tree hash of RFC 9162 over that many leaves, lower-case hex. */
  readonly root: string;
  /** The whole signed note, cosignatures included. */
  readonly note: string;
  /** ISO 8601; when it was signed. For people: nothing is decided by it. */
  readonly made_at: string;
}

/** That one event is a leaf of the tree that a checkpoint names. Hashes are lower-case hex. */
export interface EventProof {
  readonly event_id: string;
  readonly stream: string;
  readonly revision: number;
  /** From 0, in the order of the log. */
  readonly leaf_index: number;
  readonly leaf_hash: string;
  readonly checkpoint: CheckpointRecord;
  /** Inclusion path of RFC 9162, the leaf's sibling first. */
  readonly inclusion: readonly string[];
}

/** The same of an event that is stored as it was signed for. */
export interface StoredProof extends EventProof {
  /** What the leaf is the hash of (libs/verifier, leafEntry): who has it needs nobody's word for what the leaf is of. */
  readonly entry: string;
}

/** Where an event stands. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/**
 * What a tree that was computed again from the events has shown of the one that is kept: the same in each leaf and node;
 * the same once what was kept wrongly was made again; or another than was signed.
 */
export type TreeComparison =
  | { readonly kind: 'same' }
  /** `position`: of the first event whose leaf was mended. */
  | { readonly kind: 'mended'; readonly leaves: number; readonly position: string }
  | { readonly kind: 'other' };

/**
 * How long an answer waits for a checkpoint over what it speaks of, ms: checkpoints come four times a second, but a
 * machine may be busy with many other things, and who waits is better served than who has to ask again.
 */
export const COVERED_WITHIN_MS = 30_000;

/**
 * The Merkle log over all events, in the order of their positions (spec/replay.md, "Integrity"). An event is proven
 * once a checkpoint covers it, and not before.
 */
export abstract class ProofLog {
  /** The newest checkpoint; null before the first event. */
  abstract latest(): CheckpointRecord | null;

  /**
   * Waits for a checkpoint over everything up to `position`.
   * @throws WaitTimeoutError after `timeoutMs` milliseconds
   */
  abstract covering(position: string, timeoutMs: number): Promise<CheckpointRecord>;

  /**
   * @param checkpoint the one to prove against; the newest one by default
   * @returns null for an event that is not in the log, or not below that checkpoint
   */
  abstract proofOf(eventId: string, checkpoint?: CheckpointRecord): Promise<EventProof | null>;

  /**
   * Against the newest checkpoint, with what the leaf was made of, as it is stored now.
   * @returns null for an event that is not in the log
   * @throws MaceError INTEGRITY_FAILURE for one that is stored otherwise than it was signed for; WAIT_TIMEOUT
   */
  abstract proofAsStored(eventId: string): Promise<StoredProof | null>;

  /**
   * Consistency proof of RFC 9162 between two sizes of the log, lower-case hex.
   * @throws RangeError unless 0 <= from <= to <= number of leaves
   */
  abstract consistency(from: number, to: number): string[];

  /**
   * Holds the tree that is kept against one that was computed again from the events. What is kept of events that are as
   * they were signed is made again where it is something else.
   * Once it is another tree nothing more is signed, until an admin has found it whole (MerkleLog.release).
   * @param size number of leaves, no more than `comparable` has waited for
   * @param root RFC 9162, lower-case hex; null where events are missing, so that there is none: always `other`
   * @param places which of the events stands where; null: not looked at
   */
  abstract compare(size: number, root: string | null, places: LogPlaces | null): Promise<TreeComparison>;

  /**
   * Waits until what `compare` compares is there up to `position`: a checkpoint over it; while none is signed because a
   * comparison has failed, the leaves, and null is answered.
   * @throws MaceError WAIT_TIMEOUT after `timeoutMs` milliseconds
   */
  abstract comparable(position: string, timeoutMs: number): Promise<CheckpointRecord | null>;

  /** Where an event stands, also one that was appended a moment ago. Null where the log does not hold it. */
  abstract find(eventId: string): Promise<EventPlace | null>;
}
