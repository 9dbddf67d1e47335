import { MaceError } from '#lib/kernel';

import type { CheckSummary } from '../domain/integrity.events.js';
import type { ProofCheck, ProofFault, StreamLeaves } from '../proof-check.js';
import { RANGE } from '../walk/walk.js';
import type { WalkState } from '../walk/walk-state.js';

/** What the Merkle log said; `leaves` is null where not all of them were compared. */
export type Compared = Omit<StreamLeaves, 'leaves'> & { readonly leaves: number | null };

/** What was walked. */
export interface Walked {
  /** Null for the whole log. */
  readonly stream: string | null;
  /** What the log's length shows by itself; null where nothing. */
  readonly shortness: string | null;
  readonly signal: AbortSignal;
}

/** What a log's length shows by itself, of as many events as are there. @param signed number of events that are signed */
export function shortnessOf(head: number, signed: number): string | null {
  return head < signed ? `it ends with event ${head}, and a checkpoint over ${signed} events is signed` : null;
}

/**
 * Holds what was walked against the signed tree. Null where no checkpoint came in time: the summary then says of the tree
 * that it was not compared.
 * @throws where a log would be called sound of which nobody has compared the tree
 */
export async function compareTree(
  proof: ProofCheck,
  { stream, shortness, signal }: Walked,
  { to, root, places, faults }: WalkState,
  onTrouble: (error: unknown) => void,
): Promise<Compared | null> {
  try {
    if (stream !== null) return await proof.ofStream(stream, to, signal);
    const isEmpty = to === 0 && shortness === null;
    const seen = places === null ? null : { digest: places, every: RANGE };
    const found = isEmpty ? null : await proof.faultOf(to, shortness === null ? root : null, seen);
    return { leaves: to, fault: wholeFault(shortness === null ? found : { reason: shortness, position: null }) };
  } catch (error) {
    if (!(error instanceof MaceError && error.code === 'WAIT_TIMEOUT')) throw error;
    if (stream === null && shortness === null && faults === 0)
      throw new Error(`no event has a fault, but their tree was not compared: ${error.developerMessage}`);
    onTrouble(error);
    return shortness === null ? null : { leaves: null, fault: wholeFault({ reason: shortness, position: null }) };
  }
}

/** What the summary says of the tree. */
export function treeOf(compared: Compared | null, stream: string | null): CheckSummary['tree'] {
  const fault = compared?.fault;
  if (fault && (fault.stream !== null || fault.position === null)) return 'other';
  if (!compared || stream !== null) return null;
  return fault ? 'mended' : 'same';
}

function wholeFault(fault: ProofFault | null): StreamLeaves['fault'] {
  return fault && { stream: null, revision: null, ...fault };
}
