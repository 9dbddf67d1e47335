import type { DigitGroups } from '../digit-groups.js';
import { CATEGORY_OF, type PiiType } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';

/** A number of digits only, as one country gives it to each person. */
export interface DigitIdentifier {
  readonly type: PiiType;
  /** How many digits it may have. */
  readonly lengths: readonly number[];
  /** Sizes of the groups of its usual writing; such writing is a finding without a word. */
  readonly forms: readonly (readonly number[])[];
  /** What may stand between the groups of that writing. */
  readonly joint: RegExp;
  /** Expressions (contextWords, acronyms) of which one must stand near where the number is written otherwise. */
  readonly words: readonly RegExp[];
  /** Structure and check digit. */
  readonly isValid: (digits: string) => boolean;
  /** What the usual writing is rather, where no word names it. */
  readonly isOther?: (written: string, digits: string) => boolean;
}

/** The usual joints: one space, or one dash with or without spaces. */
export const SPACE_OR_DASH = /^(?: ?- ?| )$/;

/** Two rules: the usual writing always, every other writing near a word that names it (spec/privacy.md, "Bare digits"). */
export function digitIdentifierRules(identifier: DigitIdentifier): readonly Rule[] {
  return identifier.forms.length > 0 ? [separated(identifier), named(identifier)] : [named(identifier)];
}

function rule({ type, lengths }: DigitIdentifier, name: string, find: Rule['find']): Rule {
  const leastDigits = Math.min(...lengths);
  return { id: `${type}.${name}`, type, category: CATEGORY_OF[type], numeric: true, leastDigits, find };
}

function separated(identifier: DigitIdentifier): Rule {
  const { forms, joint, words, isValid, isOther } = identifier;
  return rule(identifier, 'separated', function* (scan) {
    const { groups } = scan;
    for (let first = 0; first < groups.count; first++) {
      for (const form of forms) {
        if (!groups.hasForm(first, form)) continue;
        const last = first + form.length - 1;
        if (!joinedBy(groups, first, last, joint) || !isValid(groups.digits(first, last))) continue;
        const match = { start: groups.start(first), end: groups.end(last) };
        if (scan.speaksOfAny(words, match.start, match.end)) yield { ...match, score: 0.95, basis: 'word' };
        else if (
          standsAlone(groups, first, last) &&
          !isAmount(scan, match.start, match.end) &&
          !isNamedOtherwise(scan, match.start)
        ) {
          const written = groups.text.slice(match.start, match.end);
          if (!isRound(written) && !isOther?.(written, groups.digits(first, last)))
            yield { ...match, score: 0.8, basis: 'form' };
        }
      }
    }
  });
}

function named(identifier: DigitIdentifier): Rule {
  const { lengths, words, isValid } = identifier;
  return rule(identifier, 'context', function* (scan) {
    const { groups } = scan;
    for (const length of lengths) {
      for (const [first, last] of groups.exactly(length)) {
        if (groups.tight(first - 1) || groups.tight(last) || isPiece(groups, first, last)) continue;
        if (!isValid(groups.digits(first, last))) continue;
        const match: Match = { start: groups.start(first), end: groups.end(last), score: 0.9, basis: 'word' };
        if (!words.some((some) => scan.everSpeaksOf(some))) return;
        if (scan.speaksOfAny(words, match.start, match.end)) yield match;
      }
    }
  });
}

/** Some groups of a longer number: `934 625 092` of `81 934 625 092`. */
export function isPiece(groups: DigitGroups, first: number, last: number): boolean {
  return first < last && (groups.joint(first - 1) !== undefined || groups.joint(last) !== undefined);
}

function joinedBy(groups: DigitGroups, first: number, last: number, allowed: RegExp): boolean {
  for (let group = first; group < last; group++) if (!allowed.test(groups.joint(group) ?? '')) return false;
  return true;
}

/** No digits stand beside it, neither hanging on it nor after a space: it is no piece of a longer number or list. */
function standsAlone(groups: DigitGroups, first: number, last: number): boolean {
  const beside = (group: number): boolean => groups.tight(group) || SPACE_OR_DASH.test(groups.joint(group) ?? '');
  return !beside(first - 1) && !beside(last) && groups.text.charAt(groups.start(first) - 1) !== '+';
}

