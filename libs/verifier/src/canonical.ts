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
  return isPlain(value, depth) ? JSON.stringify(value) : written(value, depth);
}

/** Whether the runtime itself writes a value as it is to be written. It is faster, and nearly all that is read is plain. */
function isPlain(value: Json, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isSafeInteger(value) || (isFraction(value) && to9(value) === value);
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      if (depth >= MAX_DEPTH) return false;
      return isArray(value) ? value.every((item) => isPlain(item, depth + 1)) : isInOrder(value, depth);
    default:
      return false;
  }
}

function isInOrder(value: JsonObject, depth: number): boolean {
  let before: string | null = null;
  for (const key of Object.keys(value)) {
    if (before !== null && key < before) return false;
    if (!key.isWellFormed() || !isPlain(value[key]!, depth + 1)) return false;
    before = key;
  }
  return true;
}

/** Any value, piece by piece. */
function written(value: Json, depth: number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return number(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (depth >= MAX_DEPTH) throw new RangeError(`deeper than ${MAX_DEPTH} levels`);
  if (isArray(value)) return `[${value.map((item) => written(item, depth + 1)).join()}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${quoted(key)}:${written(value[key] ?? null, depth + 1)}`).join()}}`;
}

/** `Array.isArray` does not narrow a readonly array away from an object. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function quoted(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('a lone surrogate');
  return JSON.stringify(text);
}

function number(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (!isFraction(value)) throw new RangeError(`the number ${value}`);
  const rounded = to9(value);
  return String(rounded === 0 ? 0 : rounded);
}

function to9(value: number): number {
  return Number(value.toFixed(9));
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value);
}
