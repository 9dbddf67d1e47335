import { verifyMathAnswer } from '../domain/math/index.js';
import type { AgentEvidence } from '../agent.js';
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
