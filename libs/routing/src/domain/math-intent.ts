const NUMBER_WORD =
  '(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)';
/** A number in digits or words, as it stands beside an operator in words. */
const NUMBER = `(?:[-(]{0,3}\\.?\\d[\\d.,/]{0,30}\\)?|\\b${NUMBER_WORD}\\b)`;

/** What can stand on either side of an operator: a number, a number with a variable, a variable, a bracket, a function. */
const LEFT = '(?:(?:\\d[\\d.,]{0,30}|\\bpi)[a-z]?%?|\\b[a-z]|\\)|!)';
const FUNCTION =
  '(?:sin|cos|tan|sec|csc|cot|asin|acos|atan|arcsin|arccos|arctan|sinh|cosh|tanh|log|log2|log10|ln|exp|sqrt|cbrt|abs)';
const RIGHT = `(?:[-(]{0,3}(?:\\.?\\d|\\bpi\\b|[a-z]\\b|${FUNCTION}\\b))`;

/** `2+2`, `x^2`, `3x + 1 = 7`: an operator between operands, one of which at least is a number or takes a power. */
const OPERATION = new RegExp(
  `${LEFT} ?(?:\\*\\*?|\\^|\\+|=) ?${RIGHT}|\\d\\)? [-/] \\(?\\d|\\d\\)? ?[-/] ?\\(?[xyz]\\b|\\b[xyz] ?[-/] ?\\d`,
);
const LETTERS_ONLY = /^[a-z] ?[+*=] ?[a-z]$/;
/** What stands in an address is no operator. */
const ADDRESS = /\b(?:[a-z]{2,10}:\/\/|www\.)\S{0,8000}/g;

