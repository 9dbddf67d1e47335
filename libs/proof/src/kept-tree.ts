import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, type RecordedEvent, START } from '#lib/event-store';

import { leafOf } from './leaf-of-event.js';
import type { KeptPart, LeafRow } from './store/proof-messages.js';
import type { ProofReader } from './store/proof-reader.js';
import { eventPrefix } from './store/proof-schema.js';
import type { ProofStore } from './store/proof-store.js';
import { Frontier } from './tree/frontier.js';

/** A size of the log with the RFC 9162 root over so many leaves, lower-case hex. */
export interface SizedRoot {
  readonly size: number;
  readonly root: string;
}

/** Leaves of which something else was kept than follows from their events. */
export interface MendedLeaves {
  readonly leaves: number;
  /** Of the first of their events; null where there are none. */
  readonly position: string | null;
}

/** Leaves that are looked at in one turn: some milliseconds in which nobody else is answered. */
const PART = 512;
/** Leaves that the writer's thread is asked about at once: for some ten milliseconds it adds none. */
const ASKED_AT_ONCE = 2048;
const HASH_BYTES = 32;

/**
 * Whether all that is kept follows from the leaf hashes that are kept, and these make every one of the roots. The
 * writer's thread looks, part by part: it has time, and the thread that asks has not.
 * @param of `leaves`: only the leaf hashes are looked at, and that they make the roots
 * @throws what the store throws
 */
export async function isWhole(
  store: ProofStore,
  roots: readonly SizedRoot[],
  of: KeptPart = 'nodes',
): Promise<boolean> {
  let at = 0;
  let edge: readonly string[] = [];
  for (const { size, root } of [...roots].sort((a, b) => a.size - b.size)) {
    while (at < size) {
      const to = Math.min(size, at + ASKED_AT_ONCE);
      const grown = await store.keptEdge(at, to, edge, of);
      if (!grown) return false;
      [at, edge] = [to, grown];
    }
    if (treeOfEdge(at, edge).root().toString('hex') !== root) return false;
  }
  return true;
}

/**
 * The right edge of the tree of the `to` leaves that are kept, from left to right as hex, from that of the `from` before
 * them; null where what is kept of one of them does not follow from their hashes, or one of these is missing.
 */
export function keptEdge(
  reader: ProofReader,
  from: number,
  to: number,
  edge: readonly string[],
  of: KeptPart,
): string[] | null {
  const tree = treeOfEdge(from, edge);
  while (tree.size < to) {
    const rows = reader.rowsFrom(tree.size, Math.min(PART, to - tree.size));
    if (rows.length === 0) return null;
    for (const { leaf, nodes } of rows) {
      if (leaf !== tree.size || nodes.length < HASH_BYTES) return null;
      const completed = tree.add(nodes.subarray(0, HASH_BYTES));
      if (of === 'nodes' && !isConcatenated(nodes, completed)) return null;
    }
  }
  return tree.edgeNodes().map((node) => node.toString('hex'));
}

function isConcatenated(nodes: Buffer, parts: readonly Buffer[]): boolean {
  return nodes.equals(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
}

function treeOfEdge(size: number, edge: readonly string[]): Frontier {
  const nodes = edge.values();
  return new Frontier(size, () => Buffer.from(nodes.next().value!, 'hex'));
}

/**
 * Makes again, from the events, what is kept of the leaves under a checkpoint, where that is something else.
 * @returns null, and nothing was written, where the events are not those that were signed
 * @throws ProofLogFencedError, and what the stores throw
 */
export async function mend(store: ProofStore, events: EventStore, signed: SizedRoot): Promise<MendedLeaves | null> {
  const tree = emptyTree();
  const pages = rowsOf(events, signed.size, tree);
  while (!(await pages.next()).done) await nextTurn();
  if (tree.size !== signed.size || tree.root().toString('hex') !== signed.root) return null;
  let found: MendedLeaves = { leaves: 0, position: null };
  for await (const rows of rowsOf(events, signed.size, emptyTree(), signedId)) {
    const kept = new Map(store.reader.rowsFrom(rows[0]!.leaf, rows.length).map((row) => [row.leaf, row]));
    const other = rows.filter((row) => !isSame(row, kept.get(row.leaf)));
    if (other.length > 0) await store.mend(other);
    const position = found.position ?? other[0]?.position.toString() ?? null;
    found = { leaves: found.leaves + other.length, position };
    await nextTurn();
  }
  return found;
}

/**
 * The tree over the events of a store, as they stand there.
 * @param size no more than the first so many
 */
export async function treeOf(events: EventStore, size = Infinity): Promise<SizedRoot> {
  const tree = emptyTree();
  const pages = rowsOf(events, size, tree);
  while (!(await pages.next()).done) await nextTurn();
  return { size: tree.size, root: tree.root().toString('hex') };
}

/** @param idOf of an event: as its row says it by default, which is not what was signed */
async function* rowsOf(
  events: EventStore,
  size: number,
  tree: Frontier,
  idOf = ({ id }: RecordedEvent): string => id,
): AsyncGenerator<readonly LeafRow[]> {
  for (let after = START; tree.size < size;) {
    const page = await events.readAll({ after, limit: Math.min(PART, size - tree.size) });
    const rows = page.events.map((event) => ({
      leaf: tree.size,
      position: BigInt(event.position),
      event: eventPrefix(idOf(event)),
      nodes: Buffer.concat(tree.add(leafOf(event))),
    }));
    if (rows.length > 0) yield rows;
    else if (page.atHead) return;
    after = page.scannedTo;
  }
}

/** As the event was signed, where its text is that of an event. */
function signedId({ id, text }: RecordedEvent): string {
  try {
    const { metadata } = JSON.parse(text) as { readonly metadata?: { readonly event_id?: unknown } };
    return typeof metadata?.event_id === 'string' ? metadata.event_id : id;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return id;
    throw error;
  }
}

function isSame(row: LeafRow, kept: LeafRow | undefined): boolean {
  if (!kept) return false;
  return kept.position === row.position && kept.event === row.event && row.nodes.equals(kept.nodes);
}

function emptyTree(): Frontier {
  return new Frontier(0, () => {
    throw new RangeError('a tree without leaves has no nodes');
  });
}
