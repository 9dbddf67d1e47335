import { MaceError } from '#lib/kernel';
import { attributeOf, formatCanonicalKey, parseCanonicalKey } from './canonical-key.js';
import { factPhrase, phraseWords } from './normalize-phrase.js';

/** Stands for the asking principal's entity_id in a key of the synonym map. */
const USER = '{user_id}';
/** A principal that exists only while a template is checked. */
const ANYBODY = 'user_x';
const MINE = /^(my|our) /;

/** Phrase and key, the latter with `{user_id}` where it is the asking principal's. */
export type AliasEntry = readonly [phrase: string, key: string];

/**
 * Which key a phrase means (spec/memory.md, "Aliases"; seed 001, "Synonyms & mapping policy"). Phrases meet without
 * regard to case, punctuation, apostrophes, British or American spelling and the usual ways to begin a question.
 * Built once, never changed.
 */
export class AliasMap {
  /** Phrase to template, and phrase to key: a phrase may stand in both ("operating system" and "my operating system"). */
  readonly #personal = new Map<string, string>();
  readonly #shared = new Map<string, string>();

  /** @throws MaceError INVALID_INPUT where a phrase is empty or means two keys, or a key is malformed */
  constructor(entries: Iterable<AliasEntry>) {
    for (const [phrase, key] of entries) this.#add(phrase, key);
  }

  /**
   * The key of the fullest phrase in the text that is known. After "my", only keys of the asking principal count;
   * without it, shared keys go before them.
   * @param user the asking principal's normal form (`user_tuff`), null where nobody asks
   * @returns null where no phrase is known, or where the key needs a user and there is none
   */
  resolveAlias(text: string, user: string | null): string | null {
    for (const phrase of factPhrase(text)) {
      const shared = this.#shared.get(phrase);
      if (shared !== undefined) return shared;
      const template = this.#personal.get(phrase.replace(MINE, ''));
      if (template !== undefined) return user === null ? null : template.replace(USER, () => user);
    }
    return null;
  }

  #add(text: string, key: string): void {
    const phrase = phraseWords(text).join(' ');
    if (phrase === '' || MINE.test(phrase)) {
      throw invalid(
        `The alias "${text}" is not allowed; allowed: a phrase with a letter or digit, without "my" at its start.`,
      );
    }
    checkTemplate(key);
    const keys = key.includes(USER) ? this.#personal : this.#shared;
    const other = keys.get(phrase);
    if (other !== undefined && other !== key) throw invalid(`The alias "${text}" means both ${other} and ${key}.`);
    keys.set(phrase, key);
  }
}

/**
 * The attribute for "my <something>" that no alias knows: `favorite_board_game` for "What's my favourite board game?".
 * Spelling is folded here as in aliases, so that remembering and recalling meet at one key whichever way it was written.
 * A text without "my" is taken as the name itself, whole.
 * @returns null where the phrase holds no word, or more than 32
 */
export function attributeFromPhrase(phrase: string): string | null {
  const candidates = factPhrase(phrase);
  const name = candidates.findLast((candidate) => MINE.test(candidate))?.replace(MINE, '') ?? candidates[0];
  return name === undefined ? null : attributeOf(name);
}

/** A key, or a key of scope user whose entity_id is `{user_id}`. */
function checkTemplate(key: string): void {
  const parts = parseCanonicalKey(key.replace(USER, ANYBODY));
  const isTemplate = key === formatCanonicalKey({ ...parts, entityId: USER });
  if (isTemplate ? parts.scope !== 'user' : parts.scope === 'user' || key.includes('{')) {
    throw invalid(
      `The key ${key} of an alias is not allowed; allowed: user/<entity_type>/${USER}/<attribute>, or a key of another scope.`,
    );
  }
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
