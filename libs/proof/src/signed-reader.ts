import { join } from 'node:path';

import type { RecordedEvent } from '#lib/event-store';
import { type DatabaseSync, openStoreFileForReading, type Statement } from '#lib/sqlite';
import { nodeHash } from '#lib/verifier';

import { leafOf } from './leaf-of-event.js';
import type { CheckpointRecord } from './proof-log.js';
import { eventPrefix, PROOF_LOG } from './store/proof-schema.js';
import { joined } from './tree/frontier.js';
import { type NodePlace, nodesOf } from './tree/ranges.js';

/**
 * Tells of many events, one after another, whether each is a leaf below one checkpoint, for a thread that reads proof.db
 * beside its owner. `unknown` says nothing: neither that the event is another one nor that what is kept is damaged.
 */
export interface SignedReader {
  find(event: RecordedEvent): 'signed' | 'unknown';
  close(): void;
}

/** @param folder path of the data folder @throws DataFileError */
export function openSignedReader(
  folder: string,
  { size, root }: Pick<CheckpointRecord, 'size' | 'root'>,
): SignedReader {
  const db = openStoreFileForReading(join(folder, 'proof.db'), PROOF_LOG);
  const known = new KnownNodes(db, size, root);
  const sql = prepareStatements(db);
  const leafIn = ({ position, id }: RecordedEvent): number | null => {
    // Where each position is that of an event, its leaf is the one before.
    const before = Number(position) - 1;
    if (sql.position.get(before)?.[0] === Number(position)) return before;
    const found = sql.leaves.all(eventPrefix(id)).find(([, at]) => at === Number(position));
    return found ? found[0] : null;
  };
  return {
    find(event) {
      const leaf = leafIn(event);
      return leaf !== null && known.holds(leaf, leafOf(event)) ? 'signed' : 'unknown';
    },
    close: () => db.close(),
  };
}

/** Nodes are forgotten beyond so many, some megabytes. */
const KEPT = 50_000;
const HASH_BYTES = 32;
/** More than any level, so that a node's place is one number. */
const LEVELS = 64;

/**
 * The nodes of a tree that are known to lie below its root. A leaf that stands beside one that was looked up before needs
 * the hashes up to where their paths meet, and no others.
 */
class KnownNodes {
  private readonly row: Statement<{ readonly nodes: Uint8Array }>;
  private readonly peaks: readonly NodePlace[];
  private readonly signed: ReadonlyMap<number, Buffer>;
  private known: Map<number, Buffer>;

  constructor(
    db: DatabaseSync,
    private readonly size: number,
    root: string,
  ) {
    this.row = db.prepare('SELECT nodes FROM leaves WHERE leaf = ?');
    this.peaks = nodesOf({ start: 0, end: size });
    const hashes = this.peaks.map((place) => this.kept(place));
    const isRoot = hashes.every((hash) => hash !== null) && joined(hashes)?.toString('hex') === root;
    this.signed = new Map(isRoot ? this.peaks.map((place, i) => [keyOf(place), hashes[i]!]) : []);
    this.known = new Map(this.signed);
  }

  /** Whether `hash` is the leaf of that number below the root. */
  holds(leaf: number, hash: Buffer): boolean {
    if (leaf >= this.size || this.signed.size === 0) return false;
    const path: [number, Buffer][] = [];
    let place: NodePlace = { level: 0, index: leaf };
    let node = hash;
    for (;;) {
      const key = keyOf(place);
      const known = this.known.get(key);
      if (known) return known.equals(node) && this.learn(path);
      const beside = { level: place.level, index: place.index ^ 1 };
      const sibling = this.kept(beside);
      // Above a peak there is no complete subtree, so that nothing leads on.
      if (sibling === null || place.level >= LEVELS) return false;
      path.push([key, node], [keyOf(beside), sibling]);
      node = place.index % 2 === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node);
      place = { level: place.level + 1, index: Math.floor(place.index / 2) };
    }
  }

  private learn(path: readonly [number, Buffer][]): true {
    if (this.known.size > KEPT) this.known = new Map(this.signed);
    for (const [key, node] of path) this.known.set(key, node);
    return true;
  }

  /** As proof.db has it, whether it is what was signed or not; null where it has none. */
  private kept({ level, index }: NodePlace): Buffer | null {
    const nodes = this.row.get((index + 1) * 2 ** level - 1)?.nodes;
    const at = HASH_BYTES * level;
    if (!nodes || nodes.length < at + HASH_BYTES) return null;
    return Buffer.from(nodes.buffer, nodes.byteOffset + at, HASH_BYTES);
  }
}

function keyOf({ level, index }: NodePlace): number {
  return index * LEVELS + level;
}

function prepareStatements(db: DatabaseSync) {
  const prepare = <R>(sql: string): Statement<R> => {
    const statement = db.prepare<R>(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    position: prepare<[position: number]>('SELECT position FROM leaves WHERE leaf = ?'),
    leaves: prepare<[leaf: number, position: number]>(
      `SELECT found.leaf, leaves.position FROM leaves_by_event AS found JOIN leaves ON leaves.leaf = found.leaf
       WHERE found.event = ?`,
    ),
  };
}
