import { canonicalize, type Json } from '#lib/kernel';
import { type AliasMap, attributeFromPhrase, formatCanonicalKey } from '#lib/memory';

import type { Agent, AgentReply, AgentRequest } from './agent.js';

/** Reads facts that the asking person stored about themselves; never anybody else's. */
export class ProfileAgent implements Agent {
  readonly agent_id = 'profile_agent';
  readonly external = false;

  constructor(private readonly aliases: AliasMap) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    const key = profileKey(this.aliases, request.query_text, request.user_id);
    if (key === null) return { kind: 'declined', reason: 'the question names nothing that a profile holds' };
    const found = await request.effects.read(key);
    if (!found) return { kind: 'miss', key };
    return {
      kind: 'answer',
      text: `Your ${attributeWords(key, request.query_text)} is ${spoken(found.value)}.`,
      confidence: 1,
      reasoning_trace: [`read ${key} at revision ${found.revision}`],
      evidence: [found],
      memory_write: null,
    };
  }
}

const APOSTROPHE = /['’‘‛`´ʼ]/u;

/**
 * The asking person's own key that a phrase is about, by alias or by name; null where it names none, or by a word that a
 * key cannot hold: without it the rest would name something else.
 */
export function profileKey(aliases: AliasMap, phrase: string, userId: string): string | null {
  if (wordsOf(phrase).some((word) => attributeFromPhrase(word) === null)) return null;
  const known = aliases.resolveAlias(phrase, userId);
  if (known !== null) return known.startsWith(`user/`) ? known : null;
  const attribute = attributeFromPhrase(phrase);
  if (attribute === null || attribute === 'my' || attribute === 'our') return null;
  return formatCanonicalKey({ scope: 'user', entityType: 'profile', entityId: userId, attribute });
}

/** `favorite color` for `user/profile/user_tuff/favorite_color`; `dog's name` where the phrase says it so. */
export function attributeWords(key: string, phrase: string): string {
  const owners = wordsOf(phrase).filter((word) => APOSTROPHE.test(word));
  const asSaid = new Map(owners.map((word) => [attributeFromPhrase(word), word]));
  const words = key.slice(key.lastIndexOf('/') + 1).split('_');
  return words.map((word) => asSaid.get(word) ?? word).join(' ');
}

/** Words as they stand in a phrase, without the marks around them. */
function wordsOf(phrase: string): readonly string[] {
  return phrase.match(/[\p{L}\p{N}](?:\S*[\p{L}\p{N}\p{M}])?/gu) ?? [];
}

export function spoken(value: Json): string {
  return typeof value === 'string' ? value : canonicalize(value);
}
