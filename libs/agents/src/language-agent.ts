import type { Agent, AgentReply } from './agent.js';

/** An agent whose turns need a language engine. With none configured it says so instead of making something up. */
export class LanguageAgent implements Agent {
  readonly external = true;

  constructor(readonly agent_id: 'creative_agent' | 'strategy_agent') {}

  answer(): Promise<AgentReply> {
    return Promise.resolve({ kind: 'unavailable', reason: 'no language engine is configured (MACE_LLM_PROVIDERS)' });
  }
}

/** The fallback without a language engine: it has nothing to say to what no module serves. */
export class GenericAgent implements Agent {
  readonly agent_id = 'generic_agent';
  readonly external = false;

  answer(): Promise<AgentReply> {
    return Promise.resolve({ kind: 'declined', reason: 'no language engine is configured' });
  }
}
