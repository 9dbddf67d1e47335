import type { Json } from '#lib/kernel';

/** A value as it was read from memory. */
export interface AgentEvidence {
  readonly key: string;
  readonly revision: number;
  readonly value: Json;
  readonly timestamp: string;
  /** Ids of the consents that it is stored under; absent where it needed none. What is made of it ends with them. */
  readonly consents?: readonly string[];
}
