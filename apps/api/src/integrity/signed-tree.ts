import { type EventStore, START } from '#lib/event-store';
import type { ProofCheck } from '#lib/integrity';
import { MaceError } from '#lib/kernel';
import type { ProofLog } from '#lib/proof';

const COVERED_WITHIN_MS = 30_000;

/** Compares a tree over the events with the checkpoint that was signed, and with each leaf and node that is kept. */
export function signedTree(log: ProofLog, events: EventStore): ProofCheck {
  return {
    signedSize: () => log.latest()?.size ?? 0,
    async length() {
      try {
        const head = await events.head();
        return head === START ? 0 : (await log.covering(head, COVERED_WITHIN_MS)).size;
      } catch (error) {
        if (error instanceof MaceError && error.code === 'WAIT_TIMEOUT') return null;
        throw error;
      }
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
      // Where events cannot be counted, a position says nothing of their number.
      const signed = await log.covering(events.count ? String(size) : await events.head(), COVERED_WITHIN_MS);
      if (size > signed.size)
        return whole(`it has ${size} events, and the checkpoint over all of them counts ${signed.size}`);
      const found = await log.compare(size, root);
      if (found.kind === 'same') return null;
      if (found.kind === 'other')
        return whole(
          `its tree over ${size} events has the root ${root}, which is not the beginning of the one that is signed over ${signed.size}`,
        );
      const { leaves, position } = found;
      return {
        reason: `proof.db kept something else of ${leaves} events, from position ${position} on, than follows from them; the events are as they were signed, and it was made again`,
        position,
      };
    },
  };
}
