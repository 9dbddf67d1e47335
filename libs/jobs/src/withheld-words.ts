const WITHHELD = '[redacted:memory]';
/** A word of fewer characters is taken out only where it stands alone. */
const SHORT = 4;
const PART_OF_WORD = /[\p{L}\p{N}]/u;
const SPACE = /\s/u;
/** Spaces, marks on letters, and what is not seen. */
const PASSED_OVER = /[\s\p{M}\p{Cf}]/gu;

/** A text as it is compared, and from where in it each of its characters comes. */
interface Folded {
  readonly text: string;
  readonly from: readonly number[];
}

/**
 * A text without these words, in whatever case, with whatever spaces between their letters, accents or invisible
 * characters: none of that hides a word from who reads.
 */
export function withoutWords(text: string, words: readonly string[]): string {
  const folded = foldedOf(text);
  const taken = words.flatMap((word) => placesOf(word, text, folded)).sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let end = 0;
  for (const place of taken) {
    if (place.start >= end) parts.push(text.slice(end, place.start), WITHHELD);
    end = Math.max(end, place.end);
  }
  return parts.join('') + text.slice(end);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function placesOf(word: string, text: string, { text: folded, from }: Folded): readonly Place[] {
  const wanted = foldedOf(word).text;
  const places: Place[] = [];
  // What is made of marks alone is compared as it is.
  if (wanted === '') return text.includes(word) && word !== '' ? [{ start: 0, end: text.length }] : [];
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    const last = at + wanted.length - 1;
    const start = from[at]!;
    const end = from[last + 1] ?? text.length;
    const place = { start, end: start + text.slice(start, end).trimEnd().length };
    if (isAlone(text, place) || (wanted.length >= SHORT && !isApart(text, place, word))) places.push(place);
  }
  return places;
}

/** No letter and no digit beside it. */
function isAlone(text: string, { start, end }: Place): boolean {
  return !PART_OF_WORD.test(text.charAt(start - 1)) && !PART_OF_WORD.test(text.charAt(end));
}

/** Spaces stand in it that the word has not: then it may be of the end of one word and the beginning of another. */
function isApart(text: string, { start, end }: Place, word: string): boolean {
  return SPACE.test(text.slice(start, end)) && !SPACE.test(word);
}

function foldedOf(text: string): Folded {
  const from: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    // Upper case first: ß is SS.
    const plain = character.normalize('NFKD').toUpperCase().toLowerCase().replace(PASSED_OVER, '');
    for (let i = 0; i < plain.length; i++) from.push(at);
    folded += plain;
    at += character.length;
  }
  return { text: folded, from };
}
