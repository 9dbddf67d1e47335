import type { RecordedEvent } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import { verifyInclusion } from '#lib/verifier';

import { leafOf } from './leaf-of-event.js';
import { type CheckpointRecord, COVERED_WITHIN_MS, type EventProof, type ProofLog } from './proof-log.js';

/**
 * What a stored event is beside the tree that is signed: its leaf, or another than was signed; or nothing that can be
 * told, because what is kept of the tree is itself not what is signed.
 */
type LeafFinding = 'signed' | 'other' | 'tree is damaged';

/**
 * Holds one event, as it is stored now, against the tree of a checkpoint: whoever signed its stream again, with the keys,
 * made another leaf of it (spec/replay.md, "Integrity").
 * @param checkpoint one that covers the event's position
 * @throws MaceError WAIT_TIMEOUT where the log is far behind
 */
export async function leafFinding(
  log: Pick<ProofLog, 'proofOf'>,
  event: RecordedEvent,
  checkpoint: CheckpointRecord,
): Promise<LeafFinding> {
  let proof: EventProof | null;
  try {
    proof = await log.proofOf(event.id, checkpoint);
  } catch (error) {
    // Of nodes that are missing from the file.
    if (error instanceof RangeError) return 'tree is damaged';
    throw error;
  }
  if (proof?.stream !== event.stream || proof.revision !== event.revision) return 'other';
  const inTree = (leaf: Buffer): boolean =>
    verifyInclusion(
      proof.leaf_index,
      checkpoint.size,
      leaf,
      hashes(proof.inclusion),
      Buffer.from(checkpoint.root, 'hex'),
    );
  if (inTree(leafOf(event))) return 'signed';
  return inTree(Buffer.from(proof.leaf_hash, 'hex')) ? 'other' : 'tree is damaged';
}

/**
 * Looks events up in the tree, by the newest checkpoint where that covers them; an event that none covers yet is waited
 * for, half a minute. The object holds nothing by which anything else of the log could be reached.
 */
export function signedLeaves(log: ProofLog): {
  find(event: RecordedEvent): Promise<'signed' | 'other' | 'uncovered' | 'damaged'>;
} {
  return {
    async find(event) {
      try {
        const latest = log.latest();
        const isCovered = latest !== null && (await log.proofOf(event.id, latest)) !== null;
        const checkpoint = isCovered ? latest : await log.covering(event.position, COVERED_WITHIN_MS);
        const found = await leafFinding(log, event, checkpoint);
        return found === 'tree is damaged' ? 'damaged' : found;
      } catch (error) {
        if (error instanceof RangeError) return 'damaged';
        if (error instanceof MaceError && error.code === 'WAIT_TIMEOUT') return 'uncovered';
        throw error;
      }
    },
  };
}

function hashes(hex: readonly string[]): Buffer[] {
  return hex.map((hash) => Buffer.from(hash, 'hex'));
}
