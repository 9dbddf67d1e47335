import { round9 } from './rounding.js';

/** What canonical JSON can hold: what JSON.parse yields, and nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export const MAX_DEPTH = 200;

/** A value that has no canonical form; `pointer` is the JSON pointer (RFC 6901) of the offending part. */
export class CanonicalJsonError extends Error {
  constructor(
    readonly pointer: string,
    readonly reason: string,
  ) {
    super(`no canonical JSON at "${pointer}": ${reason}`);
    this.name = 'CanonicalJsonError';
  }
}

/**
 * RFC 8785 text of a value, after the guard of spec/kernel.md: only null, booleans, finite numbers, well-formed strings,
 * dense arrays and plain objects, at most 200 levels deep, integers within +-(2^53-1). Non-integers are rounded to 9
 * decimals and -0 becomes 0. One pass guards and writes.
 * @throws CanonicalJsonError naming the offending value
 */
export function canonicalize(value: unknown): string {
  try {
    return write(value, 0);
  } catch (error) {
    throw located(value, error);
  }
}

/**
 * The value as its canonical text reads back: rounded, with sorted keys, sharing nothing with the input. Made without
 * that text, at a third of its time.
 * @throws CanonicalJsonError as `canonicalize`
 */
export function canonicalCopy<T>(value: T): T {
  try {
    return copy(value, 0) as T;
  } catch (error) {
    throw located(value, error);
  }
}

/** Neither writer nor copier knows where it is; only a refusal pays for finding out. */
function located(value: unknown, error: unknown): unknown {
  return error instanceof CanonicalJsonError ? (locate(value, '', 0) ?? error) : error;
}

/**
 * Whether two values have one canonical text. Values that are alike member by member are told without writing either.
 * @throws CanonicalJsonError as `canonicalize`
 */
export function sameCanonical(a: unknown, b: unknown): boolean {
  return alike(a, b, 0) || canonicalize(a) === canonicalize(b);
}

/** True only of two values that both have a canonical text, and the same; false where this quick look cannot tell. */
function alike(a: unknown, b: unknown, depth: number): boolean {
  if (typeof a === 'string') return a === b && a.isWellFormed();
  if (typeof a === 'number')
    return a === b && (Number.isSafeInteger(a) || (Number.isFinite(a) && !Number.isInteger(a)));
  if (typeof a !== 'object' || a === null) return a === b && (a === null || typeof a === 'boolean');
  if (typeof b !== 'object' || b === null || depth >= MAX_DEPTH) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length || 'toJSON' in a || 'toJSON' in b) return false;
    for (let i = 0; i < a.length; i++) if (!alike(a[i], b[i], depth + 1)) return false;
    return true;
  }
  return isPlain(a) && isPlain(b) && alikeMembers(a, b, depth + 1);
}

function alikeMembers(a: object, b: object, depth: number): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!key.isWellFormed() || !Object.hasOwn(b, key)) return false;
    if (!alike((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth)) return false;
  }
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const PLAIN_ASCII = /^[ !#-[\]-~]*$/;

function refuse(): never {
  throw new CanonicalJsonError('', 'a value without canonical form');
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) refuse();
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      return refuse();
  }
}

/** A well-formed string as JSON; short plain text skips the general escaper. @throws CanonicalJsonError */
export function quote(text: string): string {
  if (text.length < 80 && PLAIN_ASCII.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) refuse();
  return JSON.stringify(text);
}

function writeNumber(value: number): string {
  return String(numberOf(value));
}

function numberOf(value: number): number {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isFinite(value) || Number.isInteger(value)) refuse();
  return round9(value);
}

function writeArray(items: readonly unknown[], depth: number): string {
  if ('toJSON' in items) refuse();
  if (items.length === 0) return '[]';
  let text = '[';
  for (let i = 0; i < items.length; i++) text += (i === 0 ? '' : ',') + write(items[i], depth);
  return text + ']';
}

function writeObject(value: object, depth: number): string {
  if (!isPlain(value)) refuse();
  const keys = sortedKeys(value);
  const source = value as Record<string, unknown>;
  let text = '{';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    text += (i === 0 ? '' : ',') + quote(key) + ':' + write(source[key], depth);
  }
  return text + '}';
}

function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : refuse();
    case 'number':
      return numberOf(value);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (depth >= MAX_DEPTH) refuse();
      return Array.isArray(value) ? copyArray(value, depth + 1) : copyObject(value, depth + 1);
    default:
      return refuse();
  }
}

function copyArray(items: readonly unknown[], depth: number): unknown[] {
  if ('toJSON' in items) refuse();
  const copied: unknown[] = [];
  for (let i = 0; i < items.length; i++) copied.push(copy(items[i], depth));
  return copied;
}

function copyObject(value: object, depth: number): object {
  if (!isPlain(value)) refuse();
  const source = value as Record<string, unknown>;
  const copied: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    if (!key.isWellFormed()) refuse();
    const member = copy(source[key], depth);
    // Assigned, this one name would become the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copied, key, { ...OWN, value: member });
    else copied[key] = member;
  }
  return copied;
}

const OWN = { configurable: true, enumerable: true, writable: true };

/** Keys in UTF-16 order; most objects of ours are written in that order already. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_INSERTED) return isSorted(keys) ? keys : keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && key < keys[at - 1]!; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

/** So few are put in their places one by one: the general sort takes room of its own for each list. */
const MAX_INSERTED = 16;

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i]! < keys[i - 1]!) return false;
  return true;
}

function locate(value: unknown, pointer: string, depth: number): CanonicalJsonError | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') {
    return value.isWellFormed() ? null : new CanonicalJsonError(pointer, 'a lone surrogate');
  }
  if (typeof value === 'number') return locateNumber(value, pointer);
  if (typeof value !== 'object') return new CanonicalJsonError(pointer, `a value of type ${typeof value}`);
  if (depth >= MAX_DEPTH) return new CanonicalJsonError(pointer, `deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    if ('toJSON' in value) return new CanonicalJsonError(pointer, 'an array with toJSON');
    return locateIn(Object.entries(Array.from(value)), pointer, depth);
  }
  if (!isPlain(value)) return new CanonicalJsonError(pointer, 'not a plain object');
  const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  return locateIn(Object.entries(value).sort(byKey), pointer, depth);
}

function locateNumber(value: number, pointer: string): CanonicalJsonError | null {
  if (!Number.isFinite(value)) return new CanonicalJsonError(pointer, `the number ${value}`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new CanonicalJsonError(pointer, 'an integer beyond +-(2^53-1)');
  }
  return null;
}

function locateIn(entries: [string, unknown][], pointer: string, depth: number): CanonicalJsonError | null {
  for (const [key, item] of entries) {
    const at = `${pointer}/${escapePointer(key)}`;
    if (!key.isWellFormed()) return new CanonicalJsonError(at, 'a key with a lone surrogate');
    const found = locate(item, at, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** One reference token of a JSON pointer (RFC 6901). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The pointer of the first number that 9-decimal rounding would change, or null. Callers' content that holds one is
 * refused rather than altered in silence (spec/kernel.md, "Canonical JSON"). Looks as deep as canonical JSON goes.
 */
export function firstInexactNumber(value: unknown): string | null {
  return inexactIn(value, 0);
}

function inexactIn(value: unknown, depth: number): string | null {
  if (typeof value === 'number') return round9(value) === value ? null : '';
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  for (const key of Object.keys(value)) {
    const found = inexactIn((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (found !== null) return `/${escapePointer(key)}${found}`;
  }
  return null;
}
