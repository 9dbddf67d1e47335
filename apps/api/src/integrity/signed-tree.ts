import type { EventStore } from '#lib/event-store';
import type { ProofCheck } from '#lib/integrity';
import type { MerkleLog } from '#lib/proof';

import { signedStream } from './signed-stream.js';

const COVERED_WITHIN_MS = 30_000;

/**
 * Compares a tree over the events, or the leaves of one stream, with the checkpoint that was signed, and the tree with each
 * leaf and node that is kept.
 */
export function signedTree(log: MerkleLog, store: EventStore): ProofCheck {
  return {
    signedSize: () => log.latest()?.size ?? 0,
    release: () => log.release(),
    async ofStream(stream, version, signal) {
      const found = await signedStream({ log, store, timeoutMs: COVERED_WITHIN_MS }, stream, version, signal);
      if (found?.fault && found.fault.stream !== null) log.withhold();
      return found;
    },
    async faultOf(size, root) {
      const whole = (reason: string) => ({ reason, position: null });
      if (root === null) {
        await log.compare(size, null);
        const { size: signed } = log.latest() ?? { size: 0 };
        return whole(
          `events are missing from it, so that no tree can be computed; it goes to position ${size}, and a checkpoint over ${signed} events is signed`,
        );
      }
      const signed = await log.comparable(String(size), COVERED_WITHIN_MS);
      if (signed && size > signed.size) {
        log.withhold();
        return whole(`it has ${size} events, and the checkpoint over all of them counts ${signed.size}`);
      }
      const found = await log.compare(size, root);
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
    },
  };
}
