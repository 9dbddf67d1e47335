import { canonicalize, MAX_DEPTH } from './canonical-json.js';
import { CanonicalScan } from './canonical-scan.js';
import { round9 } from './rounding.js';

const scan = new CanonicalScan();

/**
 * Whether a text is the canonical form of the value that was parsed from it. Nearly every text is told by one pass over
 * its bytes. Of the others, the runtime's own serialiser is faster than ours and writes strings and numbers the same;
 * order of members and rounding are looked at apart.
 */
export function isCanonical(text: string, value: object): boolean {
  if (scan.begin(text) && scan.value(0) && scan.isAtEnd) return true;
  try {
    if (JSON.stringify(value) === text && isCanonicalValue(value, 0)) return true;
    // Members with names like array indexes are kept in another order than they were written in.
    return canonicalize(value) === text;
  } catch {
    // Too deep, or a value without canonical form.
    return false;
  }
}

/** @param depth levels around it */
function isCanonicalValue(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'object':
      if (value === null) return true;
      if (depth >= MAX_DEPTH) return false;
      return Array.isArray(value)
        ? value.every((one) => isCanonicalValue(one, depth + 1))
        : isOrdered(value, depth + 1);
    case 'number':
      return Number.isSafeInteger(value) || (!Number.isInteger(value) && round9(value) === value);
    case 'string':
      return value.isWellFormed();
    default:
      return true;
  }
}

function isOrdered(value: object, depth: number): boolean {
  let before = '';
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (key < before || !key.isWellFormed() || !isCanonicalValue(member, depth)) return false;
    before = key;
  }
  return true;
}
