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

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const LONGEST_WORD = 40;
const SHORTEST_STEM = 4;
const LONGEST_STEM = 18;
/** Letters before an ending that make it the end of a name. */
const BEFORE_ENDING = 4;
const MAX_DESCRIBING = 7;

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
  let last = 0;
  let described = 0;
  let isOther = false;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (described > 0 ? index - last !== 1 || !/[ '’-]/.test(text.charAt(last)) : index > 2) return false;
    if (endOfName(text, word, index) !== undefined) return true;
    const lower = word.toLowerCase();
    if (isOther || described === MAX_DESCRIBING) return false;
    if (!DESCRIBING.has(lower) && !/^\d{1,2}$/.test(word)) {
      if (DETACHING.has(lower) || !/^\p{L}{3,14}$/u.test(word)) return false;
      isOther = true;
    }
    described++;
    last = index + word.length;
  }
  return false;
}

/** Where the name ends that begins with this word of a text; undefined where it is none. */
function endOfName(text: string, word: string, index: number): number | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const lower = word.toLowerCase();
  const here = text.slice(index, index + LONGEST_WORD).toLowerCase();
  const phrase = PHRASES_BY_START.get(here.slice(0, SHORTEST_STEM))?.find((name) => here.startsWith(name));
  if (phrase !== undefined) {
    const rest = /^[\p{L}\p{M}]{0,20}/u.exec(text.slice(index + phrase.length))?.[0].length ?? 0;
    return index + phrase.length + rest;
  }
  const plain = lower.normalize('NFD').replace(/\p{M}/gu, '');
  const isName = [lower, plain].some((name) => WORDS.has(name) || hasStem(name) || hasEnding(name));
  return isName || CAPITALS.has(word) ? index + word.length : undefined;
}

function hasStem(word: string): boolean {
  for (let length = SHORTEST_STEM; length <= Math.min(word.length, LONGEST_STEM); length++)
    if (STEMS.has(word.slice(0, length))) return true;
  return false;
}

function hasEnding(word: string): boolean {
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
