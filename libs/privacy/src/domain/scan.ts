import { LEAST_LETTERS, lettersOf, Mentions, Surroundings } from './context-words.js';
import { DigitGroups } from './digit-groups.js';
import type { Folded } from './fold.js';
import type { Category, PiiType } from './pii-types.js';
import { hitsOf } from './hits.js';

export interface DetectOptions {
  /** ISO 3166 regions whose national phone numbers count in their usual separated writing. Default `['US']`. */
  readonly regions?: readonly string[];
  /** How sensitive each type is; each rule's own category where absent. */
  readonly categories?: Readonly<Record<PiiType, Category>>;
  /** Words that speak of the text from outside, such as the key it stands under. */
  readonly context?: string | Surroundings;
  /** What stands beside the text and may speak of it too, such as a note. */
  readonly surroundings?: Surroundings;
}

/** One text as the rules see it. */
export class Scan {
  readonly text: string;
  readonly regions: readonly string[];
  private readonly context: Surroundings | undefined;
  private readonly surroundings: Surroundings | undefined;
  private readonly mentions = new Map<RegExp, Mentions>();
  private found?: DigitGroups;
  private counted?: number;
  private letters?: number;
  private zones?: readonly (readonly [number, number])[];

  constructor(
    readonly folded: Folded,
    options: DetectOptions = {},
  ) {
    this.text = folded.text;
    this.regions = options.regions ?? ['US'];
    this.context = typeof options.context === 'string' ? new Surroundings(options.context) : options.context;
    this.surroundings = options.surroundings;
  }

  get groups(): DigitGroups {
    return (this.found ??= new DigitGroups(this.folded.digits));
  }

  /** Digits in all of the text, those among them that are letters which stand for one. */
  get digitCount(): number {
    return (this.counted ??= this.folded.hasDigit ? (this.folded.digits.match(/\d/g)?.length ?? 0) : 0);
  }

  /** Letters in all of the text, and no more than MANY_LETTERS: each sign beyond ASCII counts as one. */
  get letterCount(): number {
    return (this.letters ??= lettersOf(this.text, MANY_LETTERS));
  }

  /** Whether a word of `words` (made by contextWords) stands near `[start, end)`, or in the outer context. */
  speaksOf(words: RegExp, start: number, end: number): boolean {
    return this.isAbout(words) || (this.letterCount >= LEAST_LETTERS && this.of(words).near(start, end));
  }

  /** Whether a word of any of these expressions stands near, or in the outer context. */
  speaksOfAny(words: readonly RegExp[], start: number, end: number): boolean {
    return words.some((some) => this.speaksOf(some, start, end));
  }

  /**
   * Hits of an expression (with the flag g) in the text, and where it differs, in the text in which letters that stand
   * for digits are digits. Looked for only near digits: a hit must have one, and no `reach` signs in a row without one.
   * With `before`, only near those numbers that the words right before them make a candidate. With `piece`, an expression
   * (with the flag g) that every hit holds a match of, only within `reach` of such a match: one that begins with a rare
   * sign is found in a tenth of the time.
   */
  *nearDigits(
    shape: RegExp,
    {
      reach = REACH,
      before,
      piece,
    }: { readonly reach?: number; readonly before?: RegExp; readonly piece?: RegExp } = {},
  ): Generator<{ readonly written: string; readonly start: number; readonly end: number }> {
    const usual = reach === REACH && before === undefined;
    const zones = usual ? (this.zones ??= zonesOf(this.groups, reach)) : zonesOf(this.groups, reach, before);
    const { text, digits } = this.folded;
    for (const view of text === digits ? [text] : [text, digits]) {
      for (const [from, to] of piece ? around(piece, view, zones, reach) : zones) {
        const zone = view.slice(from, to);
        for (const { 0: written, index } of hitsOf(zone, shape))
          yield { written, start: from + index, end: from + index + written.length };
      }
    }
  }

  /** Whether such a word stands anywhere: where not, a rule that needs one has nothing to find. */
  everSpeaksOf(words: RegExp): boolean {
    return this.isAbout(words) || (this.letterCount >= LEAST_LETTERS && !this.of(words).none);
  }

  /** Whether such a word stands in the outer context: the key above the text, or what lies beside a bare number. */
  isAbout(words: RegExp): boolean {
    return (this.context?.speakOf(words) ?? false) || (this.surroundings?.speakOf(words) ?? false);
  }

  private of(words: RegExp): Mentions {
    let mentions = this.mentions.get(words);
    if (!mentions) this.mentions.set(words, (mentions = new Mentions(this.text, words)));
    return mentions;
  }
}

/** No rule asks for more. */
export const MANY_LETTERS = 9;

const REACH = 48;

/** How far before a number the words stand that make it a candidate. */
const LEAD = 24;

/** Disjoint stretches of a text that hold its digits and what stands within `reach` of them. */
function zonesOf(groups: DigitGroups, reach: number, before?: RegExp): readonly (readonly [number, number])[] {
  const zones: [number, number][] = [];
  for (let group = 0; group < groups.count; group++) {
    const start = groups.start(group);
    if (before && groups.text.slice(Math.max(0, start - LEAD), start).search(before) < 0) continue;
    const from = Math.max(0, start - reach);
    const to = Math.min(groups.text.length, groups.end(group) + reach);
    const last = zones.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else zones.push([from, to]);
  }
  return zones;
}

/** Of disjoint stretches of a text what stands within `reach` of the matches of an expression, disjoint again. */
function* around(
  piece: RegExp,
  text: string,
  zones: readonly (readonly [number, number])[],
  reach: number,
): Generator<readonly [number, number]> {
  for (const [from, to] of zones) {
    let last: [number, number] | undefined;
    for (const { index } of hitsOf(text.slice(from, to), piece)) {
      const begin = Math.max(from, from + index - reach);
      const end = Math.min(to, from + index + reach);
      if (last && begin <= last[1]) last[1] = end;
      else {
        if (last) yield last;
        last = [begin, end];
      }
    }
    if (last) yield last;
  }
}

/** A place in the folded text. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /**
   * `word`: what stands near names it. `form`: it has the usual writing of such a number, which other numbers have too,
   * so where a word names what stands at this very place, that word decides. Otherwise neither.
   */
  readonly basis?: 'word' | 'form';
}

/** One way to recognise one type. `find` does work linear in the text, whatever the text. */
export interface Rule {
  readonly id: string;
  readonly type: PiiType;
  readonly category: Category;
  /** Reads digits: skipped where a text has none, and silent inside time stamps, UUIDs, hashes and versions. */
  readonly numeric: boolean;
  /** What it finds has so many digits at least: skipped where a text has fewer. Default 1 where it is numeric, else 0. */
  readonly leastDigits?: number;
  /** What it finds has, or the words that it reads have, so many letters at least: skipped where a text has fewer. Default 0. */
  readonly leastLetters?: number;
  find(scan: Scan): Iterable<Match>;
}
