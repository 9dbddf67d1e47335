import type { Scan } from '../scan.js';

const KINDS =
  'stra(?:ß|ss)e|str\\.|str(?= )|gasse|allee|platz|weg|ring|damm|ufer|chaussee|steig|pfad|graben|markt|hof|berg|stieg|winkel|kamp|park|wall|tor|brücke|promenade|zeile|feld|garten|gärten|redder|twiete|linden|anger';

/** The kind of a street and a house number: `straße 14b`, `weg Nr. 3-5`. */
const KIND_AND_NUMBER = new RegExp(
  `(?:${KINDS}),? ?(?:nr\\.? ?)?\\d{1,4}(?: ?[a-z](?![\\p{L}]|-\\d{4}))?(?:[-/]\\d{1,4}[a-z]?)?(?![\\p{L}\\p{N}])`,
  'giu',
);
/** How such a street ends right before its number. */
const BEFORE_NUMBER = new RegExp(`(?:${KINDS.replace('str(?= )', 'str')}),? ?(?:nr\\.? ?)?$`, 'i');

const LONGEST_WORD = 30;
const WORDS_BEFORE = 2;
/** What the name, the kind and the number of a street take together at most. */
const LONGEST = 140;

/** Streets with their house numbers, and up to two words before, which may belong to the name or not. */
export function* germanStreets(scan: Scan): Generator<{ readonly written: string; readonly end: number }> {
  for (const { start, end } of scan.nearDigits(KIND_AND_NUMBER, { reach: LONGEST, before: BEFORE_NUMBER }))
    yield { written: scan.text.slice(nameBefore(scan.text, start), end), end };
}

/** Where the word begins that goes on at a place, or the second word before it. */
function nameBefore(text: string, at: number): number {
  let begin = wordBefore(text, at, /[\p{L}-]/u);
  for (let words = 0; words < WORDS_BEFORE && text.charAt(begin - 1) === ' '; words++) {
    const word = wordBefore(text, begin - 1, /[\p{L}.-]/u);
    if (word === begin - 1 || !/\p{L}/u.test(text.charAt(word))) break;
    begin = word;
  }
  return begin;
}

function wordBefore(text: string, at: number, sign: RegExp): number {
  let begin = at;
  while (begin > 0 && at - begin < LONGEST_WORD && sign.test(text.charAt(begin - 1))) begin--;
  return begin;
}
