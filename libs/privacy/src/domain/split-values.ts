import type { Detect } from './detector.js';
import type { Finding, PiiType } from './pii-types.js';
import type { DetectOptions } from './scan.js';

/** A value beside others, as text. */
export interface Neighbour {
  /** Empty where it is neither text nor number. */
  readonly text: string;
  readonly isNumber: boolean;
  /** Undefined in a list. */
  readonly key: string | undefined;
}

/** What speaks of all neighbours. */
export type AboutNeighbours = DetectOptions & { readonly context: string };

/** A finding that goes over several neighbours: what of it stands in which. */
export interface SplitFinding {
  readonly neighbour: number;
  readonly finding: Finding;
}

/** More are a table of numbers, and no number in pieces. */
const MAX_PIECES = 64;
const MAX_PIECE = 200;
/** Fewer digits are no number that is looked for, unless there is an address. */
const LEAST_DIGITS = 8;
/** Pieces of which a card may be some: of more it must be all. */
const FEW = 7;

/**
 * What is personal only where neighbours are read together: `["4111", "1111", "1111", "1111"]`. Stricter than within one
 * text, for numbers beside each other are mostly numbers of their own: what its check digits prove, in a list or under keys
 * that count (`part1`, `part2`), or what a word above names.
 */
export function* splitFindings(
  detect: Detect,
  neighbours: readonly Neighbour[],
  /** Asked for where there is something to look at. */
  optionsOf: () => AboutNeighbours,
): Generator<SplitFinding> {
  for (const [from, to] of runsOf(neighbours)) {
    const pieces = neighbours.slice(from, to);
    const about = optionsOf();
    const named = { ...about, context: `${about.context} ${sharedWord(pieces)}` };
    for (const joint of pieces.every(({ text }) => BARE.test(text)) && !isSpelled(pieces) ? [' ', ''] : [' ']) {
      const { text, starts } = joined(pieces, joint);
      if (!text.includes('@') && (text.match(/\p{Nd}/gu)?.length ?? 0) < LEAST_DIGITS) continue;
      for (const finding of detect(text, named)) {
        const parts = partsOf(finding, pieces, starts);
        if (parts.length < 2 || !isMeant(finding, { pieces, of: parts.length, text, joint })) continue;
        for (const { at, start, end } of parts) yield { neighbour: from + at, finding: { ...finding, start, end } };
      }
    }
  }
}

/** `[from, to)` of the neighbours that go on in one another. */
function* runsOf(neighbours: readonly Neighbour[]): Generator<readonly [number, number]> {
  let from = 0;
  for (let at = 1; at <= neighbours.length; at++) {
    const [left, right] = [neighbours[at - 1]?.text, neighbours[at]?.text];
    if (left !== undefined && right !== undefined && goesOn(left, right)) continue;
    if (at - from > 1 && at - from <= MAX_PIECES) yield [from, at];
    from = at;
  }
}

const PIECE = /^(?:[A-Za-z0-9]{1,8}|\p{Nd}{1,34}|[^\s]{1,2})$/u;

function goesOn(before: string, after: string): boolean {
  if (before === '' || after === '' || before.length > MAX_PIECE || after.length > MAX_PIECE) return false;
  const [left, right] = [before.trim(), after.trim()];
  if (left === '' || right === '' || left.endsWith('@') || right.startsWith('@')) return true;
  if (left.includes('@') && right.startsWith('.')) return true;
  return (PIECE.test(left) && PIECE.test(right)) || (/\p{Nd}[-./ ]?$/u.test(left) && /^[-./ ]?\p{Nd}/u.test(right));
}

/** Digits in each, as a number is cut up: joined without a space they have no usual writing, so that a word must name them. */
const BARE = /^\p{Nd}{1,9}$/u;

/** With `joint` between words, and nothing where one of them ends or begins with another sign, or all are single signs. */
function joined(
  pieces: readonly Neighbour[],
  joint: string,
): { readonly text: string; readonly starts: readonly number[] } {
  const spelled = isSpelled(pieces);
  let text = '';
  const starts: number[] = [];
  for (const piece of pieces) {
    const isWord = /[\p{L}\p{N}]$/u.test(text) && /^[\p{L}\p{N}]/u.test(piece.text);
    if (!spelled && isWord) text += joint;
    starts.push(text.length);
    text += piece.text;
  }
  return { text, starts };
}

