import type { StoredCheckpoint } from '../store/proof-messages.js';
import type { Contradiction } from './contradictions.js';

/** What a cosigner needs beside the checkpoint. */
export interface OfferTools {
  /** RFC 9162, lower-case hex. */
  readonly consistency: (from: number, to: number) => string[];
  /** Takes the note with the signatures that were added to it. */
  readonly keep: (note: string) => Promise<void>;
  /** kids of data keys that were destroyed, names of evidence that was deleted. */
  readonly erasedKeys: () => readonly string[];
  /** Marks of others of which no kid is known any more; none where absent. */
  readonly erasedMarks?: () => readonly string[];
  /** Whether the log had that root at that size; null while that cannot be told yet. */
  readonly holds: (size: number, root: string) => Promise<boolean | null>;
  /** Told that the log has signed something that it does not hold. */
  readonly contradicted: (found: Contradiction) => void;
}

export interface WitnessState {
  readonly url: string;
  readonly name: string;
  /** Number of leaves that it has cosigned last; null before it has. */
  readonly cosigned_size: number | null;
  /** Why it does not cosign; null while it does. */
  readonly problem: string | null;
}

/** Who is shown each checkpoint and may add signatures to it. */
export interface Cosigner {
  /** Returns at once. */
  offer(checkpoint: StoredCheckpoint, tools: OfferTools): void;
  state(): WitnessState;
  close(): Promise<void>;
}
