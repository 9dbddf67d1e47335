import { classifyChar, DROP, MARK } from './fold-chars.js';
import { escapeAt, MAY_ESCAPE } from './fold-escapes.js';
import { FoldedCopy } from './folded-copy.js';

/** A copy of a text in which the usual disguises are undone, and the way back from its places to the original's. */
export interface Folded {
  /** Folded text: ASCII digits, plain dashes, single spaces, no invisible characters. Letter case is kept. */
  readonly text: string;
  /** The same length: letters that stand for digits (O, l, I, |) are digits too, in tokens of nothing else. */
  readonly digits: string;
  readonly hasDigit: boolean;
  /** `[start, end)` of the folded text as `[start, end)` of UTF-16 units of the original. `start < end`. */
  span(start: number, end: number): readonly [number, number];
}

const PLAIN = /^[\x20-\x7e]*$/;
const SPACE = 0x20;

/** Folds a text in one pass (spec/privacy.md, "Before matching"). Linear in its length. */
export function fold(original: string): Folded {
  const escapes = MAY_ESCAPE.test(original);
  if (!escapes && PLAIN.test(original) && !original.includes('  '))
    return describe(original, (start, end) => [start, end]);

  const copy = new FoldedCopy(original);
  const run = runOf(escapes, original.includes('  '));
  for (let at = 0; at < original.length;) {
    const plain = original.charCodeAt(at);
    if (plain >= SPACE && plain < 0x7f && (plain !== SPACE || copy.before(at) !== SPACE)) {
      run.lastIndex = at;
      if (run.test(original)) {
        at = run.lastIndex;
        continue;
      }
    }
    const escaped = escapes && isEscaping(plain) ? escapeAt(original, at) : undefined;
    const codePoint = escaped?.codePoint ?? original.codePointAt(at) ?? 0;
    const next = at + (escaped?.length ?? (codePoint > 0xffff ? 2 : 1));
    const code = classifyChar(codePoint);
    const previous = copy.before(at);
    if (code === SPACE && previous === SPACE) copy.widen(at, next);
    // What changes how a digit looks belongs to it: a span that ends with the digit takes it in.
    else if (isDigit(previous) && (code === MARK || (code === DROP && isVariation(codePoint)))) copy.widen(at, next);
    else if (code === DROP) copy.drop(at, next);
    else if (escaped === undefined && (code === MARK || code === codePoint)) copy.keep(codePoint);
    else copy.write(code === MARK ? codePoint : code, at, next);
    at = next;
  }
  return describe(copy.whole(), (start, end) => copy.span(start, end));
}

/** Most of any text: plain signs, and one space at a time. An expression finds where they end ten times as fast as a loop. */
const RUNS = [/[ -~]+/y, /[!-~]+/y, /[ -$'-[\]-~]+/y, /[!-$'-[\]-~]+/y] as const;

function runOf(escapes: boolean, doubled: boolean): RegExp {
  return escapes ? RUNS[doubled ? 3 : 2] : RUNS[doubled ? 1 : 0];
}

/** Variation selectors, and the frames and strokes of symbols. */
function isVariation(codePoint: number): boolean {
  return (
    (codePoint >= 0xfe00 && codePoint <= 0xfe0f) ||
    (codePoint >= 0xe0100 && codePoint <= 0xe01ef) ||
    (codePoint >= 0x20d0 && codePoint <= 0x20ff)
  );
}

/** What the signs begin with that pages and programs write out: & % \\ */
function isEscaping(code: number): boolean {
  return code === 0x26 || code === 0x25 || code === 0x5c;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}

function describe(text: string, span: Folded['span']): Folded {
  const digits = digitView(text);
  return { text, digits, hasDigit: /\d/.test(digits), span };
}

const MIXED = /\d[OoIl|]|[OoIl|]\d/;
const TOKEN = /(?<![A-Za-z0-9|])[0-9OoIl|]+(?![A-Za-z0-9|])/g;

/** `56|59|64`, `|536-22-8145|`: strokes that part numbers, or fields. */
function isParted(token: string, after: string): boolean {
  return token.split('|').length > 3 || (token.startsWith('|') && FIELD_END.test(token.slice(1) + after));
}

/** How far the end of a field is looked for. */
const FIELD = 32;
const FIELD_END = /^[\d \-./]{0,32}\|/;

function digitView(text: string): string {
  if (!MIXED.test(text)) return text;
  return text.replace(TOKEN, (token, place: number) => {
    if (!MIXED.test(token)) return token;
    const end = place + token.length;
    if (isParted(token, text.slice(end, end + FIELD))) return token;
    return token.replace(/[Oo]/g, '0').replace(/[Il|]/g, '1');
  });
}
