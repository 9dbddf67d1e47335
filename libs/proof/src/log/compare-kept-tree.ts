import type { EventStore } from '#lib/event-store';

import { mendIndex } from '../kept-index.js';
import { isWhole, mend, type SizedRoot } from '../kept-tree.js';
import type { TreeComparison } from '../proof-log.js';
import type { ProofStore } from '../store/proof-store.js';

/** Of the first event of any log. */
export const FIRST = '1';

/**
 * Holds the tree that is kept against one that was computed again from the events; what is kept otherwise than follows
 * from events that are those that were signed is made again.
 * @param root null where there is none
 * @param newest what was signed last; null where nothing is
 */
export async function compareKeptTree(
  store: ProofStore,
  events: EventStore,
  { size, root }: { readonly size: number; readonly root: string | null },
  newest: SizedRoot | null,
): Promise<TreeComparison> {
  if (root === null || size > store.reader.size()) return { kind: 'other' };
  // A file that was made again from the events was held against what was signed then.
  const signed = newest ?? { size, root };
  const isNumbered = events.count !== undefined;
  if (await isWhole(store, [{ size, root }, signed], isNumbered ? 'rows' : 'nodes'))
    return compareIndex(store, FIRST, 0);
  const mended = await mend(store, events, signed);
  // What was walked need not be what stands there now.
  if (!mended || mended.position === null || store.reader.root(size) !== root) return { kind: 'other' };
  return compareIndex(store, mended.position, mended.leaves);
}

/** @param mended how many leaves were made again already, from that position on */
async function compareIndex(store: ProofStore, position: string, mended: number): Promise<TreeComparison> {
  const found = await mendIndex(store);
  if (mended === 0 && !found) return { kind: 'same' };
  const first = mended > 0 ? position : (found?.position ?? position);
  return { kind: 'mended', leaves: Math.max(mended, found?.leaves ?? 0), position: first };
}
