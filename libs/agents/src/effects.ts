import type { MathAnswer } from './domain/math/index.js';
import type { MathVerdict } from './domain/math/verdict.js';
import type { AgentEvidence } from './evidence.js';
import type { EngineAnswer, EngineLimits, Message } from './language/completion.js';

/** What a policy can allow or forbid of a turn, by the names that policies use. */
export type EffectAction = 'sem.read' | 'llm.generate' | 'compute';

/**
 * All that an agent can do besides thinking. It is granted for one turn, under its module's policy, and ends with the
 * turn (spec/decisions.md "Agents"); every refusal is an EffectRefusedError.
 */
export interface TurnEffects {
  /** Action sem.read: an exact-key read of what the asking person may read; null where nothing is stored. */
  read(key: string): Promise<AgentEvidence | null>;
  /** Action llm.generate, within the turn's token budget; null where no language engine is configured. */
  generate(messages: readonly Message[], limits?: EngineLimits): Promise<EngineAnswer | null>;
  /** Action compute: a question that is calculated. */
  solve(query: string): Promise<MathAnswer>;
  /** Action compute: whether a claim holds when it is calculated again. */
  verify(query: string, claim: string): MathVerdict;
}

/** The agent's module, or whoever asked, is not allowed an action, or the turn is over. Catching it undoes nothing. */
export class EffectRefusedError extends Error {
  constructor(action: EffectAction, reason: string) {
    super(`${action}: ${reason}`);
    this.name = 'EffectRefusedError';
  }
}
