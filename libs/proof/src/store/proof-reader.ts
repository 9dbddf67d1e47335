import { LruMap, type Position, positionOf, START } from '#lib/event-store';
import type { DatabaseSync, Statement } from '#lib/sqlite';
import { EMPTY_ROOT } from '#lib/verifier';

import { joined } from '../tree/frontier.js';
import { consistencyRanges, inclusionRanges, type LeafRange, type NodePlace, nodesOf } from '../tree/ranges.js';
import type { FollowedEvent, LeafRow, StoredCheckpoint } from './proof-messages.js';
import { eventPrefix } from './proof-schema.js';

/** A leaf whose event_id begins like the one that is looked for. */
export interface Candidate {
  readonly leaf: number;
  readonly position: Position;
  /** Of the leaf before; START for the first. */
  readonly after: Position;
}

const HASH_BYTES = 32;
/** Leaves below a node, by its level: a table, because `2 ** level` is a call of the runtime's. */
const WIDTHS = Array.from({ length: 53 }, (_, level) => 2 ** level);
/** Rows of which one in so many is kept in memory, and how many of them at most: some megabytes. */
const UPPER = 8;
const CACHED_ROWS = 16_384;

/** Reads one node at a time, on any connection. */
export function nodeReader(db: DatabaseSync): (place: NodePlace) => Buffer {
  const row = db.prepare<{ nodes: Uint8Array }>('SELECT nodes FROM leaves WHERE leaf = ?');
  return (place) => {
    const found = row.get(rowOf(place));
    if (!found) throw missing(place);
    return nodeIn(found.nodes, place);
  };
}

/** Reads on a connection of its own. Hashes are lower-case hex. */
export class ProofReader {
  private readonly sql: ReturnType<typeof prepareStatements>;
  /** Leaves by event_id that the index in the file does not know yet, but for those that were never asked for. */
  private readonly recent = new Map<string, number>();
  /** Those by the leaf of the first: most are in the index before anybody asks for one. */
  private unasked: { readonly from: number; readonly ids: readonly string[] }[] = [];
  /** Rows that complete large subtrees: most proofs pass through them, and what is in a row never changes. */
  private upper = new LruMap<number, string>(CACHED_ROWS);
  private known = 0;

  constructor(private readonly db: DatabaseSync) {
    this.sql = prepareStatements(db);
  }

  /** Number of leaves. */
  size(): number {
    return this.sql.size.get()![0];
  }

  /** Of the last leaf's event; START where there is none. */
  position(): Position {
    return positionOf(this.sql.position.get()?.[0] ?? START);
  }

  /** @throws RangeError for a size that the log does not have */
  root(size: number): string {
    if (size === 0) return EMPTY_ROOT.toString('hex');
    this.refuseBeyond(size);
    return this.hashes([{ start: 0, end: size }])[0]!;
  }

  /** Leaf hash and inclusion path at once. @throws RangeError */
  proof(leaf: number, size: number): { readonly leaf: string; readonly path: string[] } {
    this.refuseBeyond(size);
    const [hash = '', ...path] = this.hashes([{ start: leaf, end: leaf + 1 }, ...inclusionRanges(leaf, size)]);
    return { leaf: hash, path };
  }

  /** @throws RangeError */
  inclusion(leaf: number, size: number): string[] {
    this.refuseBeyond(size);
    return this.hashes(inclusionRanges(leaf, size));
  }

  /** @throws RangeError */
  consistency(from: number, to: number): string[] {
    this.refuseBeyond(to);
    return this.hashes(consistencyRanges(from, to));
  }

  leafHash(leaf: number): string {
    return this.hashes([{ start: leaf, end: leaf + 1 }])[0]!;
  }

  /** Leaves whose event_id begins as this one does. */
  candidates(eventId: string): Candidate[] {
    const recent = this.byId().get(eventId);
    if (recent !== undefined) return [this.placed(recent)!];
    return this.sql.candidates
      .all(eventPrefix(eventId))
      .map(([leaf, position, after]) => ({ leaf, position: positionOf(position), after: positionOf(after ?? START) }));
  }

  /** Takes up where events stand that were just added, and forgets those that the index in the file knows by now. */
  learn(from: number, events: readonly FollowedEvent[], indexed: number): void {
    if (indexed < from + events.length) this.unasked.push({ from, ids: events.map(({ id }) => id) });
    else this.forgetRecent();
  }

