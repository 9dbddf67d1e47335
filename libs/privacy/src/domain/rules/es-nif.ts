import { acronyms, contextWords } from '../context-words.js';
import { compact, letteredRule } from './lettered.js';

const WORDS = [
  contextWords(
    'd\\.?n\\.?i\\.?',
    'n\\.?i\\.?f\\.?',
    'documento nacional de identidad',
    'carnet de identidad',
    'documento(?: (?:de identidad|n[uú]mero|n[.º°]?))?',
    'titular',
    'identificaci[oó]n fiscal',
    'spanish (?:national )?(?:id|identity)',
    'spanische (?:personalausweis|steuer)[a-z]{0,9}',
    'carte d.identit[eé] espagnole',
    'carta d.identit[aà] spagnola',
  ),
  acronyms('NIF', 'DNI'),
];

const LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Eight digits, grouped or not, and the letter they call for; also K, L or M, seven digits and such a letter. */
const NIF =
  /(?<![A-Za-z0-9]|\d\.)(?:\d{8}|\d{2}[. ]\d{3}[. ]\d{3}|[KLM][ \-]?\d{7})[ \-./]{0,3}[A-HJ-NP-TV-Z](?![A-Za-z0-9])/gi;
/** Old numbers are written without their leading zeros. */
const SHORT = /(?<![A-Za-z0-9]|\d\.)(?:\d{7}|\d\.\d{3}\.\d{3})[ \-./]{0,3}[A-HJ-NP-TV-Z](?![A-Za-z0-9])/gi;
const NIE = /(?<![A-Za-z0-9])[XYZ][ \-.]?(?:\d{7}|\d[. ]\d{3}[. ]\d{3})[ \-./]{0,3}[A-HJ-NP-TV-Z](?![A-Za-z0-9])/gi;

/** The letter is the number modulo 23; that of K, L and M numbers counts their seven digits, of X, Y, Z a 0, 1, 2 before them. */
export function hasSpanishLetter(number: string): boolean {
  const digits = number
    .slice(0, -1)
    .replace(/^[KLMX]/, '0')
    .replace(/^Y/, '1')
    .replace(/^Z/, '2');
  return LETTERS.charAt(Number(digits) % 23) === number.slice(-1);
}

/** A letter after a space may be the next word: "12345674 t shirts". */
function isNextWord(written: string, text: string, end: number): boolean {
  return / .?$/.test(written.slice(-2)) && (/[a-z]$/.test(written) || /^[ \-][a-z]/.test(text.slice(end, end + 2)));
}

export const ES_NIF_RULES = [
  letteredRule(
    'es_nif',
    'lettered',
    NIF,
    (written, { start, end }, scan) => {
      if (!hasSpanishLetter(compact(written)) || Number(compact(written).slice(0, -1)) === 0) return false;
      return !isNextWord(written, scan.text, end) || scan.speaksOfAny(WORDS, start, end);
    },
    { leastDigits: 7, leastLetters: 1 },
  ),
  letteredRule(
    'es_nif',
    'context',
    SHORT,
    (written, { start, end }, scan) => hasSpanishLetter(compact(written)) && scan.speaksOfAny(WORDS, start, end),
    { score: 0.9, leastDigits: 7, leastLetters: 1 },
  ),
];

export const ES_NIE_RULES = [
  letteredRule('es_nie', 'lettered', NIE, (written) => hasSpanishLetter(compact(written)), {
    leastDigits: 7,
    leastLetters: 2,
  }),
];
