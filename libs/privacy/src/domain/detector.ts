import { MaceError } from '#lib/kernel';

import { fold, type Folded } from './fold.js';
import { Noise } from './noise.js';
import { compareCategories, type Finding, type PiiType } from './pii-types.js';
import { AU_TFN_RULES } from './rules/au-tfn.js';
import { CA_SIN_RULES } from './rules/ca-sin.js';
import { CONTEXT_RULES } from './rules/context-rules.js';
import { CRYPTO_WALLET_RULES } from './rules/crypto-wallet.js';
import { DE_TAX_ID_RULES } from './rules/de-tax-id.js';
import { EMAIL_RULES } from './rules/email.js';
import { ES_NIE_RULES, ES_NIF_RULES } from './rules/es-nif.js';
import { IBAN_RULES } from './rules/iban.js';
import { IN_AADHAAR_RULES } from './rules/in-aadhaar.js';
import { IP_ADDRESS_RULES } from './rules/ip-address.js';
import { IT_FISCAL_CODE_RULES } from './rules/it-fiscal-code.js';
import { MAC_ADDRESS_RULES } from './rules/mac-address.js';
import { PAYMENT_CARD_RULES } from './rules/payment-card.js';
import type { NumberingPlans } from './rules/phone-plans.js';
import { phoneRules } from './rules/phone.js';
import { PL_PESEL_RULES } from './rules/pl-pesel.js';
import { ukNhsRules } from './rules/uk-nhs.js';
import { UK_NINO_RULES } from './rules/uk-nino.js';
import { US_ITIN_RULES } from './rules/us-itin.js';
import { US_SSN_RULES } from './rules/us-ssn.js';
import { Scan, type DetectOptions, type Match, type Rule } from './scan.js';
import { spacedSigns } from './spaced-signs.js';

/** Version of the rule set: raised by any change in what is found. Recorded with each finding's event. */
export const DETECTOR_VERSION = 7;

/** Longest text that is scanned, in UTF-16 units: a whole record's megabyte. */
export const MAX_TEXT = 1_048_576;

export type Detect = (text: string, options?: DetectOptions) => Finding[];

/**
 * A detector of personal data over these numbering plans (spec/privacy.md, "Detection"). Deterministic, and linear in
 * the text. Findings come sorted by start, then end, then type; those of one type do not overlap.
 * What is longer than MAX_TEXT is not scanned, and so not let through: the detector throws MaceError INVALID_INPUT.
 */
export function createDetector(plans: NumberingPlans): Detect {
  const rules = rulesOver(plans);
  return (text, options) => findAll(rules, text, options);
}

/** Every rule there is. */
export function rulesOver(plans: NumberingPlans): readonly Rule[] {
  return [
    ...US_SSN_RULES,
    ...US_ITIN_RULES,
    ...UK_NINO_RULES,
    ...ukNhsRules(plans),
    ...CA_SIN_RULES,
    ...IN_AADHAAR_RULES,
    ...ES_NIF_RULES,
    ...ES_NIE_RULES,
    ...IT_FISCAL_CODE_RULES,
    ...DE_TAX_ID_RULES,
    ...PL_PESEL_RULES,
    ...AU_TFN_RULES,
    ...PAYMENT_CARD_RULES,
    ...IBAN_RULES,
    ...EMAIL_RULES,
    ...phoneRules(plans),
    ...IP_ADDRESS_RULES,
    ...MAC_ADDRESS_RULES,
    ...CRYPTO_WALLET_RULES,
    ...CONTEXT_RULES,
  ];
}

