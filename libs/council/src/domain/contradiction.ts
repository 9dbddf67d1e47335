import { setOf } from './plain-words.js';

const VERBS: Readonly<Record<string, string>> = { is: 'is', are: 'are', was: 'was', were: 'were' };
const NEGATED: Readonly<Record<string, string>> = {
  "isn't": 'is',
  "aren't": 'are',
  "wasn't": 'was',
  "weren't": 'were',
};
const ARTICLES = setOf('a an the');
/** A clause about one of these is about whatever was named last. */
const PRONOUNS = setOf('he here it one she that there these they this those which who');
/** A sentence with one of these states nothing plainly: it supposes, chooses, cites or limits. */
const HEDGES = setOf(
  `after although assuming before believe believes can claim claims could either except false if may maybe might
   myth only or otherwise perhaps said say says should sometimes suppose supposing than think thinks though unless until
   when whenever whether while wrong would`,
);
const SIGNS = /^[\d\s.+*/()^×÷-]+$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * Whether a text states something and its plain opposite: "X is Y" and "X is not Y", or two results of one sum. Only
 * sentences that state plainly are looked at, so that nothing else is taken for a contradiction. Pure, and linear.
 */
export function contradictsItself(text: string): boolean {
  const lower = text.toLowerCase().replaceAll('’', "'");
  const hasNegation = lower.includes(' not ') || lower.includes("n't ");
  if (!hasNegation && lower.split('=').length < 3) return false;
  const clauses = sentencesOf(lower).filter(isPlain).flatMap(clausesOf);
  return (hasNegation && statesOpposites(clauses)) || hasTwoResults(clauses);
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/[.;!]\s|\n/).map((sentence) => sentence.trim());
}

function isPlain(sentence: string): boolean {
  if (/["“”?]/.test(sentence)) return false;
  return !wordsWithin(sentence).some((word) => HEDGES.has(word));
}

function clausesOf(sentence: string): readonly string[] {
  return sentence.split(/(?:,\s|\s)(?:and|but|yet)\s|,\s/);
}

function statesOpposites(clauses: readonly string[]): boolean {
  const stated = new Map<string, boolean>();
  for (const clause of clauses) {
    const claim = claimOf(clause);
    if (claim === null) continue;
    const before = stated.get(claim.what);
    if (before !== undefined && before !== claim.holds) return true;
    stated.set(claim.what, claim.holds);
  }
  return false;
}

interface Claim {
  readonly what: string;
  readonly holds: boolean;
}

/** "The sky is not green" as what it denies; null where a clause is not of the form "X is Y". */
function claimOf(clause: string): Claim | null {
  const words = wordsWithin(clause);
  const at = words.findIndex((word) => Object.hasOwn(VERBS, word) || Object.hasOwn(NEGATED, word));
  if (at < 1) return null;
  const verb = words[at]!;
  const isDenied = words[at + 1] === 'not' || Object.hasOwn(NEGATED, verb);
  const subject = withoutArticle(words.slice(0, at));
  const object = withoutArticle(words.slice(words[at + 1] === 'not' ? at + 2 : at + 1));
  if (subject.length === 0 || object.length === 0 || PRONOUNS.has(subject[0]!)) return null;
  return { what: [...subject, VERBS[verb] ?? NEGATED[verb]!, ...object].join(' '), holds: !isDenied };
}

/** "2 + 2 = 4" beside "2 + 2 = 5"; the same result with more digits is no other one. */
function hasTwoResults(clauses: readonly string[]): boolean {
  const results = new Map<string, string>();
  for (const clause of clauses) {
    const sides = clause.replace(/[.!]+$/, '').split('=');
    if (sides.length !== 2) continue;
    const [sum, result] = [sides[0]!.replaceAll(/\s/g, ''), sides[1]!.trim()];
    if (!SIGNS.test(sum) || !NUMBER.test(result)) continue;
    const before = results.get(sum);
    if (before !== undefined && !before.startsWith(result) && !result.startsWith(before)) return true;
    results.set(sum, result);
  }
  return false;
}

function withoutArticle(words: readonly string[]): readonly string[] {
  return ARTICLES.has(words[0] ?? '') ? words.slice(1) : words;
}

function wordsWithin(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
}
