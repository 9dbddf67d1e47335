const UNITS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const SMALL: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i): [string, number] => [word, i]),
  ...TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

const SCALED = new RegExp(
  `(?<![\\d.,])(\\d[\\d,]*)(?:\\.(\\d+))? (hundred|${[...SCALES.keys()].join('|')})\\b(?! (?:and )?[\\da-z]*(?:hundred|thousand|million|billion)\\b)`,
  'g',
);

/** "2.5 million" in place: 2500000. */
function scaledNumerals(text: string): string {
  return text.replace(SCALED, (_, whole: string, fraction: string | undefined, scale: string) => {
    const zeros = Math.log10(SCALES.get(scale) ?? 100);
    const shifted = (fraction ?? '').slice(0, zeros).padEnd(zeros, '0');
    const rest = (fraction ?? '').slice(zeros);
    const digits = `${whole.replaceAll(',', '')}${shifted}`.replace(/^0+(?=\d)/, '');
    return rest === '' ? digits : `${digits}.${rest}`;
  });
}

/** "twenty-one thousand three hundred and five" in place: 21305, and "2.5 million": 2500000. Words that are no number stay. */
export function numberWords(text: string): string {
  const word = `(?:${[...SMALL.keys(), 'hundred', ...SCALES.keys()].join('|')})`;
  const phrase = new RegExp(`\\b${word}(?:(?:-| and | )${word})*\\b`, 'g');
  return scaledNumerals(text).replace(phrase, (found) => {
    const value = readNumber(found.split(/[- ]/));
    return value === null ? found : String(value);
  });
}

/** Null where the words do not make one number ("two three", "five and six"). */
function readNumber(words: readonly string[]): number | null {
  let total = 0;
  let group = 0;
  let lastScale = Infinity;
  let open = 100;
  for (const [i, word] of words.entries()) {
    const small = SMALL.get(word);
    const scale = SCALES.get(word);
    if (word === 'and') {
      if (words[i - 1] !== 'hundred' && !SCALES.has(words[i - 1] ?? '')) return null;
    } else if (small !== undefined) {
      if (small >= open || (open === 10 && small === 0) || (open < 100 && small === 0)) return null;
      group += small;
      open = small >= 20 ? 10 : 0;
    } else if (word === 'hundred') {
      if (group < 1 || group > 9) return null;
      group *= 100;
      open = 100;
    } else if (scale !== undefined) {
      if (group === 0 || scale >= lastScale) return null;
      total += group * scale;
      group = 0;
      lastScale = scale;
      open = 100;
    }
  }
  return total + group;
}

const NUMERAL = '(\\d[\\d,]*(?:\\.\\d+)?)';
const PERCENT = '(\\d[\\d,]*(?:\\.\\d+)?) ?(?:%|per ?cent)';
const sentence = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