  private byId(): Map<string, number> {
    for (const { from, ids } of this.unasked) for (let i = 0; i < ids.length; i++) this.recent.set(ids[i]!, from + i);
    this.unasked = [];
    return this.recent;
  }

  private forgetRecent(): void {
    this.recent.clear();
    this.unasked = [];
  }

  /** Where leaf `leaf` stands, and the beginning of its event_id. */
  placed(leaf: number): (Candidate & { readonly prefix: bigint }) | undefined {
    const row = this.sql.placed.get(leaf);
    if (!row) return undefined;
    const [position, after, prefix] = row;
    return {
      leaf,
      position: positionOf(position),
      after: positionOf(after ?? START),
      prefix: BigInt.asIntN(64, BigInt(prefix)),
    };
  }

  /** What is kept of up to `limit` leaves from `from` on, in order; those that are missing are left out. */
  rowsFrom(from: number, limit: number): LeafRow[] {
    return this.sql.kept.all(from, from + limit).map(([leaf, position, event, nodes]) => ({
      leaf,
      position: BigInt(position),
      event: BigInt(event),
      nodes: Buffer.from(nodes.buffer, nodes.byteOffset, nodes.byteLength),
    }));
  }

  /** Where the events of up to `limit` leaves from `from` on are said to stand, and how their event_ids begin. */
  placesFrom(from: number, limit: number): readonly { readonly position: string; readonly idPrefix: string }[] {
    return this.sql.places.all(from, from + limit).map(([position, idPrefix]) => ({ position, idPrefix }));
  }

  /** How many leaves the index by event should know, how many entries it has, and how many leaves there are. */
  index(): { readonly leaves: number; readonly entries: number; readonly size: number } {
    const [leaves, entries, size] = this.sql.index.get()!;
    return { leaves, entries, size };
  }

  /** Of so many leaves from `from` on, those that are not found by their events: how many, and the first one's position. */
  unindexed(from: number, limit: number): { readonly leaves: number; readonly position: Position | null } {
    const [leaves, position] = this.sql.unindexed.get(from, from + limit)!;
    return { leaves, position: position === null ? null : positionOf(position) };
  }

  /** Reads again what it has kept in memory of the file. */
  forget(): void {
    this.upper = new LruMap(CACHED_ROWS);
  }

  /** Knows no leaf any more beyond the first `size`. */
  cut(size: number): void {
    for (const [id, leaf] of this.byId()) if (leaf >= size) this.recent.delete(id);
    this.known = Math.min(this.known, size);
    this.forget();
  }

  latest(): StoredCheckpoint | null {
    const row = this.sql.latest.get();
    return row ? checkpointOf(row) : null;
  }

  /** The newest `limit` checkpoints, the newest first. */
  checkpoints(limit: number): StoredCheckpoint[] {
    return this.sql.checkpoints.all(limit).map(checkpointOf);
  }

  close(): void {
    this.db.close();
  }

  private hashes(ranges: readonly LeafRange[]): string[] {
    const places = ranges.map(nodesOf);
    const rows = this.rows(places);
    return places.map((nodes) => {
      if (nodes.length === 1) return hexIn(rows.get(rowOf(nodes[0]!)), nodes[0]!);
      const hashes = nodes.map((place) => Buffer.from(hexIn(rows.get(rowOf(place)), place), 'hex'));
      const hash = joined(hashes);
      if (!hash) throw new RangeError('a part without leaves has no hash');
      return hash.toString('hex');
    });
  }

  /** All rows by one statement: a call of its own for each costs twice as much. */
  private rows(places: readonly (readonly NodePlace[])[]): ReadonlyMap<number, string> {
    const rows = new Map<number, string>();
    const unread: number[] = [];
    for (const nodes of places) {
      for (const place of nodes) {
        const leaf = rowOf(place);
        const cached = isUpper(leaf) ? this.upper.get(leaf) : undefined;
        if (cached) rows.set(leaf, cached);
        else if (!unread.includes(leaf)) unread.push(leaf);
      }
    }
    if (unread.length === 0) return rows;
    for (const [leaf, nodes] of this.read(unread)) {
      rows.set(leaf, nodes);
      if (isUpper(leaf)) this.upper.set(leaf, nodes);
    }
    return rows;
  }

  /** Neighbours, as the lower part of a path is, by one look; others by a list. */
  private read(leaves: readonly number[]): readonly (readonly [number, string])[] {
    const [first, last] = [Math.min(...leaves), Math.max(...leaves)];
    return last - first < UPPER ? this.sql.run.all(first, last) : this.sql.rows.all(`[${leaves.join(',')}]`);
  }

