import type { Json } from '#lib/kernel';

/** A value as it was read from memory. */
export interface AgentEvidence {
  readonly key: string;
  readonly revision: number;
  readonly value: Json;
  readonly timestamp: string;
}
