import type { AliasMap } from '#lib/memory';

import type { Agent, AgentReply, AgentRequest } from './agent.js';
import { parseRemember } from './domain/remember.js';
import { attributeWords, profileKey } from './profile-agent.js';

/** Carries out what a person explicitly asks for: so far, to remember a fact about themselves. */
export class OperationalAgent implements Agent {
  readonly agent_id = 'operational_agent';
  readonly external = false;

  constructor(private readonly aliases: AliasMap) {}

  answer(request: AgentRequest): Promise<AgentReply> {
    return Promise.resolve(this.reply(request));
  }

  private reply(request: AgentRequest): AgentReply {
    const wish = parseRemember(request.query_text);
    const key = wish ? profileKey(this.aliases, wish.about, request.user_id) : null;
    if (!wish || key === null)
      return { kind: 'declined', reason: 'only "remember that my ... is ..." can be carried out' };
    return {
      kind: 'answer',
      text: `I’ll remember that your ${attributeWords(key, wish.about)} is ${wish.value}.`,
      confidence: 1,
      reasoning_trace: [`an explicit wish to store ${key}`],
      evidence: [],
      memory_write: { key, value: wish.value },
    };
  }
}
