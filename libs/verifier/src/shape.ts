import { isArray, type Json, type JsonObject } from './canonical.js';

/** The file says nothing that could be checked: damaged, too large, or of another form. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Of JSON: a word for a plain value, `[shape]` for a list, an object for exactly these members. */
export type Shape = keyof Plain | readonly [Shape] | { readonly [member: string]: Shape };

interface Plain {
  readonly text: string;
  readonly 'text?': string | null;
  /** A whole number from 0. */
  readonly count: number;
  /** Any members, each a text. */
  readonly texts: { readonly [name: string]: string };
}

/** What is of a shape. */
export type Of<S> = S extends keyof Plain
  ? Plain[S]
  : S extends readonly [infer Item]
    ? readonly Of<Item>[]
    : { readonly [M in keyof S]: Of<S[M]> };

const LONGEST_LIST = 200_000;

/** @throws UnreadableError naming the place that is of another form */
export function expectShape(value: Json, shape: Shape): void {
  const odd = oddIn(value, shape);
  if (odd) throw new UnreadableError(`${odd.at === '' ? 'the document' : odd.at} is not ${odd.wanted}`);
}

/** A place that is of another form. */
interface Odd {
  readonly at: string;
  readonly wanted: string;
}

/** The first of them; null where there is none. Places are put into words on the way back: there are thousands. */
function oddIn(value: Json, shape: Shape): Odd | null {
  if (shape === 'text' || shape === 'text?')
    return typeof value === 'string' || (shape === 'text?' && value === null) ? null : odd('a text');
  if (shape === 'count')
    return Number.isSafeInteger(value) && (value as number) >= 0 ? null : odd('a whole number from 0');
  if (shape !== 'texts' && isList(shape)) {
    if (!isArray(value) || value.length > LONGEST_LIST) return odd(`a list of at most ${LONGEST_LIST}`);
    // By number: a check runs once, uncompiled, and an iterator's pairs cost more than what is looked at.
    for (let i = 0; i < value.length; i++) {
      const found = oddIn(value[i]!, shape[0]);
      if (found) return below(i, found);
    }
    return null;
  }
  const object = members(value);
  if (!object) return odd('an object');
  const names = Object.keys(shape === 'texts' ? object : shape);
  if (!hasExactly(object, names)) return otherMembers(object, names);
  for (const name of names) {
    const found = oddIn(object[name]!, shape === 'texts' ? 'text' : shape[name]!);
    if (found) return below(name, found);
  }
  return null;
}

function odd(wanted: string): Odd {
  return { at: '', wanted };
}

function below(name: string | number, { at, wanted }: Odd): Odd {
  return { at: `/${name}${at}`, wanted };
}

function hasExactly(object: JsonObject, names: readonly string[]): boolean {
  return Object.keys(object).length === names.length && names.every((name) => Object.hasOwn(object, name));
}

function otherMembers(object: JsonObject, names: readonly string[]): Odd {
  const [found, wanted] = [Object.keys(object).sort(), [...names].sort()];
  const name = found.find((one) => !wanted.includes(one)) ?? wanted.find((one) => !found.includes(one));
  return odd(`of exactly the members ${wanted.join(', ')}: look at ${name}`);
}

function isList(shape: object): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function members(value: Json): JsonObject | null {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : null;
}
