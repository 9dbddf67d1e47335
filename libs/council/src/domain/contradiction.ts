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
  const isDenying = denies(lower);
  const isSumming = lower.split('=').length > 2;
  if (!isDenying && !isSumming) return false;
  const sentences = sentencesOf(lower);
  return (isDenying && statesOpposites(sentences)) || (isSumming && hasTwoResults(sentences));
}

function denies(text: string): boolean {
  return text.includes(' not ') || text.includes("n't ");
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

/** What is denied is looked for first: most texts deny nothing plainly, and are not taken apart. */
function statesOpposites(sentences: readonly string[]): boolean {
  const denied = claimsOf(sentences.filter(denies)).filter(({ holds }) => !holds);
  if (denied.length === 0) return false;
  const denials = new Set(denied.map(({ what }) => what));
  const endings = [...new Set(denied.map(({ ending }) => ending))];
  const alike = sentences.filter((sentence) => endings.some((ending) => sentence.includes(ending)));
  return claimsOf(alike).some(({ what, holds }) => holds && denials.has(what));
}

function claimsOf(sentences: readonly string[]): readonly Claim[] {
  return sentences
    .filter(isPlain)
    .flatMap(clausesOf)
    .map(claimOf)
    .filter((claim) => claim !== null);
}

interface Claim {
  readonly what: string;
  /** Its last word. */
  readonly ending: string;
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
  const what = [...subject, VERBS[verb] ?? NEGATED[verb]!, ...object].join(' ');
  return { what, ending: object.at(-1)!, holds: !isDenied };
}

/** "2 + 2 = 4" beside "2 + 2 = 5"; the same result with more digits is no other one. */
function hasTwoResults(sentences: readonly string[]): boolean {
  const results = new Map<string, string>();
  const sums = sentences.filter((sentence) => sentence.includes('='));
  for (const clause of sums.filter(isPlain).flatMap(clausesOf)) {
    const sides = clause.replace(/(?<![.!])[.!]+$/, '').split('=');
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
