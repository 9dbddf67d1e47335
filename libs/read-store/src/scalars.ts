import type { Json } from '#lib/kernel';
import type { Scalar } from './port.js';

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** What an index holds for a document: absent counts as null. */
export function indexedValue(body: { readonly [field: string]: Json }, field: string): Scalar {
  const value = Object.hasOwn(body, field) ? body[field] : null;
  return isScalar(value) ? value : null;
}

const RANK = { object: 0, number: 1, string: 2, boolean: 3 } as const;

/** The port's order of values. */
export function compareScalars(a: Scalar, b: Scalar): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return Number(a) - Number(b);
}

function rank(value: Scalar): number {
  return RANK[typeof value as keyof typeof RANK];
}

/** As the UTF-8 bytes compare: UTF-16 puts surrogates before U+E000, code points put them last. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byCodePoint(left) - byCodePoint(right);
  }
  return a.length - b.length;
}

function byCodePoint(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The least string above every string that starts with `prefix`; null where there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}
