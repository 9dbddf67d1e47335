/** How a claim says that its two sides stand to each other; `about` is an equality after rounding. */
export type Relation = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'about';

/** "12.5% of 80" and what somebody says it is. */
export interface AskedClaim {
  readonly what: string;
  readonly relation: Relation;
  readonly says: string;
}

const ASKS =
  /^(?:please\s+)?(?:verify|(?:double[- ]?|fact[- ]?)?check|confirm|true or false|is (?:it|this|that) (?:true|correct|right|so))\b[\s,:]*(?:that\s+|whether\s+|if\s+)?/i;
const MAX_LENGTH = 1000;

const SYMBOLS = /[!=<>≠≤≥≈]*[=<>≠≤≥≈]/g;
const RELATION_OF: Readonly<Record<string, Relation>> = {
  '=': '=',
  '==': '=',
  '===': '=',
  '!=': '!=',
  '!==': '!=',
  '≠': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '≤': '<=',
  '>': '>',
  '>=': '>=',
  '≥': '>=',
  '≈': 'about',
};
const SPOKEN: readonly (readonly [RegExp, Relation])[] = [
  [
    / (?:is|are) (?:not equal to|different from|unequal to) | (?:does not|doesn't) equal | (?:is|are)(?: not|n't) /i,
    '!=',
  ],
  [/ (?:is|are) (?:greater|more|larger|bigger|higher) than or equal to | (?:is|are) at least /i, '>='],
  [/ (?:is|are) (?:less|smaller|lower) than or equal to | (?:is|are) at most /i, '<='],
  [/ (?:is|are) (?:greater|more|larger|bigger|higher) than /i, '>'],
  [/ (?:is|are) (?:less|smaller|lower) than /i, '<'],
  [/ (?:is|are) (?:about|approximately|roughly|around) /i, 'about'],
  [/ (?:is|are)(?: equal to)? | equals? /i, '='],
];

/**
 * Takes "Verify that 12.5% of 80 is 10" apart. Null where the text is no such wish, or can be read in two ways: more
 * than one relation, or "3!=6", which is a factorial to some and an inequality to others.
 */
export function parseClaim(text: string): AskedClaim | null {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const asks = ASKS.exec(trimmed);
  if (!asks) return null;
  const claim = trimmed.slice(asks[0].length).replace(/[.?!\s]+$/, '');
  const signs = [...claim.matchAll(SYMBOLS)];
  const sign = signs.at(-1);
  if (sign === undefined) return spoken(claim);
  const before = claim.slice(0, sign.index);
  // "the solution of 2x = 8 is x = 4": the last sign belongs to what is said.
  if (/ (?:is|are) [a-z] *$/i.test(before)) return spoken(claim);
  if (signs.length > 1) return null;
  const says = claim.slice(sign.index + sign[0].length);
  const relation = RELATION_OF[sign[0]];
  if (relation === undefined || (sign[0].startsWith('!') && !/\s$/.test(before)) || / !\s+$/.test(before)) return null;
  return sides(before, relation, says);
}

function spoken(claim: string): AskedClaim | null {
  for (const [words, relation] of SPOKEN) {
    const found = [...claim.matchAll(new RegExp(words, 'gi'))].at(-1);
    if (found === undefined) continue;
    return sides(claim.slice(0, found.index), relation, claim.slice(found.index + found[0].length));
  }
  return null;
}

function sides(what: string, relation: Relation, says: string): AskedClaim | null {
  const [left, right] = [what.trim(), says.trim()];
  const hedged = /^(?:about|approximately|roughly) /i.exec(right);
  if (left === '' || right === '') return null;
  return hedged !== null && relation === '='
    ? { what: left, relation: 'about', says: right.slice(hedged[0].length) }
    : { what: left, relation, says: right };
}

const HOLDS: Readonly<Record<Relation, string>> = {
  '=': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is greater than',
  '>=': 'is at least',
  about: 'is about',
};
const FAILS: Readonly<Record<Relation, string>> = {
  '=': 'is not',
  '!=': 'is',
  '<': 'is not less than',
  '<=': 'is greater than',
  '>': 'is not greater than',
  '>=': 'is less than',
  about: 'is not about',
};

/** The answer to a claim: "Yes, 2+2 is not 5.", "No, 12.5% of 80 is not 11." */
export function claimAnswer({ what, relation, says }: AskedClaim, holds: boolean): string {
  return holds ? `Yes, ${what} ${HOLDS[relation]} ${says}.` : `No, ${what} ${FAILS[relation]} ${says}.`;
}