/** Whole sentences, read before the words within them. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [sentence(`add ${PERCENT} to ${NUMERAL}`), '(100 + $1)% of $2'],
  [sentence(`(?:subtract|take) ${PERCENT} (?:from|off) ${NUMERAL}`), '(100 - $1)% of $2'],
  [sentence(`${PERCENT} (?:more|greater|higher) than ${NUMERAL}`), '(100 + $1)% of $2'],
  [sentence(`${PERCENT} (?:less|lower|smaller) than ${NUMERAL}`), '(100 - $1)% of $2'],
  [sentence(`${PERCENT} off ${NUMERAL}`), '(100 - $1)% of $2'],
  [sentence(`${NUMERAL} increased by ${PERCENT}`), '(100 + $2)% of $1'],
  [sentence(`${NUMERAL} (?:decreased|reduced) by ${PERCENT}`), '(100 - $2)% of $1'],
  [sentence(`${NUMERAL} more than ${NUMERAL}`), '$2 + $1'],
  [sentence(`${NUMERAL} less than ${NUMERAL}`), '$2 - $1'],
  [/^add ([^,]+) (?:and|to) ([^,]+)$/, '($1) + ($2)'],
  [/^add (?:up )?(.+,.+)$/, 'sum of $1'],
  [/^(?:subtract|take) ([^,]+) (?:from|away from) ([^,]+)$/, '($2) - ($1)'],
  [/^multiply ([^,]+) (?:by|and|with) ([^,]+)$/, '($1) * ($2)'],
  [/^divide ([^,]+) by ([^,]+)$/, '($1) / ($2)'],
];

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\blog_(\d+) ?\(/g, 'logbase_$1_of ('],
  [/\blog_(\d+) (?:of )?/g, 'logbase_$1_of '],
  [/\b(?:the )?(?:natural )?log(?:arithm)? base (\d+) of /g, 'logbase_$1_of '],
  [/\b(?:the )?natural log(?:arithm)? of /g, 'ln '],
  [/\b(?:the )?log(?:arithm)? of /g, 'log '],
  [/\b(?:the )?(?:square root|sqrt) (?:of )?/g, 'sqrt '],
  [/\b(?:the )?(?:cube root|cubic root|cbrt) (?:of )?/g, 'cbrt '],
  [/\b(?:the )?(sine|cosine|tangent) of /g, '$1 '],
  [/\bsine\b/g, 'sin'],
  [/\bcosine\b/g, 'cos'],
  [/\btangent\b/g, 'tan'],
  [/\b(?:the )?absolute value of /g, 'abs '],
  [/\b(\d+) factorial\b/g, '$1!'],
  [/\b(?:the )?factorial of /g, 'factorial '],
  [/\b(?:a |one )?half of\b/g, '(1/2) of'],
  [/\b(?:a |one )?third of\b/g, '(1/3) of'],
  [/\b(?:a |one )?quarter of\b/g, '(1/4) of'],
  [/\b(?:two|2) thirds of\b/g, '(2/3) of'],
  [/\b(?:three|3) quarters of\b/g, '(3/4) of'],
  [/\b(?:twice|double) /g, '2 * '],
  [/\btriple /g, '3 * '],
  [/\bto the power (?:of )?/g, '^'],
  [/\braised to (?:the power (?:of )?)?/g, '^'],
  [/\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b/g, '^$1'],
  [/\bsquared\b/g, '^2'],
  [/\bcubed\b/g, '^3'],
  [/\bper ?cent\b/g, '%'],
  [/\bmultiplied by\b/g, '*'],
  [/\bdivided by\b/g, '/'],
  [/\btimes\b/g, '*'],
  [/\bplus\b/g, '+'],
  [/\bminus\b/g, '-'],
  [/\bover\b/g, '/'],
  [/\bmodulo\b|\bmodulus\b/g, 'mod'],
];

const LISTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:the )?sum of (.+)$/, 'sum'],
  [/^(?:the )?product of (.+)$/, 'product'],
  [/^(?:the )?(?:average|mean) of (.+)$/, 'average'],
  [/^(?:the )?(?:greatest common divisor|greatest common factor|gcd|gcf|hcf) of (.+)$/, 'gcd'],
  [/^(?:the )?(?:least common multiple|lowest common multiple|lcm) of (.+)$/, 'lcm'],
  [/^(?:the )?(?:largest|maximum|max) of (.+)$/, 'max'],
  [/^(?:the )?(?:smallest|minimum|min) of (.+)$/, 'min'],
];

/** Spoken operators to signs: "20 plus 22" to "20 + 22". Takes plain text (see `plainText`). */
export function spokenOperators(text: string): string {
  let formula = numberWords(text);
  for (const [pattern, sign] of SENTENCES) {
    if (!pattern.test(formula)) continue;
    formula = formula.replace(pattern, sign);
    break;
  }
  for (const [pattern, sign] of PHRASES) formula = formula.replace(pattern, sign);
  formula = formula.replace(/logbase_(\d+)_of (\d+(?:\.\d+)?|\([^()]*\)|[a-z](?![a-z]))/g, 'logbase($1, $2)');
  return formula.trim();
}

/**
 * "average of 4, 8 and 15" as "average(4, 8, 15)"; text without a list comes back unchanged, null where commas
 * can be read in two ways ("sum of 1,200").
 */
export function spokenList(text: string): string | null {
  for (const [pattern, fn] of LISTS) {
    const members = pattern.exec(text)?.[1];
    if (members === undefined) continue;
    const parted = members.replace(/,? and /g, ', ');
    if (/\d,\d{3}(?!\d)/.test(parted) && !parted.includes(', ')) return null;
    const spaced = parted.includes(', ') ? parted.replace(/(\d),(?=\d{3}(?!\d))/g, '$1') : parted;
    return spaced.includes(',') ? `${fn}(${spaced})` : text;
  }
  return text;
}
