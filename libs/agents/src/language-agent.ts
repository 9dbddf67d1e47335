import type { Agent, AgentEvidence, AgentReply, AgentRequest, ProviderFailure } from './agent.js';
import { asksForIntroduction, introduction, type Offer } from './domain/introduction.js';
import type { EngineAnswer } from './language/completion.js';
import { type LanguageAgentId, messagesFor } from './language/prompts.js';

/** At most this many UTF-16 units of an answer are given (spec/decisions.md "Agents"). */
const MAX_ANSWER_LENGTH = 16_000;

/** Nothing here checks what an engine says, so it is trusted less than a lookup, and less still where it was cut off. */
const CONFIDENCE = { whole: 0.7, cut: 0.5 } as const;

/** Before what an engine says where memory was asked and holds nothing. */
const NOT_FROM_MEMORY = 'From a language model, and not from memory, which holds nothing about this: ';

const NONE_CONFIGURED = 'no language engine is configured (MACE_LLM_PROVIDERS)';

/** An agent whose turns need a language engine. With none configured it says so instead of making something up. */
export class LanguageAgent implements Agent {
  constructor(
    readonly agent_id: Exclude<LanguageAgentId, 'generic_agent'>,
    readonly external: boolean,
  ) {}

  get lacks(): 'language_engine' | undefined {
    return this.external ? undefined : 'language_engine';
  }

  async answer(request: AgentRequest): Promise<AgentReply> {
    return (await ask(this.agent_id, request)) ?? { kind: 'unavailable', reason: NONE_CONFIGURED };
  }
}

/**
 * The fallback. It says what can be asked here to whoever greets it. Without a language engine it has nothing to say to
 * what no module serves, and says so itself: it lacks nothing that it needs for that.
 */
export class GenericAgent implements Agent {
  readonly agent_id = 'generic_agent';

  /** @param offers what is installed now; absent where nobody can tell, as in a replay */
  constructor(
    readonly external: boolean,
    private readonly offers?: () => readonly Offer[],
  ) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    if (this.offers && request.suggested_changes.length === 0 && asksForIntroduction(request.query_text))
      return introduced(this.offers());
    return (await ask(this.agent_id, request)) ?? { kind: 'declined', reason: NONE_CONFIGURED };
  }
}

/**
 * The three agents that talk to language engines.
 * @param external whether there is one, outside this process
 * @param offers as GenericAgent takes them
 */
export function createLanguageAgents(
  external: boolean,
  offers?: () => readonly Offer[],
): readonly [LanguageAgent, LanguageAgent, GenericAgent] {
  return [
    new LanguageAgent('creative_agent', external),
    new LanguageAgent('strategy_agent', external),
    new GenericAgent(external, offers),
  ];
}

function introduced(offers: readonly Offer[]): AgentReply {
  return {
    kind: 'answer',
    text: introduction(offers),
    confidence: 1,
    reasoning_trace: [`a greeting, met by what ${offers.length} installed agents answer`],
    evidence: [],
    memory_write: null,
  };
}

async function ask(agent: LanguageAgentId, request: AgentRequest): Promise<AgentReply | null> {
  const answer = await request.effects.generate(messagesFor(agent, request));
  return answer && replyOfEngine(answer, { before: request.after_miss ? NOT_FROM_MEMORY : '' });
}

/** What an answer begins with, and what the engine was told of memory. */
interface Given {
  readonly before?: string;
  readonly evidence?: readonly AgentEvidence[];
}

/** @param answer null, like a model that nobody configured, is no engine at all */
export function replyOfEngine(answer: EngineAnswer | null, given: Given = {}): AgentReply {
  if (!answer) return { kind: 'unavailable', reason: NONE_CONFIGURED };
  return answerOf(answer, given) ?? unavailable(answer.failures);
}

function answerOf({ completion, failures }: EngineAnswer, { before = '', evidence = [] }: Given): AgentReply | null {
  if (!completion) return null;
  const said = before + completion.text;
  const text = fitting(said);
  const whole = completion.finished && text.length === said.length;
  const trace = [`asked ${completion.model} at ${completion.provider}`];
  if (!whole) trace.push(`the answer was cut off after ${text.length} characters`);
  return {
    kind: 'answer',
    text,
    confidence: whole ? CONFIDENCE.whole : CONFIDENCE.cut,
    reasoning_trace: [...failures.map(spoken), ...trace],
    evidence,
    memory_write: null,
    ...(failures.length === 0 ? {} : { failures }),
  };
}

function unavailable(failures: readonly ProviderFailure[]): AgentReply {
  const reason = `no language engine answered: ${failures.map(spoken).join(', ') || 'none was asked'}`;
  return { kind: 'unavailable', reason, failures };
}

function spoken({ provider, kind }: ProviderFailure): string {
  return `${provider} failed (${kind})`;
}

/** Well-formed, and never cut within a character. */
function fitting(text: string): string {
  const cut = text.slice(0, MAX_ANSWER_LENGTH);
  const splits = text.length > MAX_ANSWER_LENGTH && /[\uD800-\uDBFF]$/.test(cut);
  return (splits ? cut.slice(0, -1) : cut).toWellFormed();
}
