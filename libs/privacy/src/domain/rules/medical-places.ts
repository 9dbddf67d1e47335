import { isOfIllness, NAMED_AFTER, SHORTEST_WITH_ENDING } from './medical-conditions.js';
import { CAPITALS, COMPOUND_ENDINGS, GENERAL, PHRASES, STEMS, TECHNICAL_ENDINGS, WORDS } from './medical-names.js';
import { hitsOf } from '../hits.js';

/** Letters of a beginning that are looked at, and of an end. */
const FIRST = 4;
const LAST = 4;
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
/** A letter of ASCII, whatever its case, in five bits. */
const LETTER_BITS = 5;
const LETTER = 0x1f;

const BEGINNINGS = new Uint8Array(1 << (FIRST * LETTER_BITS));
for (const name of [...STEMS, ...WORDS, ...CAPITALS, ...PHRASES, ...GENERAL, ...NAMED_AFTER, ...COMPOUND_ENDINGS]) {
  const [first = ''] = /^[a-z]{0,4}/.exec(name.toLowerCase()) ?? [];
  BEGINNINGS[packed(codesOf(first), 0, first.length)] = 1;
}
const ENDS = new Uint8Array(1 << (LAST * LETTER_BITS));
for (const ending of [...COMPOUND_ENDINGS, ...TECHNICAL_ENDINGS]) {
  const lasts = ending.length < LAST ? ALPHABET.map((letter) => letter + ending) : [ending.slice(-LAST)];
  for (const last of lasts) if (/^[a-z]{4}$/.test(last)) ENDS[packed(codesOf(last), 0, LAST)] = 1;
}

function packed(codes: Uint16Array, from: number, to: number): number {
  let letters = 0;
  for (let at = from; at < to; at++) letters = (letters << LETTER_BITS) | (codes[at]! & LETTER);
  return letters;
}

/** An array is read four times as fast as the signs of a text, which may be a piece of another. */
function codesOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

const BETWEEN = 0;
const PLAIN = 1;
const ODD = 2;
/** What signs of ASCII are: letters are plain, digits odd, and so is whatever is beyond ASCII. */
const KINDS = new Uint8Array(0x80).map((_, code) => {
  const char = String.fromCharCode(code);
  return /[a-z]/i.test(char) ? PLAIN : /\d/.test(char) ? ODD : BETWEEN;
});

/**
 * Where words stand in a text that name an illness or are part of such a name, wherever behind a word the text is begun.
 * Nearly all words are told by their first and last four letters. Linear in the text.
 */
export function placesOfIllness(text: string): readonly number[] {
  const codes = codesOf(text);
  const places: number[] = [];
  for (let at = 0; at < codes.length; at++) {
    const from = at;
    let kinds = 0;
    for (; at < codes.length; at++) {
      const code = codes[at]!;
      const kind = code < KINDS.length ? KINDS[code]! : ODD;
      if (kind === BETWEEN) break;
      kinds |= kind;
    }
    if ((kinds & ODD) !== 0) addOddly(places, text, codes, from, at);
    else if (kinds === PLAIN && mayBeOfIllness(codes, from, at) && isOfIllness(text, text.slice(from, at), from))
      places.push(from);
  }
  return places;
}

function mayBeOfIllness(codes: Uint16Array, from: number, to: number): boolean {
  if (BEGINNINGS[packed(codes, from, Math.min(to, from + FIRST))] === 1) return true;
  return to - from >= SHORTEST_WITH_ENDING && ENDS[packed(codes, to - LAST, to)] === 1;
}

const DIGITS = /^\d+$/;
const ASCII = /^[0-9A-Za-z]+$/;
/** No longer than a sign more than the longest name, however much is written together. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]{0,40}/uy;
/** Where a word begins, or a word of rules may end within what is one here: before a digit, or a letter of another script. */
const BEGINNING = /(?<![\p{L}\p{N}])[\p{L}\p{N}]|(?<=[a-zà-ÿ])(?![a-zà-ÿ])[\p{L}\p{N}]/giu;

/** With digits, accents or other scripts: each word is asked for by itself. */
function addOddly(places: number[], text: string, codes: Uint16Array, from: number, to: number): void {
  const some = text.slice(from, to);
  if (DIGITS.test(some)) return;
  const isTold = ASCII.test(some);
  for (const { index } of hitsOf(some, BEGINNING)) {
    WORD.lastIndex = index;
    const [word = ''] = WORD.exec(some) ?? [];
    if (isTold && !mayBeOfIllness(codes, from + index, from + index + word.length)) continue;
    if (isOfIllness(text, word, from + index)) places.push(from + index);
  }
}

/** Disjoint stretches of a text that end right behind the first sign of such a place, and begin so far before it. */
export function stretchesBefore(places: readonly number[], reach: number): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = [];
  for (const place of places) {
    const from = Math.max(0, place - reach);
    const last = stretches.at(-1);
    if (last && from <= last[1]) last[1] = place + 1;
    else stretches.push([from, place + 1]);
  }
  return stretches;
}