function findAll(rules: readonly Rule[], text: string, options?: DetectOptions): Finding[] {
  if (text.length > MAX_TEXT)
    throw new MaceError('INVALID_INPUT', `a text of ${text.length} characters; allowed: ${MAX_TEXT}`);
  const folded = fold(text);
  const scan = new Scan(folded, options);
  let noise: Noise | undefined;
  const found: (Match & { readonly rule: Rule })[] = [];
  for (const rule of rules) {
    if (scan.digitCount < (rule.leastDigits ?? (rule.numeric ? 1 : 0))) continue;
    if (rule.leastLetters !== undefined && scan.letterCount < rule.leastLetters) continue;
    for (const match of rule.find(scan)) {
      if (rule.numeric && (noise ??= new Noise(scan)).holds(match.start, match.end)) continue;
      found.push({ ...match, rule });
    }
  }
  const findings = withoutPieces(withoutMistaken(found)).map(
    ({ rule: { id, type, category }, score, ...match }): Finding => {
      const [start, end] = folded.span(match.start, match.end);
      return { type, category: options?.categories?.[type] ?? category, start, end, score, rule: id };
    },
  );
  for (const finding of findSpaced(rules, folded, options)) findings.push(finding);
  return withoutRepeats(findings).sort(byPlace);
}

/** What is so much of a form that it is meant also where its signs stand apart. */
const TOLD_APART: ReadonlySet<PiiType> = new Set<PiiType>([
  'email',
  'iban',
  'payment_card',
  'us_ssn',
  'us_itin',
  'uk_nino',
  'es_nif',
  'es_nie',
  'it_fiscal_code',
  'passport',
  'crypto_wallet',
]);
/** How far before such signs the words stand that speak of them. */
const WORDS_BEFORE = 80;

function findSpaced(rules: readonly Rule[], folded: Folded, options: DetectOptions = {}): Finding[] {
  const { text } = folded;
  const about = (typeof options.context === 'string' ? options.context : options.context?.text) ?? '';
  const found: Finding[] = [];
  for (const signs of spacedSigns(text)) {
    const before = text.slice(Math.max(0, signs.start - WORDS_BEFORE), signs.start);
    const context = `${about} ${before}`;
    for (const finding of findAll(rules, signs.text, { ...options, context })) {
      if (!TOLD_APART.has(finding.type)) continue;
      const [start, end] = folded.span(signs.place(finding.start), signs.place(finding.end - 1) + 1);
      found.push({ ...finding, start, end });
    }
  }
  return found;
}

/** What has the form of several numbers is the one that a word near it names, where one does. */
function withoutMistaken<T extends Match>(matches: readonly T[]): readonly T[] {
  const place = ({ start, end }: Match): string => `${start} ${end}`;
  const isNamed = ({ basis }: Match): boolean => basis === 'word';
  if (!matches.some(isNamed)) return matches;
  const named = new Set(matches.filter(isNamed).map(place));
  return matches.filter((match) => match.basis !== 'form' || !named.has(place(match)));
}

/** The digits of an IBAN or a card are its own: what one of them holds, and is less than all of it, is no other number. */
function withoutPieces<T extends Match & { readonly rule: Rule }>(matches: readonly T[]): readonly T[] {
  return withoutPiecesOf('payment_card', withoutPiecesOf('iban', matches));
}

function withoutPiecesOf<T extends Match & { readonly rule: Rule }>(
  type: PiiType,
  matches: readonly T[],
): readonly T[] {
  const wholes = matches.filter(({ rule }) => rule.type === type);
  if (wholes.length === 0) return matches;
  const ends = new Map(wholes.map(({ start, end }) => [start, end]));
  const starts = [...ends.keys()].sort((a, b) => a - b);
  return matches.filter(({ rule, start, end }) => {
    if (rule.type === type || !rule.numeric) return true;
    const before = starts[firstAfter(starts, start) - 1];
    return before === undefined || (ends.get(before) ?? 0) < end || (before === start && ends.get(before) === end);
  });
}

/** Index of the first of some sorted places that lies after a place. */
function firstAfter(sorted: readonly number[], place: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of overlapping findings of one type the one that begins first stays, the longest of those, the surest of those. */
function withoutRepeats(findings: Finding[]): Finding[] {
  const kept: Finding[] = [];
  const ends = new Map<string, number>();
  for (const finding of findings.sort((a, b) => a.start - b.start || b.end - a.end || b.score - a.score)) {
    if (finding.start < (ends.get(finding.type) ?? 0)) continue;
    ends.set(finding.type, finding.end);
    kept.push(finding);
  }
  return kept;
}

function byPlace(a: Finding, b: Finding): number {
  return a.start - b.start || a.end - b.end || compareCategories(b.category, a.category) || (a.type < b.type ? -1 : 1);
}
