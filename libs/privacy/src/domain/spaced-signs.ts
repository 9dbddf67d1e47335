/** A stretch of a text whose signs all stand apart, by one and the same sign: `a n n a @ g m x . d e`. */
interface SpacedSigns {
  /** The signs without what parts them. */
  readonly text: string;
  /** Place in the text that a place in the signs leads back to: of the sign itself. */
  place(at: number): number;
  readonly start: number;
}

const PARTING = ' -_.*|,~/+;:';
/** So many signs at least: fewer are no number, address or account. */
const LEAST = 9;
/** A stretch of so many signs has what parts them at one of any eight places at least, and at the second and fourth after it. */
const STEP = 8;

/** Every such stretch that has a letter or an at sign: rows of digits are read by their groups. Linear in the text. */
export function* spacedSigns(text: string): Generator<SpacedSigns> {
  let done = 0;
  for (let step = 0; step < text.length; step += STEP) {
    for (const place of [step, step + 1]) {
      const code = text.charCodeAt(place);
      if (place < done || code !== text.charCodeAt(place + 2) || code !== text.charCodeAt(place + 4)) continue;
      const parting = text.charAt(place);
      if (!PARTING.includes(parting)) continue;
      const start = startOf(text, place, parting, done);
      const end = endOf(text, place, parting);
      done = end;
      const apart = (end - start) / 2 + 1 < LEAST ? '' : everySecond(text, start, end);
      if (/[\p{L}@]/u.test(apart)) yield { text: apart, start, place: (at) => start + 2 * at };
    }
  }
}

/** Index of the first single sign: what goes on into it is a word, and its last letter none of them. */
function startOf(text: string, place: number, parting: string, done: number): number {
  let first = place + 1;
  while (first - 2 >= done && text.charAt(first - 1) === parting) first -= 2;
  return isWord(text, first) && isWord(text, first - 1) ? first + 2 : first;
}

/** Index of the last one. */
function endOf(text: string, place: number, parting: string): number {
  let last = place + 1;
  while (text.charAt(last + 1) === parting && last + 2 < text.length) last += 2;
  return isWord(text, last) && isWord(text, last + 1) ? last - 2 : last;
}

function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

function everySecond(text: string, from: number, last: number): string {
  let signs = '';
  for (let at = from; at <= last; at += 2) signs += text.charAt(at);
  return signs;
}
