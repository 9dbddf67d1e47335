import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, START } from '#lib/event-store';

import { leafOf } from './leaf-of-event.js';
import type { LeafRow } from './store/proof-messages.js';
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

/** Whether all that is kept follows from the leaf hashes that are kept, and these make every one of the roots. */
export async function isWhole(reader: ProofReader, roots: readonly SizedRoot[]): Promise<boolean> {
  const frontier = emptyTree();
  for (const { size, root } of [...roots].sort((a, b) => a.size - b.size)) {
    while (frontier.size < size) {
      const from = frontier.size;
      const rows = reader.rowsFrom(from, Math.min(PART, size - from));
      if (rows.length === 0) return false;
      for (const { leaf, nodes } of rows) {
        if (leaf !== frontier.size || nodes.length < HASH_BYTES) return false;
        if (!Buffer.concat(frontier.add(nodes.subarray(0, HASH_BYTES))).equals(nodes)) return false;
      }
      await nextTurn();
    }
    if (frontier.root().toString('hex') !== root) return false;
  }
  return true;
}

const HASH_BYTES = 32;

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
  for await (const rows of rowsOf(events, signed.size, emptyTree())) {
    const kept = new Map(store.reader.rowsFrom(rows[0]!.leaf, rows.length).map((row) => [row.leaf, row]));
    const other = rows.filter((row) => !isSame(row, kept.get(row.leaf)));
    if (other.length > 0) await store.mend(other);
    const position = found.position ?? other[0]?.position.toString() ?? null;
    found = { leaves: found.leaves + other.length, position };
    await nextTurn();
  }
  return found;
}

/** The tree over all events of a store, as they stand there. */
export async function treeOf(events: EventStore): Promise<SizedRoot> {
  const tree = emptyTree();
  const pages = rowsOf(events, Infinity, tree);
  while (!(await pages.next()).done) await nextTurn();
  return { size: tree.size, root: tree.root().toString('hex') };
}

async function* rowsOf(events: EventStore, size: number, tree: Frontier): AsyncGenerator<readonly LeafRow[]> {
  for (let after = START; tree.size < size;) {
    const page = await events.readAll({ after, limit: Math.min(PART, size - tree.size) });
    const rows = page.events.map((event) => ({
      leaf: tree.size,
      position: BigInt(event.position),
      event: eventPrefix(event.id),
      nodes: Buffer.concat(tree.add(leafOf(event))),
    }));
    if (rows.length > 0) yield rows;
    else if (page.atHead) return;
    after = page.scannedTo;
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
