import { setOf, wordsOf } from './plain-words.js';
import { namesOneOf, pointsBack } from './relation.js';

/** What an answer to a sum says, where it cannot be read as its result. */
export type StatedResult =
  /** One number besides those of the question: what the answer says the result is. */
  | { readonly kind: 'number'; readonly text: string }
  /** Something is said to be the result that nobody can compute again. */
  | { readonly kind: 'unclear' }
  /** No result is claimed, and the answer speaks of the question all the same. */
  | { readonly kind: 'none' }
  /** It does not speak of the question. */
  | { readonly kind: 'unrelated' };

/** A minus stands before its number after a space or at the beginning; after a number it is a difference. */
const NUMBER = /(?<=^|[\s(:])-\d+(?:\.\d+)?|\d+(?:\.\d+)?/g;
const THOUSANDS = /(?<=\d),(?=\d{3})/g;
const NUMBER_WORDS = setOf(
  `zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
   nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion`,
);
const OF_SUMS = [
  ...['answer', 'arithmetic', 'calculate', 'calculation', 'compute', 'equal', 'equation', 'formula', 'math'],
  ...['mathematics', 'number', 'product', 'result', 'solution', 'sum', 'total', 'value'],
];
const isOfSums = namesOneOf(OF_SUMS);

/** Pure. What repeats the numbers of the question claims nothing by them. */
export function statedResult(question: string, answer: string): StatedResult {
  const stated = beyond(numbersIn(answer), numbersIn(question));
  const [first, ...others] = new Set(stated);
  const said = wordsOf(answer);
  if (first !== undefined) return others.length === 0 ? { kind: 'number', text: first } : { kind: 'unclear' };
  if (said.some((word) => NUMBER_WORDS.has(word))) return { kind: 'unclear' };
  const repeats = stated.length < numbersIn(answer).length;
  return repeats || pointsBack(said) || isOfSums(said) ? { kind: 'none' } : { kind: 'unrelated' };
}

function numbersIn(text: string): readonly string[] {
  return text.replace(THOUSANDS, '').match(NUMBER) ?? [];
}

/** The numbers of an answer without one repetition of the question's, where it repeats all of them. */
function beyond(stated: readonly string[], asked: readonly string[]): readonly string[] {
  const left = [...stated];
  for (const number of asked) {
    const at = left.indexOf(number);
    if (at < 0) return stated;
    left.splice(at, 1);
  }
  return left;
}
