import { classifyChar, DROP, MARK } from './fold-chars.js';
import { escapeAt, MAY_ESCAPE } from './fold-escapes.js';

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

  const size = original.length;
  const units = new Uint16Array(size);
  const starts = new Int32Array(size);
  const ends = new Int32Array(size);
  let length = 0;
  /** Every bit that any unit of the folded text has. */
  let bits = 0;
  for (let at = 0; at < size;) {
    const plain = original.charCodeAt(at);
    const escaped = escapes && isEscaping(plain) ? escapeAt(original, at) : undefined;
    // Most of any text: a plain sign, or one space.
    const stays = plain > SPACE ? plain < 0x7f : plain === SPACE && (length === 0 || units[length - 1] !== SPACE);
    if (escaped === undefined && stays) {
      units[length] = plain;
      starts[length] = at;
      ends[length++] = ++at;
      continue;
    }
    const codePoint = escaped?.codePoint ?? original.codePointAt(at) ?? 0;
    const next = at + (escaped?.length ?? (codePoint > 0xffff ? 2 : 1));
    const code = classifyChar(codePoint);
    const previous = length > 0 ? units[length - 1] : undefined;
    if (code === SPACE && previous === SPACE) {
      ends[length - 1] = next;
    } else if (isDigit(previous) && (code === MARK || (code === DROP && isVariation(codePoint)))) {
      // What changes how a digit looks belongs to it: a span that ends with the digit takes it in.
      ends[length - 1] = next;
    } else if (code !== DROP) {
      const begun = length;
      length = write(units, begun, code === MARK ? codePoint : code);
      for (let unit = begun; unit < length; unit++) {
        starts[unit] = at;
        ends[unit] = next;
        bits |= units[unit] ?? 0;
      }
    }
    at = next;
  }
  const text = stringOf(units.subarray(0, length), bits);
  return describe(text, (start, end) => [starts[start] ?? 0, ends[end - 1] ?? 0]);
}

/** In one byte a sign where that is enough: expressions are faster over such strings. */
function stringOf(units: Uint16Array, bits: number): string {
  if (bits <= 0xff) return Buffer.from(units).toString('latin1');
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}

function write(units: Uint16Array, length: number, code: number): number {
  if (code <= 0xffff) {
    units[length] = code;
    return length + 1;
  }
  units[length] = 0xd800 + ((code - 0x10000) >> 10);
  units[length + 1] = 0xdc00 + ((code - 0x10000) & 0x3ff);
  return length + 2;
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
    const end = place + token.length;
    if (!/\d/.test(token) || isParted(token, text.slice(end, end + FIELD))) return token;
    return token.replace(/[Oo]/g, '0').replace(/[Il|]/g, '1');
  });
}
