/** What one character is written as by pages, addresses of pages and programs. */
export interface Escape {
  readonly codePoint: number;
  /** UTF-16 units that it takes in the text. */
  readonly length: number;
}

/** Names of HTML for what stands in or between numbers and addresses. The others change nothing that rules read. */
const NAMES: ReadonlyMap<string, number> = new Map([
  ['nbsp', 0x20],
  ['ensp', 0x20],
  ['emsp', 0x20],
  ['thinsp', 0x20],
  ['Tab', 0x20],
  ['NewLine', 0x20],
  ['shy', 0xad],
  ['zwj', 0x200d],
  ['zwnj', 0x200c],
  ['amp', 0x26],
  ['quot', 0x22],
  ['apos', 0x27],
  ['commat', 0x40],
  ['period', 0x2e],
  ['plus', 0x2b],
  ['hyphen', 0x2d],
  ['dash', 0x2d],
  ['ndash', 0x2d],
  ['mdash', 0x2d],
  ['lpar', 0x28],
  ['rpar', 0x29],
  ['sol', 0x2f],
  ['colon', 0x3a],
  ['num', 0x23],
  ['lowbar', 0x5f],
]);

const NAMED = /&([A-Za-z]{2,8});/y;
const NUMBERED = /&#(?:(\d{1,6})|x([0-9a-f]{1,5}));?/iy;
/** Bytes below 128 stand for themselves in UTF-8. */
const PERCENT = /%([2-7][0-9a-f]|0[9ad])/iy;
const UNICODE = /\\u([0-9a-f]{4})/iy;
const HEX = /\\x([2-7][0-9a-f])/iy;

/** Whether a text may have any: a quick look. */
export const MAY_ESCAPE = /&[#A-Za-z]|%[02-7][0-9A-Fa-f]|\\[ux]/;

/** The character that is written out at a place of a text; undefined where none is. */
export function escapeAt(text: string, place: number): Escape | undefined {
  const sign = text.charAt(place);
  if (sign === '%') return read(PERCENT, text, place, 16);
  if (sign === '\\') return read(UNICODE, text, place, 16) ?? read(HEX, text, place, 16);
  if (sign !== '&') return undefined;
  NAMED.lastIndex = place;
  const named = NAMED.exec(text);
  const codePoint = named ? NAMES.get(named[1] ?? '') : undefined;
  if (named && codePoint !== undefined) return { codePoint, length: named[0].length };
  NUMBERED.lastIndex = place;
  const hit = NUMBERED.exec(text);
  if (!hit) return undefined;
  return checked(hit[1] === undefined ? parseInt(hit[2] ?? '', 16) : Number(hit[1]), hit[0].length);
}

function read(shape: RegExp, text: string, place: number, base: number): Escape | undefined {
  shape.lastIndex = place;
  const hit = shape.exec(text);
  return hit ? checked(parseInt(hit[1] ?? '', base), hit[0].length) : undefined;
}

/** Halves of pairs stay as they are written. */
function checked(codePoint: number, length: number): Escape | undefined {
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
  return isCharacter ? { codePoint, length } : undefined;
}
