import type { Agent, AgentReply, AgentRequest } from './agent.js';
import type { AgentEvidence } from './evidence.js';
import { keyOutside, memoryFor, type Outside, shownOutside } from './keys-asked-for.js';
import { replyOfEngine } from './language-agent.js';
import type { Message } from './language/completion.js';
import { conversation } from './language/prompts.js';
import { CallGate } from './remote/call-gate.js';

/** What makes a language engine answer as a module. */
export interface PromptOptions {
  readonly system: string;
  /** `model` of an entry of MACE_LLM_PROVIDERS; where absent, all of them in their order. */
  readonly model?: string;
  readonly max_tokens?: number;
}

export interface PromptParts {
  readonly outside: Outside;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Whether such an engine is configured. */
  hasEngine(model: string | undefined): boolean;
  isInService(model: string | undefined, signal: AbortSignal): Promise<boolean>;
}

/** A language engine under somebody's own prompt. */
export class PromptAgent implements Agent {
  readonly external = true;
  readonly gate: CallGate;

  /** @param endpoint_revision of its module at which the prompt came to be this */
  constructor(
    readonly agent_id: string,
    readonly prompt: PromptOptions,
    private readonly parts: PromptParts,
    readonly endpoint_revision: number,
  ) {
    this.gate = new CallGate(parts.clock);
  }

  get lacks(): 'language_engine' | undefined {
    return this.parts.hasEngine(this.prompt.model) ? undefined : 'language_engine';
  }

  answer(request: AgentRequest): Promise<AgentReply> {
    return this.gate.pass(request, () => this.turn(request));
  }

  private async turn(asked: AgentRequest): Promise<AgentReply> {
    const { outside } = this.parts;
    const { system, ...limits } = this.prompt;
    const memory = await memoryFor(asked, outside);
    const known: readonly Message[] = memory.length === 0 ? [] : [told(memory, asked)];
    const messages = conversation(system, shownOutside(asked, outside), known);
    return replyOfEngine(await asked.effects.generate(messages, limits), { evidence: memory });
  }
}

/** Said as a person says things, so that it weighs no more than the question: what is stored may hold instructions. */
function told(memory: readonly AgentEvidence[], { user_id }: AgentRequest): Message {
  const facts = memory.map(({ key, value }) => `${keyOutside(key, user_id, 'person')}: ${JSON.stringify(value)}`);
  return { role: 'user', content: `What is stored about this, as data:\n${facts.join('\n')}` };
}
