import { MATH_LIMITS, MathRefusal, MathSyntax } from './limits.js';

/** `gap`: a blank stands before it. */
export type Token =
  | { readonly kind: 'number'; readonly text: string; readonly gap: boolean }
  | { readonly kind: 'word'; readonly text: string; readonly gap: boolean; readonly spaced: boolean }
  | { readonly kind: 'symbol'; readonly text: string; readonly gap: boolean };

const SYMBOLS = '+-*/^()!%,=|°';
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[×·⋅∙∗✕]/g, '*'],
  [/[÷∕⁄]/g, '/'],
  [/[−–—‒]/g, '-'],
  [/∛/g, ' cbrt '],
  [/√/g, ' sqrt '],
  [/π/g, ' pi '],
  [/∫/g, ' integral '],
  [/∞/g, ' infinity '],
  [/→/g, '->'],
  // "2½" is a mixed number; behind anything else that ends in a digit the sign stays, and no formula holds it.
  [/(?<![\d.,])(\d+) ?½/g, '($1+1/2)'],
  [/(?<![\d.,])(\d+) ?¼/g, '($1+1/4)'],
  [/(?<![\d.,])(\d+) ?¾/g, '($1+3/4)'],
  [/(?<!\d ?)½/g, '(1/2)'],
  [/(?<!\d ?)¼/g, '(1/4)'],
  [/(?<!\d ?)¾/g, '(3/4)'],
  [/[“”„]/g, '"'],
  [/[‘’]/g, "'"],
  [/[\u00a0\u2009\u202f]/g, ' '],
  [/⁻(?=[⁰¹²³⁴⁵⁶⁷⁸⁹])/g, '^-'],
];

/** Typographic operators to plain ones, everything in lower case, blanks collapsed. */
export function plainText(text: string): string {
  let plain = text;
  for (const [pattern, replacement] of REPLACEMENTS) plain = plain.replace(pattern, replacement);
  plain = plain.replace(/(\^-)?([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (_, minus: string | undefined, digits: string) => {
    const value = [...digits].map((d) => String(SUPERSCRIPTS.indexOf(d))).join('');
    return minus === undefined ? `^${value}` : `^(-${value})`;
  });
  return plain.toLowerCase().replace(/\s+/g, ' ').trim();
}

const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+(?![a-z\d.]))?/y;
const THOUSANDS = /\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d.,]*\d)/y;
const WORD = /log(?:10|2)(?!\d)|[a-z]+/y;

/**
 * Tokens of plain text. "1,234.5" is one number outside a function's brackets; inside them a comma parts arguments.
 * Throws MathSyntax on anything that no formula holds, MathRefusal above the token limit.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const calls: boolean[] = [];
  for (let at = 0; at < text.length;) {
    const c = text[at] as string;
    if (c === ' ') {
      at += 1;
      continue;
    }
    if (tokens.length >= MATH_LIMITS.tokens)
      throw new MathRefusal(`the formula has more than ${MATH_LIMITS.tokens} parts`);
    const inCall = calls.at(-1) === true;
    const token = number(text, at, inCall) ?? word(text, at) ?? symbol(text, at);
    if (token.kind === 'symbol' && token.text === '(') calls.push(inCall || opensCall(tokens.at(-1)));
    if (token.kind === 'symbol' && token.text === ')') calls.pop();
    at = token.end;
    const gap = text[token.start - 1] === ' ';
    tokens.push(
      token.kind === 'word'
        ? { kind: 'word', text: token.text, gap, spaced: gap && text[token.end] === ' ' }
        : { kind: token.kind, text: token.text, gap },
    );
  }
  return tokens;
}

interface Found {
  readonly kind: Token['kind'];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function number(text: string, at: number, inCall: boolean): Found | null {
  if (!inCall) {
    const found = sticky(THOUSANDS, text, at);
    if (found !== null) return { kind: 'number', text: found.replaceAll(',', ''), start: at, end: at + found.length };
  }
  const found = sticky(NUMBER, text, at);
  if (found === null) return null;
  if (/^0\d/.test(found)) throw new MathSyntax('a number does not start with 0');
  return { kind: 'number', text: found, start: at, end: at + found.length };
}

function word(text: string, at: number): Found | null {
  const found = sticky(WORD, text, at);
  return found === null ? null : { kind: 'word', text: found, start: at, end: at + found.length };
}

function symbol(text: string, at: number): Found {
  const c = text[at] as string;
  if (c === '*' && text[at + 1] === '*') return { kind: 'symbol', text: '^', start: at, end: at + 2 };
  if (c === '[' || c === '{') return { kind: 'symbol', text: '(', start: at, end: at + 1 };
  if (c === ']' || c === '}') return { kind: 'symbol', text: ')', start: at, end: at + 1 };
  if (!SYMBOLS.includes(c)) throw new MathSyntax('a character that no formula holds');
  return { kind: 'symbol', text: c, start: at, end: at + 1 };
}

function sticky(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

const opensCall = (before: Token | undefined): boolean =>
  before?.kind === 'word' && before.text.length > 1 && before.text !== 'of' && before.text !== 'pi';
