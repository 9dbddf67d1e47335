import type { Position, RecordedEvent } from '#lib/event-store';

import { leafOf } from '../leaf-of-event.js';
import type { CheckpointRecord } from '../proof-log.js';

/** A checkpoint as it is kept. */
export interface StoredCheckpoint extends CheckpointRecord {
  /** From 1, in the order in which they were made. */
  readonly number: number;
  /** Of the last event that it covers. */
  readonly position: Position;
  /** Proof of RFC 9162 from the checkpoint before, lower-case hex. */
  readonly consistency: readonly string[];
}

/** What main thread and worker exchange. */
export type ProofRequest =
  | {
      readonly kind: 'leaves';
      /** Number of leaves before these; others than those that are there are refused. */
      readonly from: number;
      /** One entry of LEAF_BYTES after the other. */
      readonly leaves: Uint8Array;
    }
  | { readonly kind: 'checkpoint'; readonly checkpoint: StoredCheckpoint }
  /** The same checkpoint with more signatures. */
  | { readonly kind: 'note'; readonly number: number; readonly note: string }
  /** In place of what is kept of these leaves. */
  | { readonly kind: 'rows'; readonly rows: readonly LeafRow[] }
  /** The index by event, made again from the leaves. */
  | { readonly kind: 'index' }
  /** Looks at leaves `from` to `to`, whose tree had this edge before them (kept-tree.ts); writes nothing. */
  | {
      readonly kind: 'kept';
      readonly from: number;
      readonly to: number;
      readonly edge: readonly string[];
      readonly of: KeptPart;
    };

/** What of kept leaves is looked at: their hashes alone, or every node that they complete too. */
export type KeptPart = 'leaves' | 'nodes';

/** What is kept of one leaf. */
export interface LeafRow {
  readonly leaf: number;
  readonly position: bigint;
  /** The first bytes of the event_id (eventPrefix). */
  readonly event: bigint;
  /** Every subtree that the leaf completes, itself first, 32 bytes each. */
  readonly nodes: Buffer;
}

export type FollowedEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'position' | 'id' | 'type' | 'text'>;

export type ProofAnswer =
  | {
      readonly kind: 'leaves';
      readonly size: number;
      readonly root: string;
      /** Number of leaves that are found by their events in the file. */
      readonly indexed: number;
    }
  | { readonly kind: 'written' }
  /** The edge of the tree with them; null where it does not follow. */
  | { readonly kind: 'kept'; readonly edge: readonly string[] | null }
  /** Another writer has the file, or it does not end where the request begins. Nothing was written. */
  | { readonly kind: 'fenced'; readonly reason: string };

/** Leaf hash, first bytes of the event_id, position. */
const [ID_AT, POSITION_AT] = [32, 40];
export const LEAF_BYTES = 48;

/** What the writer needs of events. Hashing here costs less than handing their texts to another thread. */
export function packLeaves(events: readonly FollowedEvent[]): Uint8Array {
  const leaves = Buffer.alloc(events.length * LEAF_BYTES);
  for (const [i, event] of events.entries()) {
    const at = i * LEAF_BYTES;
    leaves.set(leafOf(event), at);
    leaves.write(event.id.slice(0, 16), at + ID_AT, 'hex');
    leaves.writeBigInt64BE(BigInt(event.position), at + POSITION_AT);
  }
  return leaves;
}

export interface PackedLeaf {
  readonly hash: Buffer;
  readonly event: bigint;
  readonly position: bigint;
}

export function* unpackLeaves(leaves: Uint8Array): Generator<PackedLeaf> {
  const bytes = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.byteLength);
  for (let at = 0; at < bytes.length; at += LEAF_BYTES) {
    const hash = bytes.subarray(at, at + ID_AT);
    yield { hash, event: bytes.readBigInt64BE(at + ID_AT), position: bytes.readBigInt64BE(at + POSITION_AT) };
  }
}