/** Nothing but numbers, operators and brackets, with an operator between two numbers. */
const ARITHMETIC = /^[-+(]*\.?\d[\d.,\s+\-*/^()%!=x]*$/;
const NUMBERS_JOINED = /[\d)%!] ?[-+*/^] ?[-(]{0,3}\.?\d|\d % \d|[\d)] x [(\d]|\d\(\d|\)\(/;
/** `--5`, `(-3)!`: signs or a mark on one number. */
const SIGNED = /^(?:-[-(]{1,3}\d[\d.]{0,30}\){0,3}|\(-?\d[\d.]{0,30}\)!)$/;

/** Verbs of reckoning: whatever numbers follow are to be reckoned with. */
const RECKON =
  /^(?:how much is|calculate|compute|evaluate|solve|work out|simplify)\b[ :]*(?:the (?:value|result) of )?/;
const WHAT_IS = /^(?:what is|what's)\b[ :]*(?:the (?:value|result) of )?/;
/**
 * Dates, spans of years, telephone numbers and names made of numbers. "what is 9/11" asks for the name; only a verb of
 * reckoning or spaces around the sign ("9 / 11") make it a sum.
 */
const NAMES =
  /^(?:\d{4}[-/]\d\d?[-/]\d\d?|\d\d?[-/]\d\d?[-/](?:\d{4}|\d\d)|\d{3}-\d{4}|\d{3}-\d{3}-\d{4}|24\/7|9\/11|7\/11|20\/20|9-5|[12]\d{3}[-/](?:[12]\d{3}|\d\d))$/;
/** Two numbers with one bare stroke may be a date, and nobody asked: "12/25", "3/4". */
const MAY_BE_DATE = /^(?:(?:0?[1-9]|1[0-2])\/(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])\/(?:0?[1-9]|1[0-2]))$/;
const SHARES = /^(\d\d)[/-](\d\d)$/;

const MATH_OBJECT = new RegExp(
  `\\d|\\b[xyzt]\\b|\\bdx\\b|\\b${FUNCTION}\\b|\\bequations?\\b|\\^|∫|\\b${NUMBER_WORD}\\b`,
);
const BETWEEN = '(?:plus|minus|times|multiplied by|divided by|over|modulo|mod|to the power of|raised to)';

/** Shapes that hold a digit: looked for only where there is one. */
const SHAPES_WITH_DIGIT: readonly RegExp[] = [
  /\d ?%\s+(?:of|off)\b|\d percent of\b/,
  /\d ?(?:%|percent) (?:more|less|greater|fewer|higher|lower|bigger|smaller) than \d|\b(?:increase|decrease|raise|reduce) \d[\d.,]{0,30} by \d/,
  /\d x \d|\d % \d|\b\d+!|\(-?\d[\d.]{0,30}\)!/,
  /\d (?:squared|cubed|factorial)\b|\d to the \d{1,9}(?:st|nd|rd|th)\b/,
  /\b(?:square|cube) of -?\d|\b(?:half|third|quarter|double|twice|triple) (?:of )?\d/,
  /\b(?:factorial|gcd|lcm|sum|product|average|mean|median|difference|logarithm|log|remainder)\b(?: of)? (?:of |between )?\(?-?\d/,
  /\blog(?:arithm)? (?:to )?(?:the )?base \d|\b(?:sqrt|cbrt) \d/,
  /\bis \d+ (?:a )?(?:prime|divisible|even|odd|a perfect)\b|\bprime factors? of \d/,
  /^convert \d[\d./ ]{0,30} (?:in)?to (?:a |an )?(?:decimals?|fractions?|percent(?:ages?)?)\b/,
];
const SHAPES: readonly RegExp[] = [
  /∫|√\s*\d|[Σ∑σ]\s*\(?\w|\bd\/d[xyzt]\b|\b[xyz] (?:squared|cubed)\b/,
  new RegExp(`${NUMBER} (?:${BETWEEN}|[-+*/]) (?:the )?${NUMBER}`),
  /\b(?:(?:square|cube|\d+(?:th|rd|nd)) root|(?:anti)?derivative|integral|what percent(?:age)?) of\b|\blog base e\b/,
  new RegExp(`\\b${FUNCTION}\\(`),
  /\bprove (?:that )?.{0,60}\b(?:irrational|prime|primes|theorem|even|odd|triangle|equation|integer|infinitely|converges?)\b/,
];

/** Verbs that are mathematics only with something mathematical after them: "integrate our CRM" is not. */
const VERB_WITH_OBJECT =
  /^(?:integrate|differentiate|solve|simplify|expand|factori[sz]e|factor|evaluate|find|add|subtract|multiply|divide|graph)\b/;
const BY_VERB_ALONE = /^(?:calculate|compute)\b(?! (?:cluster|instance|engine|power|node|resource|cost of living))/;
const FOUND =
  /\b(?:derivative|integral|roots?|value of [xyz]|area of)\b|^ [xyz]\b|^ -?\.?\d[\d./]{0,30}(?:,| and| to) ?-?\.?\d/;

/** Whether a query asks for a computation. Operators count between operands only. */
export function isMath(query: string): boolean {
  const text = query.includes('://') || query.includes('www.') ? query.replace(ADDRESS, ' ') : query;
  const reckon = RECKON.test(text) || text.endsWith('=');
  const what = WHAT_IS.test(text);
  const body = text
    .replace(RECKON, '')
    .replace(WHAT_IS, '')
    .replace(/(?<![ =])[ =]{1,50}$/, '');
  if (!reckon && isName(body, what)) return false;
  if ((ARITHMETIC.test(body) && NUMBERS_JOINED.test(body)) || SIGNED.test(body)) return true;
  if (OPERATION.test(text) && !LETTERS_ONLY.test(body)) return true;
  if (SHAPES.some((shape) => shape.test(text))) return true;
  if (/\d/.test(text) && SHAPES_WITH_DIGIT.some((shape) => shape.test(text))) return true;
  if (BY_VERB_ALONE.test(text)) return true;
  const verb = VERB_WITH_OBJECT.exec(text)?.[0];
  if (verb === undefined) return false;
  const object = text.slice(verb.length);
  return verb === 'find' || verb === 'add' || verb === 'graph' ? FOUND.test(object) : MATH_OBJECT.test(object);
}

/** Whether joined numbers are a date, a name or shares of a hundred ("50/50") and not a sum. */
function isName(body: string, asked: boolean): boolean {
  if (NAMES.test(body) || (!asked && MAY_BE_DATE.test(body))) return true;
  const shares = SHARES.exec(body);
  return shares !== null && Number(shares[1]) + Number(shares[2]) === 100;
}
