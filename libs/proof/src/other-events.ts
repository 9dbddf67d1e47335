import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  comparePositions,
  type EventStore,
  type Position,
  positionOf,
  START,
  StoreUnavailableError,
} from '#lib/event-store';

import { isWhole, type SizedRoot } from './kept-tree.js';
import { leafOf } from './leaf-of-event.js';
import type { EventPlace } from './proof-log.js';
import type { ProofStore } from './store/proof-store.js';

/** Leaves that are looked at in one turn: some milliseconds in which nobody else is answered. */
const WINDOW = 512;
const HASH_BYTES = 32;

interface KeptLeaf {
  /** Where its event stood. */
  readonly position: Position;
  readonly hash: Buffer;
}

interface PlacedLeaf extends EventPlace {
  readonly position: Position;
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
  let after = START;
  for (let from = 0; from < signed.size; from += WINDOW) {
    const kept = keptFrom(store, events, from, Math.min(WINDOW, signed.size - from));
    const hashes = new Map(kept.map(({ position, hash }) => [position, hash]));
    const isOther = ({ position, hash }: PlacedLeaf): boolean => hashes.get(position)?.equals(hash) === false;
    const others = (await readable(events, after, kept)).filter(isOther);
    if (others.length > 0) yield others.map(({ stream, revision, position }) => ({ stream, revision, position }));
    after = kept.at(-1)?.position ?? after;
    await nextTurn();
  }
}

/** Where positions follow one another a leaf's is its number, whatever the file says; elsewhere nothing else says it. */
function keptFrom({ reader }: ProofStore, events: EventStore, from: number, limit: number): readonly KeptLeaf[] {
  return reader.rowsFrom(from, limit).map(({ leaf, position, nodes }) => ({
    position: positionOf(events.count ? leaf + 1 : position),
    hash: nodes.subarray(0, HASH_BYTES),
  }));
}

/** The leaves of the events behind `after` up to the last of those that are kept, without those on pages that cannot be read. */
async function readable(
  events: EventStore,
  after: Position,
  kept: readonly KeptLeaf[],
): Promise<readonly PlacedLeaf[]> {
  try {
    return await between(events, after, kept);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    // Throws where it is not the page that is at fault, but the store.
    await events.head();
    if (kept.length === 1) return [];
    const half = Math.floor(kept.length / 2);
    const [first, second] = [kept.slice(0, half), kept.slice(half)];
    return [...(await readable(events, after, first)), ...(await readable(events, first.at(-1)!.position, second))];
  }
}

async function between(events: EventStore, after: Position, kept: readonly KeptLeaf[]): Promise<readonly PlacedLeaf[]> {
  const found: PlacedLeaf[] = [];
  const to = kept.at(-1)?.position ?? after;
  for (let at = after; comparePositions(at, to) < 0;) {
    const page = await events.readAll({ after: at, limit: Math.max(1, kept.length - found.length) });
    for (const event of page.events) {
      const { stream, revision, position } = event;
      if (comparePositions(position, to) <= 0) found.push({ stream, revision, position, hash: leafOf(event) });
    }
    if (page.atHead) break;
    at = page.scannedTo;
  }
  return found;
}
