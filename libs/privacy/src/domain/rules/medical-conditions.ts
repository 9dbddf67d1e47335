import {
  CAPITALS,
  COMPOUND_ENDINGS,
  DESCRIBING,
  DETACHING,
  GENERAL,
  NO_ILLNESS,
  PHRASES,
  STEMS,
  TECHNICAL_ENDINGS,
  WORDS,
} from './medical-names.js';

/** The name of an illness: a place in a text. */
export interface Illness {
  readonly start: number;
  readonly end: number;
}

/** The same, for one place at a time. */
const NEXT_WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const LONGEST_WORD = 40;
const SHORTEST_STEM = 4;
const LONGEST_STEM = Math.max(...[...STEMS].map((stem) => stem.length));
/** Letters before an ending that make it the end of a name. */
const BEFORE_ENDING = 4;
export const SHORTEST_WITH_ENDING = 7;
const MAX_DESCRIBING = 7;
/** "Graves' disease", "a sleep disorder": with another word before it, the name of one. */
export const NAMED_AFTER = new Set('disease disorder syndrome'.split(' '));
const GENERAL_KINDS = new Set('mental medical genetic common serious known neurological infectious viral'.split(' '));

const STEM_STARTS = new Set([...STEMS].map((stem) => stem.slice(0, SHORTEST_STEM)));
const LAST_LETTERS = new Set([...COMPOUND_ENDINGS, ...TECHNICAL_ENDINGS].map((ending) => ending.slice(-2)));
const PHRASES_BY_START = new Map<string, readonly string[]>();
for (const phrase of PHRASES) {
  const start = phrase.slice(0, SHORTEST_STEM);
  PHRASES_BY_START.set(start, [...(PHRASES_BY_START.get(start) ?? []), phrase]);
}

/** Every illness that a text names, the general words for one included, in order of place. Linear in the text. */
export function illnessesIn(text: string): Illness[] {
  const found: Illness[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const end = endOfName(text, word, index) ?? (isGeneral(word) ? index + word.length : undefined);
    if (end !== undefined && index >= (found.at(-1)?.end ?? 0)) found.push({ start: index, end });
  }
  return found;
}

/** Whether a text begins with the name of an illness, after words that only describe it and at most one other. */
export function beginsWithIllness(text: string): boolean {
  // is_epoc: a name of a program's.
  if (text.startsWith('_')) return false;
  let last = 0;
  let described = 0;
  let isOther = false;
  let previous = '';
  for (let at = 0; ; at = last) {
    NEXT_WORD.lastIndex = at;
    const hit = NEXT_WORD.exec(text);
    if (!hit) return false;
    const { 0: word, index } = hit;
    if (described > 0 ? index - last !== 1 || !/[ '’-]/.test(text.charAt(last)) : index > 2) return false;
    const lower = word.toLowerCase();
    const describes = DESCRIBING.has(lower);
    if (!(describes && isPlain(lower)) && endOfName(text, word, index) !== undefined) return true;
    if (isOther && NAMED_AFTER.has(lower)) return !GENERAL_KINDS.has(previous);
    previous = lower;
    if (isOther || described === MAX_DESCRIBING) return false;
    if (!describes && !/^\d{1,2}$/.test(word)) {
      if (DETACHING.has(lower) || !/^\p{L}{3,14}$/u.test(word)) return false;
      isOther = true;
    }
    described++;
    last = index + word.length;
  }
}

/** No name of several words begins with it. */
function isPlain(word: string): boolean {
  return word.length < SHORTEST_STEM || !PHRASES_BY_START.has(word.slice(0, SHORTEST_STEM));
}

/** Whether a word that begins here names an illness, or is one of those that make a name of the word before them. */
export function isOfIllness(text: string, word: string, index: number): boolean {
  return endOfName(text, word, index) !== undefined || isGeneral(word) || NAMED_AFTER.has(word.toLowerCase());
}

/** Where the name ends that begins with this word of a text; undefined where it is none. */
function endOfName(text: string, word: string, index: number): number | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const lower = word.toLowerCase();
  const phrase = phraseAt(text, index);
  if (phrase !== undefined) {
    const rest = /^[\p{L}\p{M}]{0,20}/u.exec(text.slice(index + phrase.length))?.[0].length ?? 0;
    return index + phrase.length + rest;
  }
  const isName = isNameOf(lower) || (/[^a-z0-9]/.test(lower) && isNameOf(withoutAccents(lower)));
  return isName || CAPITALS.has(word) ? index + word.length : undefined;
}

function phraseAt(text: string, index: number): string | undefined {
  const some = PHRASES_BY_START.get(text.slice(index, index + SHORTEST_STEM).toLowerCase());
  if (some === undefined) return undefined;
  const here = text.slice(index, index + LONGEST_WORD).toLowerCase();
  return some.find((name) => here.startsWith(name));
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}

function isNameOf(word: string): boolean {
  return WORDS.has(word) || hasStem(word) || hasEnding(word);
}

function hasStem(word: string): boolean {
  if (!STEM_STARTS.has(word.slice(0, SHORTEST_STEM))) return false;
  for (let length = SHORTEST_STEM; length <= Math.min(word.length, LONGEST_STEM); length++)
    if (STEMS.has(word.slice(0, length))) return true;
  return false;
}

function hasEnding(word: string): boolean {
  if (word.length < SHORTEST_WITH_ENDING || !LAST_LETTERS.has(word.slice(-2))) return false;
  if (COMPOUND_ENDINGS.some((ending) => word.endsWith(ending) && word.length > ending.length + 2)) return true;
  return (
    TECHNICAL_ENDINGS.some((ending) => word.endsWith(ending) && word.length >= ending.length + BEFORE_ENDING) &&
    !NO_ILLNESS.some((beginning) => word.startsWith(beginning))
  );
}

function isGeneral(word: string): boolean {
  const lower = word.toLowerCase();
  return GENERAL.has(lower) || COMPOUND_ENDINGS.includes(lower);
}
