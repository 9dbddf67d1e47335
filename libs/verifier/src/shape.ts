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
export function expectShape(value: Json, shape: Shape, at = ''): void {
  const fail = (wanted: string): never => {
    throw new UnreadableError(`${at === '' ? 'the document' : at} is not ${wanted}`);
  };
  if (shape === 'text' || shape === 'text?') {
    if (typeof value !== 'string' && !(shape === 'text?' && value === null)) fail('a text');
  } else if (shape === 'count') {
    if (!Number.isSafeInteger(value) || (value as number) < 0) fail('a whole number from 0');
  } else if (shape === 'texts') {
    for (const [name, text] of Object.entries(members(value) ?? fail('an object')))
      expectShape(text, 'text', `${at}/${name}`);
  } else if (isList(shape)) {
    if (!isArray(value) || value.length > LONGEST_LIST) return fail(`a list of at most ${LONGEST_LIST}`);
    value.forEach((item, i) => expectShape(item, shape[0], `${at}/${i}`));
  } else {
    const object = members(value) ?? fail('an object');
    const [found, wanted] = [Object.keys(object).sort(), Object.keys(shape).sort()];
    const odd = found.find((name) => !wanted.includes(name)) ?? wanted.find((name) => !found.includes(name));
    if (odd !== undefined) fail(`of exactly the members ${wanted.join(', ')}: look at ${odd}`);
    for (const name of wanted) expectShape(object[name]!, shape[name]!, `${at}/${name}`);
  }
}

function isList(shape: object): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function members(value: Json): JsonObject | null {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : null;
}
