import { fieldWords } from '../context-words.js';
import type { DigitGroups } from '../digit-groups.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { isPiece } from './digit-identifier.js';

const WORDS = fieldWords(
  's\\.?s\\.?n\\.?s?',
  'social[ _-]?sec(?:urity)?',
  'soc\\.? ?sec',
  '(?:my|his|her|your|their|the) social(?= (?:is|was|no|number)(?![a-z])|:)',
  'taxpayer',
  'tax ?id',
  'sozialversicherung[a-z]{0,12}',
  'seguro social',
  'seguridad social',
  's[eé]curit[eé] sociale',
  'sicurezza sociale',
  'previdenza sociale',
);

/** 3-2-4 digits with separators of any usual kind, also mixed: always. */
const separated: Rule = {
  id: 'us_ssn.separated',
  type: 'us_ssn',
  category: CATEGORY_OF.us_ssn,
  numeric: true,
  leastDigits: 9,
  *find(scan) {
    const { groups } = scan;
    for (let first = 0; first + 2 < groups.count; first++) {
      if (groups.size(first) !== 3 || groups.size(first + 1) !== 2 || groups.size(first + 2) !== 4) continue;
      const joints = [groups.joint(first), groups.joint(first + 1)];
      if (joints.some((joint) => joint === undefined || /[()]/.test(joint))) continue;
      const match = window(groups, first, first + 2, 0.95);
      if (!isSsn(groups.digits(first, first + 2))) continue;
      const known = (): boolean => scan.speaksOf(WORDS, match.start, match.end);
      if ((standsAlone(scan, first, first + 2) && !isSum(scan, match) && !isNumbered(scan, match)) || known())
        yield match;
    }
  },
};

/** Nine digits, bare or grouped in any way: only near a word that says what they are. */
const bare: Rule = {
  id: 'us_ssn.context',
  type: 'us_ssn',
  category: CATEGORY_OF.us_ssn,
  numeric: true,
  leastDigits: 9,
  *find(scan) {
    const { groups } = scan;
    if (!scan.everSpeaksOf(WORDS)) return;
    for (let first = 0; first < groups.count; first++) {
      if (groups.size(first) > 9 || groups.tight(first - 1)) continue;
      for (const last of groups.windows(first, 9, 9)) {
        const match: Match = { ...window(groups, first, last, 0.85), basis: 'word' };
        if (groups.tight(last) || isPiece(groups, first, last) || !isSsn(groups.digits(first, last))) continue;
        if (scan.speaksOf(WORDS, match.start, match.end)) yield match;
      }
    }
  },
};

/** `1 2 3 - 4 5 - 6 7 8 9`: digits one by one, and two other separators where those of the number stand. */
const spelledOut: Rule = {
  id: 'us_ssn.digits',
  type: 'us_ssn',
  category: CATEGORY_OF.us_ssn,
  numeric: true,
  leastDigits: 9,
  *find({ groups }) {
    let singles = 0;
    for (let last = 0; last < groups.count; last++) {
      const isSingle = groups.size(last) === 1;
      singles = isSingle ? (groups.joint(last - 1) === undefined ? 1 : singles + 1) : 0;
      const first = last - 8;
      if (singles !== 9 || (groups.joint(last) !== undefined && groups.size(last + 1) === 1)) continue;
      const joints = Array.from({ length: 8 }, (_, i) => groups.joint(first + i));
      const [area, group] = [joints[2], joints[4]];
      const within = joints.filter((_, i) => i !== 2 && i !== 4);
      const torn = area === group && area !== within[0] && within.every((joint) => joint === within[0]);
      if (torn && isSsn(groups.digits(first, last))) yield window(groups, first, last, 0.85);
    }
  },
};

export const US_SSN_RULES = [separated, bare, spelledOut];

/** By structure: area not 000, 666 or 9xx, group not 00, serial not 0000. Sample numbers count. */
function isSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}

/** No further digits hang on it, and no code goes on in letters; in a row of numbers between spaces, none stand beside it either. */
function standsAlone({ groups, text }: Scan, first: number, last: number): boolean {
  if (/^(?:-\p{L}|\.\p{L}(?!\p{L}))/u.test(text.slice(groups.end(last), groups.end(last) + 3))) return false;
  const spaced = groups.joint(first) === ' ' && groups.joint(last - 1) === ' ';
  const beside = (group: number): boolean =>
    groups.tight(group) || (spaced && groups.joint(group) !== undefined && groups.joint(group)?.trim() === '');
  return !beside(first - 1) && !beside(last);
}

/** `482/05/2024`: the number of a paper in a month of a year. */
function isNumbered({ text }: Scan, { start, end }: Match): boolean {
  return /^\d{3}\/(?:0[1-9]|1[0-2])\/(?:19|20)\d\d$/.test(text.slice(start, end));
}

/** `219-09-4312+1`, `123 - 45 - 6789` where the text around it calculates. */
function isSum({ text }: Scan, { start, end }: Match): boolean {
  if (/^ ?[+*^=] ?\d/.test(text.slice(end, end + 3))) return true;
  if (!text.slice(start, end).includes(' - ')) return false;
  const before = text.slice(Math.max(0, start - 12), start);
  return /[=+*/^(] ?$|(?:calculate|compute|evaluate) $/i.test(before) || /^ ?[=+*/^)]/.test(text.slice(end, end + 2));
}

function window(groups: DigitGroups, first: number, last: number, score: number): Match {
  return { start: groups.start(first), end: groups.end(last), score };
}
