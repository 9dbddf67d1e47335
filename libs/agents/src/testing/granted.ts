import { verifyMathAnswer } from '../domain/math/index.js';
import type { AgentEvidence, TurnPlace } from '../agent.js';
import type { TurnEffects } from '../effects.js';

/** Effects of a turn that may do everything; by default memory is empty and there is no language engine. */
export function granted(more: Partial<TurnEffects> = {}): TurnEffects {
  return {
    read: async (): Promise<AgentEvidence | null> => null,
    generate: async () => null,
    solve: async () => ({ kind: 'not_math' }),
    verify: verifyMathAnswer,
    ...more,
  };
}

/** The first turn of a job. */
export const FIRST_TURN: TurnPlace = {
  job_id: `job:${'0'.repeat(32)}`,
  node_id: 'agent:tested_v1',
  iteration: 1,
  attempt: 1,
  retry: 0,
  intent_tags: [],
  timeout_ms: 10_000,
  reads_memory: false,
};
