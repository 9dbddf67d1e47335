import type { Fault } from './domain/fault.js';
import type { ProofCheck } from './proof-check.js';
import { keepFirst } from './range/range-verifier.js';
import type { IntegrityRules } from './range/rules.js';

interface Host {
  readonly rules: IntegrityRules;
  /** Whether a check of the walk has told of that event already: one change is one fault. */
  isTold(fault: Fault): boolean;
  /** Most faults to tell one by one. */
  readonly room: number;
  onFaults(faults: readonly Fault[]): void;
  /** Takes out of use what these are of, beyond those that are told: for each job and snapshot the first of a part. */
  withdraw(faults: readonly Fault[]): Promise<void>;
  readonly signal: AbortSignal;
}

const REASON = 'it is not what was signed: the tree has another leaf of it';

/**
 * Tells the place of each event that is another than was signed, where no check of its own found it: whoever has the keys
 * signs it again.
 * @returns how many, those that were not told one by one included; null where the signal ended it
 */
export async function placeOthers(proof: ProofCheck, host: Host): Promise<number | null> {
  let count = 0;
  for await (const places of proof.others()) {
    if (host.signal.aborted) return null;
    const faults = places
      .map((place): Fault => ({ detector: 'proof', ...place, reason: REASON }))
      .filter((fault) => !host.isTold(fault));
    const room = Math.max(0, host.room - count);
    count += faults.length;
    host.onFaults(faults.slice(0, room));
    const kept = new Map<string, Fault>();
    for (const fault of faults.slice(room)) keepFirst(kept, fault, host.rules);
    await host.withdraw([...kept.values()]);
  }
  return host.signal.aborted ? null : count;
}
