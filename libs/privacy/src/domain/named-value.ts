import type { Match, Scan } from './scan.js';

/** A value that only the words around it make personal: what names it, what it looks like, what else it might be. */
export interface NamedShape {
  /** Made by contextWords. */
  readonly words: RegExp;
  /** Global; read on the view in which letters that stand for digits are digits. */
  readonly shape: RegExp;
  /** The part of a candidate that is the value, from its beginning; empty where it is something else. */
  readonly part: (candidate: string, after: string) => string;
  readonly score: number;
}

const MAX_WORDS = 5;
const MAX_CHARS = 80;
/** How far behind a naming word its own value is looked for. */
const OWN = 40;
/** How much of what follows a candidate is shown to its shape. */
const AFTER = 24;

/** Words that say that the number which follows is something else. */
const RENAMED =
  /(?<![\p{L}])(?:phones?|tel(?:e[fp]h?on\p{L}*)?|mobile|handy|fax|call|ssn|social security|orders?|invoices?|tickets?|cases?|refs?|references?|zip|plz|balance|amount|saldo|price|fee|cards?|iban|customers?|versions?|errors?|flight|gate|room|page|tracking|isbn|codes?|pins?|passwords?|passcode|passwort|otp|verification|build|port|lines?|rows?|applications?|holders?|rose|fell|grew|(?:in|de)creased|rechnung\p{L}*|bestell\p{L}*|kunden\p{L}*|commande|facture|pedido|factura|ordine|fattura|ordinanza)(?![\p{L}])|[$€£]/iu;
/** What may stand between two values of one kind. */
const LISTED = /^(?:and|or|und|oder|y|o|et|ou|e|accounts?|number|no|konto|kontonummer|cuenta|compte|conto|\s)*$/i;

/** Every value of this shape that a naming word is nearest to, in the text or in its outer context. Linear in the text. */
export function* namedValues(scan: Scan, { words, shape, part, score }: NamedShape): Generator<Match> {
  if (!scan.everSpeaksOf(words)) return;
  const view = scan.folded.digits;
  for (const { written: candidate, start } of scan.nearDigits(shape)) {
    if (candidate.search(words) < 0 && !scan.speaksOf(words, start, start + candidate.length)) continue;
    const end = start + part(candidate, view.slice(start + candidate.length, start + candidate.length + AFTER)).length;
    if (end > start && isNamed(scan, words, start, end)) yield { start, end, score };
  }
}

function isNamed(scan: Scan, words: RegExp, start: number, end: number): boolean {
  const { text } = scan;
  if (scan.isAbout(words) || text.slice(start, end).search(words) >= 0) return true;
  const before = text.slice(Math.max(0, start - MAX_CHARS), start);
  let named = -1;
  for (const hit of before.matchAll(words)) named = hit.index + hit[0].length;
  if (named >= 0 && leadsTo(before.slice(named))) return true;
  const after = text.slice(end, end + MAX_CHARS);
  // "A12345678 passport": letters and digits right before the word are no count of anything.
  if (/\p{L}/u.test(text.slice(start, end)) && / /.test(after.slice(0, 1)) && after.slice(1).search(words) === 0)
    return true;
  const [hit] = after.matchAll(words);
  return hit !== undefined && follows(after, hit.index, hit.index + hit[0].length);
}

/** "account number is", "passport (old one):": few words, and none that names something else. */
function leadsTo(between: string): boolean {
  if (RENAMED.test(between) || wordsIn(between) > MAX_WORDS) return false;
  return !/\d{4}/.test(between) || LISTED.test(withoutCodes(between));
}

/** "12345678 is my account number": in the same sentence, and the word has no value of its own. */
function follows(after: string, from: number, to: number): boolean {
  const between = after.slice(0, from);
  if (!LINKED.test(between) || /\d{3}|[.!?;] /.test(between) || RENAMED.test(between) || wordsIn(between) > MAX_WORDS)
    return false;
  return !/\d{4}/.test(after.slice(to, to + OWN));
}

/** "12345678 is my ...", "12345678 (...)"; "12345678 accounts" is a count. */
const LINKED =
  /[(,:=–-]|(?<!\p{L})(?:is|was|are|as|for|on|in|of|from|the|my|his|her|our|ist|war|meine?|seine?|ihre?|sind|auf|es|era|son|mi|su|est|mon|ma|sa|le|è|il|la|mio|mia)(?!\p{L})/iu;

function withoutCodes(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !/\d/.test(word)).join(' ');
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

/** A calendar date in one of its usual writings, or a year or span of years. */
export function isDate(text: string): boolean {
  return (
    /^(?:19|20)\d\d([-/. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/.test(text) ||
    /^(?:(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01]))[-/.](?:19|20)\d\d$/.test(
      text,
    ) ||
    /^(?:1[5-9]|20)\d\d(?:[-/](?:1[5-9]|20)?\d\d)?$/.test(text)
  );
}

/** A plural that is no verb. */
const COUNTED =
  /^ (?!expires|belongs|needs|works|begins|starts|ends|always|plus|thanks|comes|stands|perhaps)\p{Ll}{3,14}s(?!\p{L})/u;

/** "12345 EUR", "50 %", "300 patients": an amount or a count of something. */
export function isAmount(after: string): boolean {
  return (
    /^[.,]?\d* ?(?:in total|total|active(?! account)|eur|euros?|usd|gbp|chf|dollars?|pounds?|[$€£%])/i.test(after) ||
    COUNTED.test(after)
  );
}

export function digitsIn(text: string): number {
  return text.match(/\d/g)?.length ?? 0;
}
