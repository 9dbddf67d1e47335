/** What can stand on either side of an operator: a number, a number with a variable, a variable, a bracket, a function. */
const LEFT = '(?:(?:\\d[\\d.,]{0,30}|\\bpi)[a-z]?%?|\\b[a-z]|\\)|!)';
const FUNCTION = '(?:sin|cos|tan|sec|csc|cot|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|sqrt|abs)';
const RIGHT = `(?:[-(]{0,3}(?:\\d|\\bpi\\b|[a-z]\\b|${FUNCTION}\\b))`;

/** `2+2`, `x^2`, `3x + 1 = 7`: an operator between operands, one of which at least is a number or takes a power. */
const OPERATION = new RegExp(
  `${LEFT} ?(?:\\*\\*?|\\^|\\+|=) ?${RIGHT}|\\d\\)? [-/] \\(?\\d|\\d\\)? ?[-/] ?\\(?[xyz]\\b|\\b[xyz] ?[-/] ?\\d`,
);
const LETTERS_ONLY = /^[a-z] ?[+*=] ?[a-z]$/;

/** Nothing but numbers, operators and brackets, with an operator between two numbers. */
const ARITHMETIC = /^[-+(]*\d[\d.,\s+\-*/^()%!=]*$/;
const NUMBERS_JOINED = /[\d)%!] ?[-+*/^] ?[-(]{0,3}\d/;
const ASKED =
  /^(?:what is|what's|whats|how much is|calculate|compute|evaluate|solve|work out)\b[ :]*(?:the (?:value|result) of )?/;
/** Dates, phone numbers, "24/7", "9-5": joined numbers that nobody asks to reckon with, unless they ask. */
const NOT_RECKONED =
  /^(?:\d{4}-\d\d?-\d\d?|\d\d?[/-]\d\d?[/-]\d{2,4}|\d{3}-\d{4}|\d{3}-\d{3}-\d{4}|24\/7|9[/-]11|9-5|\d{4}-\d{4})$/;

const MATH_OBJECT = new RegExp(`\\d|\\b[xyzt]\\b|\\bdx\\b|\\b${FUNCTION}\\b|\\bequations?\\b|\\^|∫`);

const SHAPES: readonly RegExp[] = [
  /∫|√\s*\d|[Σ∑σ]\s*\(?\w/,
  /\bd\/d[xyzt]\b/,
  /\d ?%\s+(?:of|off)\b|\d percent of\b|\bwhat percent(?:age)? of\b/,
  /\d (?:plus|minus|times|multiplied by|divided by|modulo|mod|to the power of|raised to) (?:the )?-?\d/,
  /[\dxyz] (?:squared|cubed)\b/,
  /\b(?:square|cube|\d+(?:th|rd|nd)) root of\b/,
  /\b(?:factorial|gcd|lcm|sum|product|average|mean|median|difference|logarithm|log|remainder)\b(?: of)? (?:of |between )?\(?-?\d/,
  /\b(?:anti)?derivative of\b/,
  /\bintegral of\b/,
  new RegExp(`\\b${FUNCTION}\\(`),
  /\b\d+!/,
  /\bis \d+ (?:a )?prime\b|\bprime factors? of \d/,
  /\bprove (?:that )?.{0,60}\b(?:irrational|prime|primes|theorem|even|odd|triangle|equation|integer|infinitely|converges?)\b/,
];

/** Verbs that are mathematics only with something mathematical after them: "integrate our CRM" is not. */
const VERB_WITH_OBJECT =
  /^(?:integrate|differentiate|solve|simplify|expand|factori[sz]e|factor|evaluate|find|add|subtract|multiply|divide|graph)\b/;
const BY_VERB_ALONE = /^(?:calculate|compute)\b(?! (?:cluster|instance|engine|power|node|resource|cost of living))/;

/** Whether a query asks for a computation. Operators count between operands only. */
export function isMath(text: string): boolean {
  const asked = ASKED.test(text);
  const body = text.replace(ASKED, '').replace(/[ =]+$/, '');
  if (ARITHMETIC.test(body) && NUMBERS_JOINED.test(body)) return asked || !NOT_RECKONED.test(body);
  if (OPERATION.test(text) && !LETTERS_ONLY.test(body)) return true;
  if (SHAPES.some((shape) => shape.test(text))) return true;
  if (BY_VERB_ALONE.test(text)) return true;
  const verb = VERB_WITH_OBJECT.exec(text)?.[0];
  if (verb === undefined) return false;
  const object = text.slice(verb.length);
  if (verb === 'find' || verb === 'add' || verb === 'graph') {
    return /\b(?:derivative|integral|roots?|value of [xyz]|area of)\b|^ [xyz]\b|^ -?\d+(?:\.\d+)? (?:and|to|,) ?-?\d/.test(
      object,
    );
  }
  return MATH_OBJECT.test(object);
}