/** Right before a number: what it is the number of, where that is a thing. */
const THING =
  /(?<!\p{L})(?:orders?|ref(?:erence)?s?|sku|tickets?|invoices?|parts?|items?|tracking|serial|models?|cases?|articles?|isbn|siren|siret|sirene|abn|acn|ein|kvk|cvr|nip|regon|krs|vat|duns|gst|hst|company|business|firm|patent|lottery|handelsregister|hrb|registro mercantil|rcs|partita iva|p\.? ?iva|bestell\p{L}{0,8}|rechnungs?\p{L}{0,8}|auftrags?\p{L}{0,8}|artikel\p{L}{0,8}|pedido|factura|commande|facture|ordine|fattura)[ .:#_-]{0,3}(?:(?:numbers?|nummer|no|nr|id|code|n)[ .:#º°-]{0,3})?$/iu;

/** `365 250 000`: amounts are round, numbers of persons hardly ever. */
function isRound(written: string): boolean {
  return /^\d{1,3}(?: \d{3})* 000$/.test(written);
}

function isNamedOtherwise({ text }: Scan, start: number): boolean {
  return THING.test(text.slice(Math.max(0, start - 32), start));
}

const MONEY_BEFORE =
  /(?:[$€£¥₹=+*/^]|\b(?:usd|eur|gbp|chf|cad|aud|nzd|inr|rs|kr|sek|nok|dkk|pln|huf|czk|rub|jpy|krw|cny|rmb|brl|mxn|zar|sgd|hkd|rp|idr|php|calculate|compute|evaluate)) ?$/i;
/** What books and statistics count. */
const BALANCE =
  /(?<!\p{L})(?:revenues?|turnover|ebitd?a?|sales|profits?|loss(?:es)?|earnings|budget|gdp|population|circulation|total|sum|amount|balance|votes|attendance|umsatz|gewinn|verlust|bev[öo]lkerung|einwohnerzahl|summe|betrag|poblaci[oó]n|habitantes|importe|chiffre d.affaires|b[ée]n[ée]fice|montant|somme|popolazione|fatturato|importo|totale)(?: (?:of|is|was|were|are|about|von|war|betr[äa]gt|de|es|est|di|è|[eé]tait|era))?[:=]? ?$/iu;
const LONGEST_BALANCE = 40;
const AMOUNT_AFTER =
  /^ ?(?:[$€£¥₹₽₺₩₴฿₫%=+*/^]|(?:dollars?|euros?|pounds?|usd|eur|gbp|chf|cad|aud|nzd|kr|sek|nok|dkk|isk|zł|pln|kč|czk|ft|huf|lei|ron|лв|руб|грн|rub|uah|try|yen|jpy|krw|won|cny|rmb|yuan|rupees|rupien|inr|pesos|mxn|brl|reais|zar|rand|dirhams?|sgd|hkd|idr|php|thb|baht|vnd|元|円|원|people|inhabitants|einwohner|habitants|habitantes|abitanti|years|jahre|km2?|kilomet(?:er|re)s?|miles|met(?:er|re)s?|[kmgt]?i?b|bytes|bits|m|mm|cm|kg|tons?|tonnes?|votes|users|visitors|followers|subscribers|views|downloads|rows|records|lines|requests|items|units|tokens|cells|cycles|ops|times|[nmµu]s|seconds|minutes|hours|hz|[kmgt]hz|times|mal|fois|veces|volte|by|plus|minus|divis[eéo]|dividido|geteilt|multipli[eé]|sekunden|stunden|menschen|habitants?|personnes|personas|persone|segundos|secondes|secondi)(?![a-z]))/i;

/** Digits in threes between spaces are also how amounts are written. */
export function isAmount({ text }: Scan, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_BALANCE), start);
  return MONEY_BEFORE.test(before.slice(-12)) || BALANCE.test(before) || AMOUNT_AFTER.test(text.slice(end, end + 16));
}
