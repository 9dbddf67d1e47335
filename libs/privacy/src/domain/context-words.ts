import { hitsOf } from './hits.js';

/** How far a context word may stand from what it speaks of (spec/privacy.md: "within about five words"). */
const MAX_WORDS = 5;
const MAX_CHARS = 80;

const MADE: RegExp[] = [];
/** Every expression that the rules ask for, made while they load. */
export const ALL_WORDS: readonly RegExp[] = MADE;

function made(words: RegExp): RegExp {
  MADE.push(words);
  return words;
}

/** Every one of these words has so many letters at least. */
export const LEAST_LETTERS = 2;

/** Whether a text has any word at all that a rule asks for: where not, it is context of nothing. */
export function speaksOfAnything(text: string): boolean {
  return lettersOf(text, LEAST_LETTERS) === LEAST_LETTERS && MADE.some((words) => text.search(words) >= 0);
}

/** How many letters a text has, and no more than `most`: each sign beyond ASCII counts as one. */
export function lettersOf(text: string, most: number): number {
  let letters = 0;
  for (let at = 0; at < text.length && letters < most; at++) {
    const code = text.charCodeAt(at);
    const small = code | 0x20;
    if (code >= 0x80 || (small >= 0x61 && small <= 0x7a)) letters++;
  }
  return letters;
}

/** An expression over whole words, letters on neither side, in any case. Alternatives must need no backtracking. */
export function contextWords(...alternatives: string[]): RegExp {
  return made(new RegExp(`(?<![a-zà-ÿ])(?:${alternatives.join('|')})(?![a-zà-ÿ])`, 'gi'));
}

/** The same for words that also name a member or a column, where they are written together: `tax_file_number`, `taxFileNumber`. */
export function fieldWords(...alternatives: string[]): RegExp {
  return contextWords(
    ...alternatives.map((words) => `${words} ?(?:numbers?|num)?`.replace(/\[[^\][]{0,40}\]| \??/g, writtenTogether)),
  );
}

function writtenTogether(piece: string): string {
  return piece.startsWith('[') ? piece : '[ _-]?';
}

/** The same for words that mean this in one writing only: SIN is a number, "sin" is a function. */
export function acronyms(...alternatives: string[]): RegExp {
  return made(new RegExp(`(?<![A-Za-zà-ÿ])(?:${alternatives.join('|')})(?![A-Za-zà-ÿ])`, 'g'));
}

/** A text that speaks of others: asked for each expression once, however many of the others ask. */
export class Surroundings {
  private readonly answers = new Map<RegExp, boolean>();
  private anything?: boolean;

  constructor(readonly text: string) {}

  /** Whether any expression of any rule is answered with yes. */
  get speak(): boolean {
    return (this.anything ??= speaksOfAnything(this.text));
  }

  speakOf(words: RegExp): boolean {
    if (this.anything === false) return false;
    let answer = this.answers.get(words);
    if (answer === undefined) this.answers.set(words, (answer = this.text.search(words) >= 0));
    return answer;
  }
}

/** Where the words of one expression stand in a text: found once, then asked for each candidate. */
export class Mentions {
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  constructor(
    private readonly text: string,
    words: RegExp,
  ) {
    for (const hit of hitsOf(text, words)) {
      this.starts.push(hit.index);
      this.ends.push(hit.index + hit[0].length);
    }
  }

  get none(): boolean {
    return this.starts.length === 0;
  }

  /** Whether a word stands within about five words before or after `[start, end)`. */
  near(start: number, end: number): boolean {
    const following = this.firstFrom(end);
    const after = this.starts[following];
    if (after !== undefined && this.close(end, after)) return true;
    const before = this.ends[this.firstFrom(start) - 1];
    return before !== undefined && this.close(Math.min(before, start), start);
  }

  /** Index of the first hit that starts at `place` or later. */
  private firstFrom(place: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private close(from: number, to: number): boolean {
    if (to - from > MAX_CHARS) return false;
    const between = this.text.slice(from, to).match(/[\p{L}\p{N}]+/gu);
    return (between?.length ?? 0) <= MAX_WORDS;
  }
}
