import { type EventStore, type LogPlaces, placesAfter } from '#lib/event-store';

import { mendIndex } from '../kept-index.js';
import { isWhole, mend, type SizedRoot } from '../kept-tree.js';
import type { TreeComparison } from '../proof-log.js';
import type { ProofStore } from '../store/proof-store.js';

/** Of the first event of any log. */
export const FIRST = '1';

/** A log as it was read from its events. */
export interface ReadLog {
  readonly size: number;
  /** Null where there is none. */
  readonly root: string | null;
  /** Null where nobody has looked. */
  readonly places: LogPlaces | null;
}

/**
 * Holds the tree that is kept against one that was computed again from the events; what is kept otherwise than follows
 * from events that are those that were signed is made again.
 * @param newest what was signed last; null where nothing is
 */
export async function compareKeptTree(
  store: ProofStore,
  events: EventStore,
  { size, root, places }: ReadLog,
  newest: SizedRoot | null,
): Promise<TreeComparison> {
  if (root === null || size > store.reader.size()) return { kind: 'other' };
  // A file that was made again from the events was held against what was signed then.
  const signed = newest ?? { size, root };
  const isTreeWhole = await isWhole(store, [{ size, root }, signed]);
  if (isTreeWhole && (await arePlacesKept(store, size, places))) return compareIndex(store, FIRST, 0);
  const mended = await mend(store, events, signed);
  // What was walked need not be what stands there now.
  if (!mended || store.reader.root(size) !== root) return { kind: 'other' };
  if (mended.position === null) return isTreeWhole ? compareIndex(store, FIRST, 0) : { kind: 'other' };
  return compareIndex(store, mended.position, mended.leaves);
}

/** Whether each event is kept as standing where it stands: by that it is found, and no leaf says it. */
async function arePlacesKept(store: ProofStore, size: number, places: LogPlaces | null): Promise<boolean> {
  if (places === null) return true;
  let digest = '';
  for (let from = 0; from < size; from += places.every)
    digest = placesAfter(digest, await store.keptPlaces(from, Math.min(size, from + places.every)));
  return digest === places.digest;
}

/** @param mended how many leaves were made again already, from that position on */
async function compareIndex(store: ProofStore, position: string, mended: number): Promise<TreeComparison> {
  const found = await mendIndex(store);
  if (mended === 0 && !found) return { kind: 'same' };
  const first = mended > 0 ? position : (found?.position ?? position);
  return { kind: 'mended', leaves: Math.max(mended, found?.leaves ?? 0), position: first };
}
