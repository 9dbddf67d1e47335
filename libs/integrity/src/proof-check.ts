import type { Fault } from './domain/fault.js';

export interface ProofFindings {
  /** Leaves that were computed again from the events. */
  readonly leaves: number;
  readonly faults: readonly Fault[];
}

/** The Merkle log, as far as a walk compares with it (spec/replay.md, "Integrity"). */
export interface ProofCheck {
  /**
   * Computes the tree again from the events up to `position`, and compares its root with that of the newest checkpoint:
   * what the chains cannot show, the end of a stream removed or a stream as a whole, shows here.
   */
  check(position: string, signal: AbortSignal): Promise<ProofFindings>;
}
