import type { Position, RecordedEvent } from '#lib/event-store';

import { leafOfBytes } from '../leaf-of-event.js';
import type { CheckpointRecord } from '../proof-log.js';
import { eventPrefix } from './proof-schema.js';

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
      readonly events: PackedEvents;
    }
  | { readonly kind: 'checkpoint'; readonly checkpoint: StoredCheckpoint }
  /** The same checkpoint with more signatures. */
  | { readonly kind: 'note'; readonly number: number; readonly note: string }
  /** In place of what is kept of these leaves. */
  | { readonly kind: 'rows'; readonly rows: readonly LeafRow[] }
  /** The index by event, made again from the leaves. */
  | { readonly kind: 'index' }
  /** No more leaves than the first `size`. */
  | { readonly kind: 'cut'; readonly size: number }
  /** Looks at leaves `from` to `to`, whose tree had this edge before them (kept-tree.ts); writes nothing. */
  | {
      readonly kind: 'kept';
      readonly from: number;
      readonly to: number;
      readonly edge: readonly string[];
      readonly of: KeptPart;
    }
  /** Looks at where the events of leaves `from` to `to` are said to stand (RangePlaces); writes nothing. */
  | { readonly kind: 'places'; readonly from: number; readonly to: number };

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

export type FollowedEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'position' | 'id' | 'type' | 'text' | 'utf8'>;

export type ProofAnswer =
  | {
      readonly kind: 'leaves';
      readonly size: number;
      readonly root: string;
      /** Number of leaves that are found by their events in the file. */
      readonly indexed: number;
      /** Those of the request, for the next one. */
      readonly room: ArrayBuffer;
    }
  | { readonly kind: 'written' }
  /** The edge of the tree with them; null where it does not follow. */
  | { readonly kind: 'kept'; readonly edge: readonly string[] | null }
  | { readonly kind: 'places'; readonly digest: string }
  /** Another writer has the file, or it does not end where the request begins. Nothing was written. */
  | { readonly kind: 'fenced'; readonly reason: string };

/**
 * Events as they travel: their strings as one, numbers as a list, texts in UTF-8. Copying bytes costs this thread a
 * twentieth of hashing them.
 */
export interface PackedEvents {
  /** Of each event in turn: stream, type, position, and the beginning of its id. */
  readonly text: string;
  /** Of each event in turn: length of stream, type and position, revision, bytes of its text. */
  readonly numbers: readonly number[];
  /** The texts one after another, at the beginning. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const PREFIX_LENGTH = 16;

/** @param room used where the texts fit into it: new memory costs as much as filling it */
export function packEvents(events: readonly FollowedEvent[], room?: ArrayBuffer): PackedEvents {
  const texts = events.map((event) => event.utf8 ?? Buffer.from(event.text));
  const size = texts.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(room && size <= room.byteLength ? room : new ArrayBuffer(size));
  const numbers: number[] = [];
  let text = '';
  let at = 0;
  for (const [i, { stream, type, position, revision, id }] of events.entries()) {
    bytes.set(texts[i]!, at);
    at += texts[i]!.length;
    text += stream + type + position + id.slice(0, PREFIX_LENGTH).padEnd(PREFIX_LENGTH, '0');
    numbers.push(stream.length, type.length, position.length, revision, texts[i]!.length);
  }
  return { text, numbers, bytes };
}

export interface Leaf {
  readonly hash: Buffer;
  readonly event: bigint;
  readonly position: bigint;
}

/** The leaves of events, hashed here. */
export function* leavesOf({ text, numbers, bytes }: PackedEvents): Generator<Leaf> {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [n, at, byte] = [0, 0, 0];
  const string = (length: number): string => text.slice(at, (at += length));
  while (n < numbers.length) {
    const stream = string(numbers[n++]!);
    const type = string(numbers[n++]!);
    const position = BigInt(string(numbers[n++]!));
    const event = eventPrefix(string(PREFIX_LENGTH));
    const revision = numbers[n++]!;
    const stored = texts.subarray(byte, (byte += numbers[n++]!));
    yield { hash: leafOfBytes({ stream, revision, type }, stored), event, position };
  }
}
