import { Surroundings } from './context-words.js';
import type { Detect } from './detector.js';
import type { Finding } from './pii-types.js';
import { namedMembers } from './named-members.js';
import { isPlain } from './plain-leaves.js';
import { numbersRelease } from './rules/ip-address.js';
import { type AboutNeighbours, type Neighbour, splitFindings } from './split-values.js';

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
  /** What it holds; empty where it is no list or object. */
  readonly members?: readonly Place[];
}

/** What holds a member open while what is below it is walked. */
interface Leaving {
  readonly leave: object;
}

/**
 * Scans every string, number and key of a payload, in document order. A number is scanned as its text, and a value's
 * last two keys are its context: `{"ssn": 123456789}` is a finding. What is nothing but a number has the keys and short
 * texts of the whole payload as its context too, such as a note that says what it is. What goes over several values beside
 * each other is a finding in each. Depth is bounded by memory only; cycles are left out.
 */
export function detectInPayload(detect: Detect, payload: unknown): PayloadFinding[] {
  const found: PayloadFinding[] = [];
  let beside: Surroundings | undefined;
  const surroundings = (): Surroundings => (beside ??= shortTextsOf(payload));
  const contexts = new Contexts();
  for (const place of placesOf(payload)) {
    const { value, pointer, key, names } = place;
    if (key !== undefined && !isPlain(key))
      for (const finding of detect(key)) found.push({ pointer, in: 'key', finding });
    for (const split of splitIn(detect, place, surroundings)) found.push(split);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') continue;
    const text = String(value);
    const isNumber = BARE_NUMBER.test(text);
    const context = contexts.of(names);
    if (isPlain(text) && !context.speak && !(isNumber && surroundings().speak)) continue;
    if (numbersRelease(names.at(-1) ?? '', text)) continue;
    const options = isNumber ? { context, surroundings: surroundings() } : { context };
    for (const finding of detect(text, options)) found.push({ pointer, in: 'value', finding });
  }
  return found;
}

/** What the keys above values say of them: values beside each other in a list have the same. */
class Contexts {
  private readonly known = new Map<string, Surroundings>();

  of(names: readonly string[]): Surroundings {
    const text = names.join(' ');
    let context = this.known.get(text);
    if (context === undefined) this.known.set(text, (context = new Surroundings(text)));
    return context;
  }
}

/** What is personal only where members are read together. */
function* splitIn(
  detect: Detect,
  { names, members = [] }: Place,
  surroundings: () => Surroundings,
): Generator<PayloadFinding> {
  if (members.length < 2) return;
  const neighbours = members.map(({ value, key }): Neighbour => ({
    text: typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '',
    isNumber: typeof value !== 'string',
    key,
  }));
  const options = (): AboutNeighbours => ({ context: names.join(' '), surroundings: surroundings() });
  for (const { neighbour, finding } of splitFindings(detect, neighbours, options))
    yield { pointer: members[neighbour]!.pointer, in: 'value', finding };
  for (const { neighbour, finding } of namedMembers(detect, neighbours, () => names.join(' ')))
    yield { pointer: members[neighbour]!.pointer, in: 'value', finding };
}

/** Digits and what may stand between them, at most as many as any number that is looked for. */
const BARE_NUMBER = /^(?=.*\p{Nd})[\p{Nd}\s.\-/()+_]{1,64}$/u;
/** Longer texts speak of too much to say what a number elsewhere is. */
const MAX_NOTE = 200;

function shortTextsOf(payload: unknown): Surroundings {
  const texts: string[] = [];
  for (const { value, key } of placesOf(payload)) {
    // A key speaks of what it holds; of others only where that is no number itself: {"ssn": true}.
    if (key !== undefined && key.length <= MAX_NOTE && holdsNoNumber(value)) texts.push(asWords(key));
    if (typeof value === 'string' && value.length <= MAX_NOTE) texts.push(value);
  }
  return new Surroundings(texts.join('\n'));
}

function holdsNoNumber(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'string' && !/\p{Nd}/u.test(value));
}

/** Every place of a payload, in document order. */
function* placesOf(payload: unknown): Generator<Place> {
  const open = new Set<object>();
  const stack: (Place | Leaving)[] = [{ value: payload, pointer: '', names: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ('leave' in next) {
      open.delete(next.leave);
      continue;
    }
    const { value } = next;
    if (typeof value !== 'object' || value === null || open.has(value)) {
      yield next;
      continue;
    }
    const members = membersOf(value, next);
    yield { ...next, members };
    open.add(value);
    stack.push({ leave: value });
    for (const place of members.toReversed()) stack.push(place);
  }
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
