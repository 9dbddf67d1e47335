import { contextWords } from '../context-words.js';
import { digitsIn, isAmount, isDate, namedValues } from '../named-value.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { withoutTail } from '../text-ends.js';

/** "is", "no.", a colon, and the number at once: then no account with a shop or a program is meant. */
const NUMBER = '(?= ?(?:is|est|es|[eè]|num|no|nr|n)?\\.?[º°]?[.:#=]?(?: (?:la|el|le|il))? ?(?:\\d(?:[ .-]?\\d){5}|$))';

const WORDS = contextWords(
  'bank[ _-]?acc(?:oun)?ts?(?:[ _-]?(?:numbers?|no|num|nr))?',
  'acc(?:oun)?ts?[ _-]?(?:numbers?|nos?|num|nr|#)',
  'acct',
  'acc\\.?[ _-]?(?:numbers?|no|num|nr|#)',
  'c/c(?: bancari[oa])?(?: (?:numero|n))?',
  'a/c[ _.-]{0,2}(?:numbers?|no|num|nr)',
  // "account 12345678": the number at once, and no account with a shop or a program.
  `(?<!(?:const|let|var|user|customer|client|github|google|aws|azure|twitter|steam|e-?mail|service|game|guest|admin|cloud|member) )(?:acc(?:oun)?ts?|a/c)${NUMBER}`,
  `(?:cuenta|compte|conto)${NUMBER}`,
  '(?:checking|chequing|savings?|current|deposit|giro)[ _-]?acc(?:oun)?ts?',
  '(?:to|from) (?:the )?account',
  '(?:my|your|his|her|our|their) account',
  'routing[ _-]?(?:transit[ _-]?)?(?:numbers?|no|num|code)',
  'aba (?:number|no|routing)',
  'routing(?=["’]? ?[#:=]? ?(?:\\d{9}(?!\\d)|$))',
  'aba(?=[ #:]{1,3}(?:\\d{9}(?!\\d)|$))',
  'direct deposit',
  'sort[ _-]?codes?',
  'bsb',
  'bank[ _-]?details',
  'konto[ _-]?(?:nummern?|nr)',
  'kto\\.?(?:[ _-]?(?:nr|nummer))?',
  '(?:bank|giro|spar)?konto',
  '(?:bank)?rekeningnummer',
  'n(?:ume)?r (?:rachunku|konta)',
  'n[uú]mero da conta',
  'bankverbindung',
  'bankleitzahl',
  'blz',
  'n[uú]mero de (?:la |mi |su )?cuenta',
  'cuenta (?:bancaria|corriente|de ahorros?)',
  'num[eé]ro de (?:mon |son |votre )?compte',
  'compte (?:bancaire|courant|[eé]pargne|ch[eè]ques?)',
  'rib',
  'code (?:banque|guichet)',
  'numero (?:(?:di|del) )?(?:mio )?conto',
  'conto (?:corrente|bancario)',
  'coordinate bancarie',
  // Of Mexico: bank, place, account and check digit.
  'clabe(?: interbancaria)?(?: (?:n[uú]mero|n))?',
);

const SHAPE = /(?<![\p{L}\p{N}*]|\d[-./ ])\d{1,24}(?:[ \-./]\d{1,18}){0,6}(?![\p{L}\p{N}])/gu;
/** From so many digits on a block is a number of its own, and what follows a space is not part of it. */
const WHOLE = 8;
const MIN_DIGITS = 6;
const MASKED_SHAPE = /(?<![\p{L}\p{N}*•])\d[\dXx*•. \-/]{8,40}(?![\p{L}\p{N}])/gu;

/** An account number, sort code or routing number near a word that says so. */
const context: Rule = {
  id: 'bank_account.context',
  type: 'bank_account',
  category: CATEGORY_OF.bank_account,
  numeric: true,
  leastDigits: MIN_DIGITS,
  find: (scan) => namedValues(scan, { words: WORDS, shape: SHAPE, part: accountIn, score: 0.8 }),
};

/** `30004 00812 000XXXXXX47 56`: what is left of an account that somebody made unreadable in part. */
const masked: Rule = {
  id: 'bank_account.masked',
  type: 'bank_account',
  category: CATEGORY_OF.bank_account,
  numeric: true,
  leastDigits: WHOLE,
  find: (scan) => namedValues(scan, { words: WORDS, shape: MASKED_SHAPE, part: maskedIn, score: 0.6 }),
};

export const BANK_ACCOUNT_RULES = [context, masked];

function maskedIn(candidate: string): string {
  const account = withoutTail(candidate, ' .-/');
  return digitsIn(account) >= WHOLE && /[Xx*•]{2}/.test(account) ? account : '';
}

function accountIn(candidate: string, after: string): string {
  const [block = ''] = candidate.split(' ');
  const number = digitsIn(block) >= WHOLE ? block : candidate;
  const digits = digitsIn(number);
  if (digits < MIN_DIGITS || digits > 23 || isDate(number) || isDecimal(number) || isHost(number)) return '';
  return number === candidate && isAmount(after) ? '' : number;
}

/** 10.0.0.0/24 */
function isHost(number: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/.test(number);
}

/** 10482.55, 1.234.567 */
function isDecimal(number: string): boolean {
  return /^\d+\.\d{1,2}$/.test(number) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(number);
}