function isSpelled(pieces: readonly Neighbour[]): boolean {
  return pieces.every(({ text }) => text.length === 1);
}

interface Part {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** What of a finding in joined pieces stands in which of them. */
export function partsOf(
  { start, end }: Finding,
  pieces: readonly Neighbour[],
  starts: readonly number[],
): readonly Part[] {
  return pieces.flatMap(({ text }, at) => {
    const begins = starts[at] ?? 0;
    const [from, to] = [Math.max(start - begins, 0), Math.min(end - begins, text.length)];
    return from < to ? [{ at, start: from, end: to }] : [];
  });
}

interface Reading {
  readonly pieces: readonly Neighbour[];
  /** How many of them the finding goes over. */
  readonly of: number;
  readonly text: string;
  readonly joint: string;
}

/** Digits alone, with a check that one number in ten passes: a word must name them. */
const NAMED: ReadonlySet<PiiType> = new Set<PiiType>([
  'us_ssn',
  'us_itin',
  'uk_nhs',
  'ca_sin',
  'in_aadhaar',
  'de_tax_id',
  'pl_pesel',
  'au_tfn',
]);

function isMeant({ type, start, rule }: Finding, { pieces, of, text, joint }: Reading): boolean {
  if (NAMED.has(type)) {
    const isBare = joint === '' || isSpelled(pieces);
    return isBare ? rule.endsWith('.context') : pieces.some((piece) => !BARE.test(piece.text)) && isCounted(pieces);
  }
  if (joint === '') return false;
  switch (type) {
    case 'iban':
      return true;
    case 'payment_card':
      return isCounted(pieces) && (of === pieces.length || pieces.length <= FEW) && !isData(pieces);
    case 'email':
      return isCounted(pieces);
    case 'phone':
      return isCounted(pieces) && text.charAt(start) === '+';
    case 'es_nif':
    case 'es_nie':
    case 'it_fiscal_code':
    case 'uk_nino':
      return isCounted(pieces) && of === pieces.length;
    default:
      return false;
  }
}

/** A list, or members whose keys say no more than which piece comes when: `a`, `b`; `part1`, `part2`; `first`, `second`. */
function isCounted(pieces: readonly Neighbour[]): boolean {
  const keys = pieces.map(({ key }) => key);
  if (keys.every((key) => key === undefined)) return true;
  const [first, ...others] = keys.map(counted);
  return (
    first !== undefined && others.every((other, at) => other?.stem === first.stem && other.nth === first.nth + at + 1)
  );
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
const NUMBERS = ['one', 'two', 'three', 'four', 'five'];

function counted(key: string | undefined): { readonly stem: string; readonly nth: number } | undefined {
  if (key === undefined) return undefined;
  for (const words of [ORDINALS, NUMBERS]) {
    const nth = words.findIndex((word) => key.toLowerCase().includes(word));
    if (nth >= 0) return { stem: key.toLowerCase().replace(words[nth] ?? '', ''), nth };
  }
  const suffix = /(?:\d{1,3}|(?<![A-Za-z])[A-Za-z])$/.exec(key)?.[0];
  if (suffix === undefined) return undefined;
  const stem = key.slice(0, key.length - suffix.length);
  return { stem, nth: /\d/.test(suffix) ? Number(suffix) : suffix.charCodeAt(0) };
}

/** `ssn_area`, `ssn_group`: the word that all keys begin with; empty where there is none. */
function sharedWord(pieces: readonly Neighbour[]): string {
  const words = pieces.map(({ key = '' }) => /^[A-Za-z][a-z]{2,}/.exec(key)?.[0].toLowerCase() ?? '');
  return words.every((word) => word === words[0]) ? (words[0] ?? '') : '';
}

/** `[4000, 5000, 6000, 7000]`, `[4, 5, 5, 3]`: numbers that only rise or fall, or are digits each. */
function isData(pieces: readonly Neighbour[]): boolean {
  if (pieces.every(({ text, isNumber }) => isNumber && text.length === 1)) return true;
  const numbers = pieces.map(({ text }) => Number(text));
  const steps = numbers.slice(1).map((number, at) => Math.sign(number - (numbers[at] ?? 0)));
  return Math.abs(steps.reduce((a, b) => a + b, 0)) === steps.length;
}
