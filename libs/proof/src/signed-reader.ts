import { join } from 'node:path';

import type { RecordedEvent } from '#lib/event-store';
import { type DatabaseSync, openStoreFileForReading, sqliteCode, type Statement } from '#lib/sqlite';
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
  /** Reads in one question what `find` is going to ask for these events, and drops what was read for those before. */
  readAhead(events: readonly RecordedEvent[]): void;
  close(): void;
}

/** @param folder path of the data folder @throws DataFileError */
export function openSignedReader(
  folder: string,
  { size, root }: Pick<CheckpointRecord, 'size' | 'root'>,
): SignedReader {
  const db = openStoreFileForReading(join(folder, 'proof.db'), PROOF_LOG);
  const rows = new LeafRows(db);
  const known = new KnownNodes(rows, size, root);
  const leaves = prepareArrays<[leaf: number, position: number]>(db, LEAVES_OF_EVENT);
  const leafIn = ({ position, id }: RecordedEvent): number | null => {
    // Where each position is that of an event, its leaf is the one before.
    const before = Number(position) - 1;
    if (rows.get(before)?.position === Number(position)) return before;
    const found = leaves.all(eventPrefix(id)).find(([, at]) => at === Number(position));
    return found ? found[0] : null;
  };
  return {
    find(event) {
      const leaf = leafIn(event);
      return leaf !== null && known.holds(leaf, leafOf(event)) ? 'signed' : 'unknown';
    },
    readAhead(events) {
      const wanted = new Set<number>();
      for (const { position } of events) known.rowsFor(Number(position) - 1, wanted);
      rows.readAhead([...wanted]);
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
  private readonly peaks: readonly NodePlace[];
  private readonly signed: ReadonlyMap<number, Buffer>;
  private known: Map<number, Buffer>;

  constructor(
    private readonly rows: LeafRows,
    private readonly size: number,
    root: string,
  ) {
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
      place = above(place);
    }
  }

  /** Adds the numbers of the rows that `holds` reads for a leaf, where those for which it was asked before are known by then. */
  rowsFor(leaf: number, wanted: Set<number>): void {
    wanted.add(leaf);
    for (let place: NodePlace = { level: 0, index: leaf }; place.level < LEVELS; place = above(place)) {
      if (leaf >= this.size || this.known.has(keyOf(place))) return;
      const row = rowOf({ level: place.level, index: place.index ^ 1 });
      if (row >= this.size) return;
      wanted.add(row);
    }
  }

  private learn(path: readonly [number, Buffer][]): true {
    if (this.known.size > KEPT) this.known = new Map(this.signed);
    for (const [key, node] of path) this.known.set(key, node);
    return true;
  }

  /** As proof.db has it, whether it is what was signed or not; null where it has none. */
  private kept(place: NodePlace): Buffer | null {
    const nodes = this.rows.get(rowOf(place))?.nodes;
    const at = HASH_BYTES * place.level;
    if (!nodes || nodes.length < at + HASH_BYTES) return null;
    return Buffer.from(nodes.buffer, nodes.byteOffset + at, HASH_BYTES);
  }
}

function keyOf({ level, index }: NodePlace): number {
  return index * LEVELS + level;
}

function above({ level, index }: NodePlace): NodePlace {
  return { level: level + 1, index: Math.floor(index / 2) };
}

/** A node stands with the last leaf below it. */
function rowOf({ level, index }: NodePlace): number {
  return (index + 1) * 2 ** level - 1;
}

interface LeafRow {
  readonly position: number;
  readonly nodes: Uint8Array;
}

type StoredRow = readonly [leaf: number, position: number, nodes: Uint8Array];

/** The rows of leaves, by number. */
class LeafRows {
  private readonly one: Statement<StoredRow>;
  private readonly many: Statement<StoredRow>;
  private ahead: ReadonlyMap<number, LeafRow> = new Map();

  constructor(db: DatabaseSync) {
    const select = 'SELECT leaf, position, nodes FROM leaves WHERE leaf';
    this.one = prepareArrays(db, `${select} = ?`);
    this.many = prepareArrays(db, `${select} IN (SELECT value FROM json_each(?))`);
  }

  readAhead(leaves: readonly number[]): void {
    this.ahead = new Map();
    if (leaves.length > 0) this.ahead = this.together(leaves);
  }

  /** None where one of them lies on a page that is damaged: who looks it up meets that, and the others are there. */
  private together(leaves: readonly number[]): ReadonlyMap<number, LeafRow> {
    try {
      const rows = this.many.all(JSON.stringify(leaves));
      return new Map(rows.map(([leaf, position, nodes]) => [leaf, { position, nodes }]));
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error;
      return new Map();
    }
  }

  get(leaf: number): LeafRow | undefined {
    const known = this.ahead.get(leaf);
    if (known) return known;
    const [row] = this.one.all(leaf);
    return row && { position: row[1], nodes: row[2] };
  }
}

const LEAVES_OF_EVENT = `SELECT found.leaf, leaves.position FROM leaves_by_event AS found JOIN leaves ON leaves.leaf = found.leaf
  WHERE found.event = ?`;

function prepareArrays<R>(db: DatabaseSync, sql: string): Statement<R> {
  const statement = db.prepare<R>(sql);
  statement.setReturnArrays(true);
  return statement;
}
