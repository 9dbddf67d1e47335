import type { DigitGroups } from '../digit-groups.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { isAmount } from './digit-identifier.js';
import type { NumberingPlans, PhoneNumber } from './phone-plans.js';
import { PHONE_WORDS } from './phone-words.js';

const MIN_DIGITS = 7;
/** With the trunk prefix, of the regions below. */
const MIN_NATIONAL = 9;
/** Separated, after a trunk zero: 089 2180-0. */
const MIN_WITH_ZERO = 8;
/** E.164. */
const MAX_DIGITS = 15;

/** Regions whose national numbers count near a context word, with how such a number begins there. */
const NEAR_A_WORD: readonly (readonly [string, RegExp])[] = [
  ['US', /^1?[2-9]/],
  ['GB', /^0/],
  ['DE', /^0/],
  ['FR', /^0/],
  ['IT', /^(?:0|3\d{8,9}$)/],
  ['ES', /^[6-9]\d{8}$/],
  ['AT', /^0/],
  ['CH', /^0/],
  ['NL', /^0/],
  ['BE', /^0/],
  ['IE', /^0/],
  ['AU', /^0/],
  ['IN', /^0?[6-9]\d{9}$/],
];

/** Numbers set aside for stories: 555-0100 to 555-0199 in every area of the North American plan. */
function isFictional({ callingCode, national }: PhoneNumber): boolean {
  return callingCode === '1' && national.slice(3, 8) === '55501';
}

export function phoneRules(plans: NumberingPlans): readonly Rule[] {
  return [international(plans), national(plans), nearAWord(plans)];
}

function rule(id: string, find: (scan: Scan) => Iterable<Match>): Rule {
  return { id, type: 'phone', category: CATEGORY_OF.phone, numeric: true, leastDigits: MIN_DIGITS, find };
}

/** A plus, then the longest run of joined groups that is a number; `00` or `011` where the writing is separated. */
function international(plans: NumberingPlans): Rule {
  return rule('phone.international', function* ({ groups }) {
    for (let first = 0; first < groups.count; first++) {
      const plus = plusBefore(groups, first);
      const exit = plus === undefined ? exitCode(groups, first) : '';
      if (exit === undefined) continue;
      const last = longest(groups, first, exit.length, (digits) => {
        const number = plans.international(digits.slice(exit.length));
        return number !== undefined && !isFictional(number);
      });
      if (last === undefined || (plus === undefined && last === first)) continue;
      yield { start: plus ?? groups.start(first), end: withExtension(groups.text, groups.end(last)), score: 0.95 };
      first = last;
    }
  });
}

/** `00` or `011` at the beginning of a group that goes on in another. */
function exitCode(groups: DigitGroups, group: number): string | undefined {
  if (groups.text.charAt(groups.start(group)) !== '0' || groups.size(group) < 2) return undefined;
  if (groups.joint(group) === undefined || groups.tight(group - 1)) return undefined;
  if (/\p{L}/u.test(groups.text.charAt(groups.start(group) - 1))) return undefined;
  return /^(?:00|011)/.exec(groups.digits(group, group))?.[0];
}

/** The place of a plus that belongs to a group: before it, or before its bracket; not that of an addition. */
function plusBefore(groups: DigitGroups, group: number): number | undefined {
  const { text } = groups;
  const start = groups.start(group);
  let at = start - 1;
  while (at >= start - 2 && (text.charAt(at) === ' ' || text.charAt(at) === '(')) at--;
  if (text.charAt(at) !== '+') return undefined;
  const before = text.charAt(at - 1);
  if (/[0-9A-Za-z)]/.test(before)) return undefined;
  const addition = text.charAt(at + 1) === ' ' && before === ' ' && /[0-9)]/.test(text.charAt(at - 2));
  return addition ? undefined : at;
}

/** The last group of the longest window from `first` whose digits pass; a group is never cut. */
function longest(
  groups: DigitGroups,
  first: number,
  extra: number,
  passes: (digits: string) => boolean,
): number | undefined {
  let found: number | undefined;
  for (const last of groups.windows(first, MIN_DIGITS + extra, MAX_DIGITS + extra)) {
    if (passes(groups.digits(first, last)) || passes(withoutBracketedZero(groups, first, last))) found = last;
  }
  return found;
}

/** `+44 (0)20 ...`: the zero is dialled within the country only. */
function withoutBracketedZero(groups: DigitGroups, first: number, last: number): string {
  const zero = first + 1;
  const digits = groups.digits(first, last);
  if (zero > last || groups.digits(zero, zero) !== '0' || !groups.joint(first)?.includes('(')) return digits;
  return groups.digits(first, first) + groups.digits(zero + 1, last);
}

