/** What JSON.parse yields. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Levels of nesting that canonical JSON allows (spec/kernel.md). */
export const MAX_DEPTH = 200;

/**
 * RFC 8785 text of what JSON.parse yielded, under the rules of spec/kernel.md: keys in UTF-16 order, non-integers rounded
 * to 9 decimals, -0 as 0; integers beyond +-(2^53-1), lone surrogates and more than 200 levels have no such text.
 * @throws RangeError where the value has no canonical text
 */
export function canonical(value: Json, depth = 0): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return number(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (depth >= MAX_DEPTH) throw new RangeError(`deeper than ${MAX_DEPTH} levels`);
  if (isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`;
  const members = sortedKeys(value).map((key) => `${quoted(key)}:${canonical(value[key] ?? null, depth + 1)}`);
  return `{${members.join()}}`;
}

/** Most objects that are read stand in order already. */
function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  return keys.every((key, i) => i === 0 || keys[i - 1]! < key) ? keys : keys.sort();
}

/** `Array.isArray` does not narrow a readonly array away from an object. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Of these JSON is the text itself between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new RangeError('a lone surrogate');
  return JSON.stringify(text);
}

function number(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (!Number.isFinite(value) || Number.isInteger(value)) throw new RangeError(`the number ${value}`);
  const rounded = Number(value.toFixed(9));
  return String(rounded === 0 ? 0 : rounded);
}
