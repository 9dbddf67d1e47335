import { canonicalize, type Json } from '#lib/kernel';
import { type AliasMap, attributeFromPhrase, formatCanonicalKey } from '#lib/memory';

import type { Agent, AgentReply, AgentRequest } from './agent.js';
import { isCredential } from './domain/remember-names.js';

/** A miss would ask to be told it. */
const NO_CREDENTIALS: AgentReply = {
  kind: 'answer',
  text: 'I do not remember passwords, PINs, codes or keys. A password manager is the place for them.',
  confidence: 1,
  reasoning_trace: ['asked for a credential, and none is stored'],
  evidence: [],
  memory_write: null,
};

/** Reads facts that the asking person stored about themselves; never anybody else's. */
export class ProfileAgent implements Agent {
  readonly agent_id = 'profile_agent';
  readonly external = false;

  constructor(private readonly aliases: AliasMap) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    const key = askedKey(this.aliases, request.query_text, request.user_id);
    if (key === null) return { kind: 'declined', reason: 'the question names nothing that a profile holds' };
    const found = await request.effects.read(key);
    if (!found) return isCredential(attributeWords(key, '')) ? NO_CREDENTIALS : { kind: 'miss', key };
    const words = attributeWords(key, request.query_text);
    return {
      kind: 'answer',
      text: `Your ${words} ${verbFor(words)} ${spoken(found.value)}.`,
      confidence: 1,
      reasoning_trace: [`read ${key} at revision ${found.revision}`],
      evidence: [found],
      memory_write: null,
    };
  }
}

const APOSTROPHE = /['’‘‛`´ʼ]/u;

/** "what's on my calendar", "do you know what my job is": what is asked for begins with "my". */
const BEFORE_MINE =
  /^.{0,200}\b(?:on|about|in|know|remember|what|who|when|where|which|is|are|was|were|['’]?s)\s+(?=my\s)/iu;
const TODAY = /(?<!\s)\s+(?:today|called|again|for today|right now)(?=[\s?.!]*$)/i;

/** The key that a question is about: by the whole of it where an alias knows that, else from its "my" on. */
export function askedKey(aliases: AliasMap, question: string, userId: string): string | null {
  if (aliases.resolveAlias(question, userId) !== null) return profileKey(aliases, question, userId);
  return profileKey(aliases, question.replace(BEFORE_MINE, '').replace(TODAY, ''), userId);
}

const NOT_PLURAL = /(?:ss|us|is|ics|['’]s|news|series|means|gas|atlas|canvas|bias)$/iu;
const PLURAL = /(?:s|children|people|men|women|feet|teeth|mice)$/iu;

/** `are` after words that mean several, such as `favorite colors`; else `is`. */
export function verbFor(words: string): 'is' | 'are' {
  return PLURAL.test(words) && !NOT_PLURAL.test(words) ? 'are' : 'is';
}

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
  // An alias may name it without the "s": "my dog's name" is stored as `dog_name`.
  const asSaid = new Map(
    owners.flatMap((word) =>
      [attributeFromPhrase(word), word.split(APOSTROPHE)[0]!.toLowerCase()].map((part) => [part, word]),
    ),
  );
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