  private refuseBeyond(size: number): void {
    if (size <= this.known) return;
    this.known = this.size();
    if (size > this.known) throw new RangeError(`the log has ${this.known} leaves, not ${size}`);
  }
}

function isUpper(leaf: number): boolean {
  return (leaf + 1) % UPPER === 0;
}

type CheckpointRow = readonly [
  number: number,
  origin: string,
  size: number,
  position: number,
  root: string,
  note: string,
  madeAt: string,
  consistency: Uint8Array,
];

function prepareStatements(db: DatabaseSync) {
  const prepare = <R>(sql: string): Statement<R> => {
    const statement = db.prepare<R>(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const before = '(SELECT before.position FROM leaves AS before WHERE before.leaf = leaves.leaf - 1)';
  const columns = 'number, origin, size, position, root, note, made_at, consistency FROM checkpoints';
  return {
    size: prepare<[number]>('SELECT coalesce(max(leaf) + 1, 0) FROM leaves'),
    position: prepare<[number]>('SELECT position FROM leaves ORDER BY leaf DESC LIMIT 1'),
    candidates: prepare<[number, number, number | null]>(
      `SELECT found.leaf, leaves.position, before.position
       FROM leaves_by_event AS found JOIN leaves ON leaves.leaf = found.leaf
         LEFT JOIN leaves AS before ON before.leaf = found.leaf - 1
       WHERE found.event = ? ORDER BY found.leaf`,
    ),
    placed: prepare<[number, number | null, string]>(
      `SELECT position, ${before}, CAST(event AS TEXT) FROM leaves WHERE leaf = ?`,
    ),
    kept: prepare<[number, string, string, Uint8Array]>(
      'SELECT leaf, CAST(position AS TEXT), CAST(event AS TEXT), nodes FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf',
    ),
    // As text: it is wanted as hex, and the driver makes a text in a fraction of the time of a BLOB.
    run: prepare<[number, string]>('SELECT leaf, lower(hex(nodes)) FROM leaves WHERE leaf >= ? AND leaf <= ?'),
    rows: prepare<[number, string]>(
      'SELECT leaf, lower(hex(nodes)) FROM leaves WHERE leaf IN (SELECT value FROM json_each(?))',
    ),
    places: prepare<[string, string]>(
      "SELECT CAST(position AS TEXT), printf('%016x', event) FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf",
    ),
    index: prepare<[number, number, number]>(
      `SELECT (SELECT leaves FROM indexed), (SELECT count(*) FROM leaves_by_event),
         (SELECT coalesce(max(leaf) + 1, 0) FROM leaves)`,
    ),
    unindexed: prepare<[number, number | null]>(
      `SELECT count(*), min(position) FROM leaves WHERE leaf >= ? AND leaf < ? AND NOT EXISTS
         (SELECT 1 FROM leaves_by_event AS found WHERE found.event = leaves.event AND found.leaf = leaves.leaf)`,
    ),
    latest: prepare<CheckpointRow>(`SELECT ${columns} ORDER BY number DESC LIMIT 1`),
    checkpoints: prepare<CheckpointRow>(`SELECT ${columns} ORDER BY number DESC LIMIT ?`),
  };
}

function checkpointOf([number, origin, size, position, root, note, made_at, proof]: CheckpointRow): StoredCheckpoint {
  const bytes = Buffer.from(proof);
  const consistency = Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.toString('hex', HASH_BYTES * i, HASH_BYTES * (i + 1)),
  );
  return { number, origin, size, position: positionOf(position), root, note, made_at, consistency };
}

function rowOf({ level, index }: NodePlace): number {
  return (index + 1) * WIDTHS[level]! - 1;
}

function hexIn(nodes: string | undefined, place: NodePlace): string {
  const at = 2 * HASH_BYTES * place.level;
  if (!nodes || nodes.length < at + 2 * HASH_BYTES) throw missing(place);
  return nodes.slice(at, at + 2 * HASH_BYTES);
}

function nodeIn(nodes: Uint8Array, place: NodePlace): Buffer {
  const at = HASH_BYTES * place.level;
  if (nodes.length < at + HASH_BYTES) throw missing(place);
  return Buffer.from(nodes.buffer, nodes.byteOffset + at, HASH_BYTES);
}

function missing({ level, index }: NodePlace): RangeError {
  return new RangeError(`node ${index} of level ${level} is not in the tree`);
}
