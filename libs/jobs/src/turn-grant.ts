import {
  type AgentEvidence,
  type EffectAction,
  EffectRefusedError,
  type EngineAnswer,
  type EngineLimits,
  type LanguageEngine,
  type MathAnswer,
  type MathVerdict,
  type Message,
  type TurnEffects,
} from '#lib/agents';
import { allows, type ModulePolicy } from '#lib/selfrep';

/** What turns can be granted; the World's, never an agent's. */
export interface EffectPorts {
  readonly memory: MemoryReader;
  /** Null where none is configured. */
  readonly language: Pick<LanguageEngine, 'ask'> | null;
  readonly math: Mathematics;
}

/** Exact-key reads of semantic memory. */
export interface MemoryReader {
  read(key: string): Promise<AgentEvidence | null>;
  /** Whether a person may read under a key at all (spec/memory.md "SEM"). @throws MaceError INVALID_INPUT */
  mayRead(key: string, userId: string): boolean;
}

export interface Mathematics {
  solve(query: string, turn: Pick<AbortController, 'signal'>): Promise<MathAnswer>;
  verify(query: string, claim: string): MathVerdict;
}

/** An action that was tried and is not allowed, with what it was tried on: evidence, and for no event. */
export interface Overstep {
  readonly action: EffectAction;
  readonly target: unknown;
}

export interface TurnLimits {
  readonly policy: ModulePolicy;
  /** Whose question it is: the turn reads no more than they may themselves. */
  readonly user_id: string;
  readonly token_budget: number;
  /** Aborted when the turn has ended without its agent; a signal is made at the first look, and most turns take none. */
  readonly turn: Pick<AbortController, 'signal'>;
  /** Told of each overstep before the agent is: what the agent then makes of the refusal changes nothing. */
  readonly onOverstep: (overstep: Overstep) => void;
}

/**
 * The effects of one turn, under the policy of its module. Its parts are private at run time too: an agent that looks
 * into its grant finds no way around it.
 */
export class TurnGrant implements TurnEffects {
  readonly #ports: EffectPorts;
  readonly #limits: TurnLimits;
  #over = false;

  constructor(ports: EffectPorts, limits: TurnLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** From here on nothing is granted any more, and nothing is an overstep: there is no turn left that could be refused. */
  end(): void {
    this.#over = true;
  }

  async read(key: string): Promise<AgentEvidence | null> {
    this.#permit('sem.read', key);
    const { memory } = this.#ports;
    if (!memory.mayRead(key, this.#limits.user_id)) throw this.#refuse('sem.read', key);
    return memory.read(key);
  }

  async generate(messages: readonly Message[], limits: EngineLimits = {}): Promise<EngineAnswer | null> {
    this.#permit('llm.generate', messages);
    const { token_budget, turn } = this.#limits;
    const { model, max_tokens = token_budget } = limits;
    const { language } = this.#ports;
    return language && language.ask(messages, Math.min(max_tokens, token_budget), turn.signal, model);
  }

  async solve(query: string): Promise<MathAnswer> {
    this.#permit('compute', query);
    return this.#ports.math.solve(query, this.#limits.turn);
  }

  verify(query: string, claim: string): MathVerdict {
    this.#permit('compute', { query, claim });
    return this.#ports.math.verify(query, claim);
  }

  #permit(action: EffectAction, target: unknown): void {
    if (this.#over) throw new EffectRefusedError(action, 'the turn is over');
    if (!allows(this.#limits.policy, action)) throw this.#refuse(action, target);
  }

  #refuse(action: EffectAction, target: unknown): EffectRefusedError {
    this.#limits.onOverstep({ action, target });
    return new EffectRefusedError(action, 'not allowed in this turn');
  }
}
