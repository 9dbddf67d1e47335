import { setImmediate as nextTurn } from 'node:timers/promises';

import type { MendedLeaves } from './kept-tree.js';
import type { ProofStore } from './store/proof-store.js';

/** Leaves that are looked for in one turn: some milliseconds in which nobody else is answered. */
const PART = 512;

/**
 * Makes the index by event again where it does not hold each leaf that it should, once, and nothing else: by it events are
 * found, and what it does not hold would be no event of the log.
 * @returns null where it was whole
 */
export async function mendIndex(store: ProofStore): Promise<MendedLeaves | null> {
  const { leaves, entries, size } = store.reader.index();
  let [missing, position]: [number, string | null] = [0, null];
  for (let from = 0; from < Math.min(leaves, size); from += PART) {
    const found = store.reader.unindexed(from, Math.min(PART, leaves - from));
    missing += found.leaves;
    position ??= found.position;
    await nextTurn();
  }
  if (missing === 0 && entries === leaves && leaves <= size) return null;
  await store.reindex();
  return { leaves: Math.max(missing, Math.abs(entries - leaves), leaves - size), position };
}
