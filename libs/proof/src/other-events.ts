import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, positionOf, StoreUnavailableError } from '#lib/event-store';

import { isWhole, type SizedRoot } from './kept-tree.js';
import { leafOf } from './leaf-of-event.js';
import type { EventPlace } from './proof-log.js';
import type { ProofStore } from './store/proof-store.js';

/** Positions that are looked at in one turn: some milliseconds in which nobody else is answered. */
const WINDOW = 512;
const HASH_BYTES = 32;

interface PlacedLeaf extends EventPlace {
  /** As the event is stored now. */
  readonly hash: Buffer;
}

/**
 * Where the events stand that are other ones than were signed, in the order of the log, a window of it at a time. The leaf
 * hashes that are kept tell it, and no others: without those that make the signed root nothing is told. A position is a
 * leaf's; one that no event has, or of which nothing can be read, is passed over.
 * @throws what the stores throw
 */
export async function* otherEvents(
  store: ProofStore,
  events: EventStore,
  signed: SizedRoot,
): AsyncGenerator<readonly EventPlace[]> {
  if (!(await isWhole(store, [signed], 'leaves'))) return;
  for (let after = 0; after < signed.size; after += WINDOW) {
    const to = Math.min(signed.size, after + WINDOW);
    const kept = new Map(store.reader.rowsFrom(after, to - after).map(({ leaf, nodes }) => [leaf, nodes]));
    const isOther = ({ position, hash }: PlacedLeaf): boolean =>
      kept
        .get(Number(position) - 1)
        ?.subarray(0, HASH_BYTES)
        .equals(hash) === false;
    const others = (await readable(events, after, to)).filter(isOther);
    if (others.length > 0) yield others.map(({ stream, revision, position }) => ({ stream, revision, position }));
    await nextTurn();
  }
}

/** The leaves of positions (after, to], without those on pages that cannot be read. */
async function readable(events: EventStore, after: number, to: number): Promise<readonly PlacedLeaf[]> {
  try {
    return await between(events, after, to);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    // Throws where it is not the page that is at fault, but the store.
    await events.head();
    if (to - after === 1) return [];
    const middle = after + Math.floor((to - after) / 2);
    return [...(await readable(events, after, middle)), ...(await readable(events, middle, to))];
  }
}

async function between(events: EventStore, after: number, to: number): Promise<readonly PlacedLeaf[]> {
  const found: PlacedLeaf[] = [];
  for (let at = after; at < to;) {
    const page = await events.readAll({ after: positionOf(at), limit: to - at });
    for (const event of page.events) {
      const { stream, revision, position } = event;
      if (Number(position) <= to) found.push({ stream, revision, position, hash: leafOf(event) });
    }
    if (page.atHead) break;
    at = Number(page.scannedTo);
  }
  return found;
}
