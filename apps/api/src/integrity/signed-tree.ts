import type { ProofCheck } from '#lib/integrity';
import type { ProofLog } from '#lib/proof';
import { verifyConsistency } from '#lib/verifier';

const COVERED_WITHIN_MS = 30_000;

/** Compares a tree over the events with the checkpoint that was signed (RFC 9162, 2.1.4). */
export function signedTree(log: ProofLog): ProofCheck {
  return {
    signedSize: () => log.latest()?.size ?? 0,
    async faultOf(size, root) {
      const signed = await log.covering(String(size), COVERED_WITHIN_MS);
      if (size > signed.size) return `it has ${size} events, and the checkpoint over all of them counts ${signed.size}`;
      const path = log.consistency(size, signed.size).map((node) => Buffer.from(node, 'hex'));
      const isBeginning = verifyConsistency(
        size,
        signed.size,
        Buffer.from(root, 'hex'),
        Buffer.from(signed.root, 'hex'),
        path,
      );
      return isBeginning
        ? null
        : `its tree over ${size} events has the root ${root}, which is not the beginning of the one that is signed over ${signed.size}`;
    },
  };
}
