import type { Detect } from './detector.js';
import type { Finding } from './pii-types.js';

export interface PayloadFinding {
  /** RFC 6901 pointer to the value, or to the member whose key it is. */
  readonly pointer: string;
  /** Whether the finding is in the text of the value or in its key; spans count in that text. */
  readonly in: 'value' | 'key';
  readonly finding: Finding;
}

interface Place {
  readonly value: unknown;
  readonly pointer: string;
  readonly key?: string;
  /** The last two keys above the value, as words: they say what a bare number is. */
  readonly names: readonly string[];
}

/** What holds a member open while what is below it is walked. */
interface Leaving {
  readonly leave: object;
}

/**
 * Scans every string, number and key of a payload, in document order. A number is scanned as its text, and a value's
 * last two keys are its context: `{"ssn": 123456789}` is a finding. Depth is bounded by memory only; cycles are left out.
 */
export function detectInPayload(detect: Detect, payload: unknown): PayloadFinding[] {
  const found: PayloadFinding[] = [];
  const open = new Set<object>();
  const stack: (Place | Leaving)[] = [{ value: payload, pointer: '', names: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ('leave' in next) {
      open.delete(next.leave);
      continue;
    }
    const { value, pointer, key, names } = next;
    if (key !== undefined) for (const finding of detect(key)) found.push({ pointer, in: 'key', finding });
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      const context = names.join(' ');
      for (const finding of detect(String(value), { context })) found.push({ pointer, in: 'value', finding });
    } else if (typeof value === 'object' && value !== null && !open.has(value)) {
      open.add(value);
      stack.push({ leave: value });
      for (const place of membersOf(value, next).reverse()) stack.push(place);
    }
  }
  return found;
}

function membersOf(value: object, { pointer, names }: Place): Place[] {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => ({ value: item, pointer: `${pointer}/${index}`, names }));
  return Object.entries(value).map(([key, member]: [string, unknown]) => ({
    value: member,
    pointer: `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`,
    key,
    names: [...names.slice(-1), asWords(key)],
  }));
}

function asWords(key: string): string {
  return key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
}
