import type { AliasMap } from '#lib/memory';

import type { Agent, AgentEvidence, AgentReply, AgentRequest } from './agent.js';
import { factKeys } from './keys-asked-for.js';
import { spoken } from './profile-agent.js';

/** Answers from stored world facts, with their key as evidence; what is not stored is a miss, never invented. */
export class KnowledgeAgent implements Agent {
  readonly agent_id = 'knowledge_agent';
  readonly external = false;

  constructor(private readonly aliases: AliasMap) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    const keys = factKeys(this.aliases, request.query_text);
    if (keys.length === 0) return { kind: 'declined', reason: 'the question names no fact' };
    for (const key of keys) {
      const found = await request.effects.read(key);
      if (found) return answerFrom(found);
    }
    return { kind: 'miss', key: keys[0]! };
  }
}

function answerFrom(found: AgentEvidence): AgentReply {
  return {
    kind: 'answer',
    text: spoken(found.value),
    confidence: 0.95,
    reasoning_trace: [`read ${found.key} at revision ${found.revision}`],
    evidence: [found],
    memory_write: null,
  };
}
