import { fold } from './fold.js';
import { Noise } from './noise.js';
import { compareCategories, type Finding } from './pii-types.js';
import { EMAIL_RULES } from './rules/email.js';
import { PAYMENT_CARD_RULES } from './rules/payment-card.js';
import type { NumberingPlans } from './rules/phone-plans.js';
import { phoneRules } from './rules/phone.js';
import { US_SSN_RULES } from './rules/us-ssn.js';
import { Scan, type DetectOptions, type Rule } from './scan.js';

/** Version of the rule set: raised by any change in what is found. Recorded with each finding's event. */
export const DETECTOR_VERSION = 2;

export type Detect = (text: string, options?: DetectOptions) => Finding[];

/**
 * A detector of personal data over these numbering plans (spec/privacy.md, "Detection"). Deterministic, and linear in
 * the text. Findings come sorted by start, then end, then type; those of one type do not overlap.
 */
export function createDetector(plans: NumberingPlans): Detect {
  const rules: readonly Rule[] = [...US_SSN_RULES, ...PAYMENT_CARD_RULES, ...EMAIL_RULES, ...phoneRules(plans)];
  return (text, options) => findAll(rules, text, options);
}

function findAll(rules: readonly Rule[], text: string, options?: DetectOptions): Finding[] {
  const folded = fold(text);
  const scan = new Scan(folded, options);
  let noise: Noise | undefined;
  const findings: Finding[] = [];
  for (const rule of rules) {
    if (rule.numeric && !folded.hasDigit) continue;
    for (const match of rule.find(scan)) {
      if (rule.numeric && (noise ??= new Noise(folded.text)).holds(match.start, match.end)) continue;
      const [start, end] = folded.span(match.start, match.end);
      findings.push({ type: rule.type, category: rule.category, start, end, score: match.score, rule: rule.id });
    }
  }
  return withoutRepeats(findings).sort(byPlace);
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
