import { canonicalize, type Json } from '#lib/kernel';
import { type AliasMap, attributeFromPhrase, formatCanonicalKey } from '#lib/memory';

import type { Agent, AgentReply, AgentRequest, MemoryReader } from './agent.js';

/** Reads facts that the asking person stored about themselves; never anybody else's. */
export class ProfileAgent implements Agent {
  readonly agent_id = 'profile_agent';
  readonly external = false;

  constructor(
    private readonly aliases: AliasMap,
    private readonly memory: MemoryReader,
  ) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    const key = profileKey(this.aliases, request.query_text, request.user_id);
    if (key === null) return { kind: 'declined', reason: 'the question names nothing that a profile holds' };
    const found = await this.memory.read(key);
    if (!found) return { kind: 'miss', key };
    return {
      kind: 'answer',
      text: `Your ${attributeWords(key)} is ${spoken(found.value)}.`,
      confidence: 1,
      reasoning_trace: [`read ${key} at revision ${found.revision}`],
      evidence: [found],
      memory_write: null,
    };
  }
}

/** The asking person's own key that a phrase is about, by alias or by name; null where it names none. */
export function profileKey(aliases: AliasMap, phrase: string, userId: string): string | null {
  const known = aliases.resolveAlias(phrase, userId);
  if (known !== null) return known.startsWith(`user/`) ? known : null;
  const attribute = attributeFromPhrase(phrase);
  if (attribute === null) return null;
  return formatCanonicalKey({ scope: 'user', entityType: 'profile', entityId: userId, attribute });
}

/** `favorite color` for `user/profile/user_tuff/favorite_color`. */
export function attributeWords(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

export function spoken(value: Json): string {
  return typeof value === 'string' ? value : canonicalize(value);
}