/** The usual separated writing of the configured regions: (415) 555-2671, 1-415-555-2671; elsewhere with its trunk zero. */
function national(plans: NumberingPlans): Rule {
  return rule('phone.national', function* (scan) {
    const { groups, regions } = scan;
    for (let first = 0; first < groups.count; first++) {
      let last = -1;
      for (const region of regions) last = Math.max(last, separated(groups, plans, region, first) ?? -1);
      if (last < 0) continue;
      const match: Match = { start: withBracket(groups, first), end: groups.end(last), score: 0.85, basis: 'form' };
      if (!isSpacedAmount(scan, match)) yield { ...match, end: withExtension(groups.text, match.end) };
      first = last;
    }
  });
}

/** `ext. 5`: the digits that are dialled once the number has answered. */
const EXTENSION = /^,? ?(?:ext(?:ension|n)?|x|durchwahl)\.? ?\d{1,6}(?![\p{L}\p{N}])/iu;

function withExtension(text: string, end: number): number {
  return end + (EXTENSION.exec(text.slice(end, end + 24))?.[0].length ?? 0);
}

/** `415 867 2290 ns`: digits between spaces, and what they count. */
function isSpacedAmount(scan: Scan, { start, end }: Match): boolean {
  return /^[\d ]+$/.test(scan.text.slice(start, end)) && isAmount(scan, start, end);
}

function separated(groups: DigitGroups, plans: NumberingPlans, region: string, first: number): number | undefined {
  if (groups.tight(first - 1)) return undefined;
  if (region === 'US' || region === 'CA') return northAmerican(groups, plans, region, first);
  if (groups.text.charAt(groups.start(first)) !== '0' || groups.joint(first) === undefined) return undefined;
  const last = longest(groups, first, 0, (digits) => plans.national(region, digits) !== undefined);
  return last === undefined || last === first || groups.tight(last) ? undefined : last;
}

/** What asks for a difference. */
const CALCULATES = /(?:what is|what's|calculate|compute|evaluate|[=+*/^(]) ?$/i;

/** 3-3-4, or 3-7 after a bracketed area, with or without the leading 1. */
function northAmerican(groups: DigitGroups, plans: NumberingPlans, region: string, first: number): number | undefined {
  const one =
    groups.size(first) === 1 && groups.text.charAt(groups.start(first)) === '1' && groups.joint(first) !== undefined;
  const area = one ? first + 1 : first;
  if (groups.size(area) !== 3 || groups.joint(area) === undefined) return undefined;
  const bracketed = groups.text.charAt(groups.start(area) - 1) === '(';
  const short = bracketed && groups.size(area + 1) === 7;
  const last = short ? area + 1 : area + 2;
  if (!short && (groups.size(area + 1) !== 3 || groups.size(last) !== 4 || groups.joint(area + 1) === undefined))
    return undefined;
  const number = plans.national(region, groups.digits(area, last));
  if (!number || isFictional(number) || groups.tight(last)) return undefined;
  const spaced = groups.joint(area) === ' ' && groups.joint(last - 1) === ' ' && !bracketed;
  if (
    groups.joint(area) === ' - ' &&
    CALCULATES.test(groups.text.slice(Math.max(0, groups.start(area) - 12), groups.start(area)))
  )
    return undefined;
  const inARow = spaced && (groups.joint(first - 1) === ' ' || groups.joint(last) === ' ');
  return inARow ? undefined : last;
}

/** Near a word that says so: bare digits, other regions' national numbers, and a calling code without its plus. */
function nearAWord(plans: NumberingPlans): Rule {
  return rule('phone.context', function* (scan) {
    const { groups } = scan;
    if (!scan.everSpeaksOf(PHONE_WORDS)) return;
    for (let first = 0; first < groups.count; first++) {
      if (groups.size(first) > MAX_DIGITS || groups.tight(first - 1)) continue;
      const least =
        groups.text.charAt(groups.start(first)) === '0' && groups.size(first) < 6 ? MIN_WITH_ZERO : MIN_NATIONAL;
      const candidates = groups.windows(first, least, MAX_DIGITS).filter((last) => !groups.tight(last));
      for (const last of candidates.reverse()) {
        const match: Match = { start: withBracket(groups, first), end: groups.end(last), score: 0.75, basis: 'word' };
        if (!scan.speaksOf(PHONE_WORDS, match.start, match.end)) continue;
        const number = anyRegion(plans, scan.regions, groups.digits(first, last));
        if (!number) continue;
        if (!isFictional(number)) yield { ...match, end: withExtension(groups.text, match.end) };
        first = last;
        break;
      }
    }
  });
}

function anyRegion(plans: NumberingPlans, regions: readonly string[], digits: string): PhoneNumber | undefined {
  for (const region of regions) {
    const number = plans.national(region, digits);
    if (number) return number;
  }
  for (const [region, beginning] of NEAR_A_WORD) {
    const number = beginning.test(digits) ? plans.national(region, digits) : undefined;
    if (number) return number;
  }
  const dialled = digits.replace(/^00/, '');
  return dialled.length > 10 ? plans.international(dialled) : undefined;
}

function withBracket(groups: DigitGroups, first: number): number {
  const start = groups.start(first);
  return groups.text.charAt(start - 1) === '(' ? start - 1 : start;
}
