import { type EventStore, type LogPlaces, START } from '#lib/event-store';
import type { ProofCheck, ProofFault } from '#lib/integrity';
import { MaceError } from '#lib/kernel';
import { COVERED_WITHIN_MS, type MerkleLog, treeOf } from '#lib/proof';

import { signedStream } from './signed-stream.js';

/**
 * Compares a tree over the events, or the leaves of one stream, with the checkpoint that was signed, and the tree with each
 * leaf and node that is kept.
 */
export function signedTree(log: MerkleLog, store: EventStore): ProofCheck {
  return {
    signedSize: () => log.latest()?.size ?? 0,
    release: () => log.release(),
    others: () => log.others(),
    length: () => lengthOf(log, store),
    async ofStream(stream, version, signal) {
      const found = await signedStream({ log, store, timeoutMs: COVERED_WITHIN_MS }, stream, version, signal);
      if (found?.fault && found.fault.stream !== null) log.withhold();
      return found;
    },
    async faultOf(size, root, places) {
      if (root === null) {
        await log.compare(size, null, null);
        const { size: signed } = log.latest() ?? { size: 0 };
        return whole(
          `events are missing from it, so that no tree can be computed; it goes to position ${size}, and a checkpoint over ${signed} events is signed`,
        );
      }
      try {
        return await faultOfAll(log, store, { size, root, places });
      } catch (error) {
        const fault =
          error instanceof MaceError && error.code === 'WAIT_TIMEOUT' && (await faultOfSigned(log, store, size));
        if (fault) return fault;
        throw error;
      }
    },
  };
}

/** By the checkpoint over the newest event; null where none is signed over it in time. */
async function lengthOf(log: MerkleLog, store: EventStore): Promise<number | null> {
  try {
    const head = await store.head();
    return head === START ? 0 : (await log.covering(head, COVERED_WITHIN_MS)).size;
  } catch (error) {
    if (error instanceof MaceError && error.code === 'WAIT_TIMEOUT') return null;
    throw error;
  }
}

/** A log as it was walked. */
interface WalkedLog {
  readonly size: number;
  readonly root: string;
  readonly places: LogPlaces | null;
}

async function faultOfAll(
  log: MerkleLog,
  store: EventStore,
  { size, root, places }: WalkedLog,
): Promise<ProofFault | null> {
  // Where events cannot be counted, a position says nothing of their number.
  const last = store.count ? String(size) : await store.head();
  const signed = await log.comparable(last, COVERED_WITHIN_MS);
  if (signed && size > signed.size) {
    log.withhold();
    return whole(`it has ${size} events, and the checkpoint over all of them counts ${signed.size}`);
  }
  const found = await log.compare(size, root, places);
  if (found.kind === 'same') return null;
  if (found.kind === 'other')
    return whole(
      `its tree over ${size} events has the root ${root}, which is not the beginning of the one that is signed${signed ? ` over ${signed.size}` : ''}`,
    );
  const { leaves, position } = found;
  return {
    reason: `proof.db kept something else of ${leaves} events, from position ${position} on, than follows from them; the events are as they were signed, and it was made again`,
    position,
  };
}

/** Where the log is signed no further: what the newest checkpoint says of the events that it covers, read once more. */
async function faultOfSigned(log: MerkleLog, store: EventStore, size: number): Promise<ProofFault | null> {
  const signed = log.latest();
  if (!signed || signed.size > size) return null;
  const { root } = await treeOf(store, signed.size);
  if (root === signed.root) return null;
  log.withhold();
  return whole(
    `its tree over ${signed.size} events has the root ${root}, and a checkpoint over them is signed for another`,
  );
}

function whole(reason: string): ProofFault {
  return { reason, position: null };
}
