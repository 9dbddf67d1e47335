import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { withoutTail } from '../text-ends.js';
import { joined } from './email-joined.js';
import { hasBelievableEnding, hasWordlessEnding, isMailDomain, isPostOffice } from './email-domains.js';
import { isPublicV4, isPublicV6 } from './ip-ranges.js';
import { hitsOf } from '../hits.js';

const WORDS = contextWords(
  'e-?mails?',
  'mail(?:to)?',
  'reach',
  'contact',
  'write(?: to)?',
  'correo',
  'courriel',
  'posta',
  'adresse',
  'address',
);

const MAX_LOCAL = 64;
const LOCAL_CHAR = /[\w.!#$%&'*+/=?^`{|}~\-\u0080-\uffff]/;
const DOMAIN_CHARS = /[a-z0-9.\-\u0080-\uffff]{1,254}/iy;

/** `jo@firm.com`, role accounts included. */
const plain: Rule = {
  id: 'email.address',
  type: 'email',
  category: CATEGORY_OF.email,
  numeric: false,
  *find({ text }) {
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      const local = localBefore(text, at);
      const domain = withoutTail(take(DOMAIN_CHARS, text, at + 1), '.-') || hostIn(text, at + 1);
      const isMails = isMailDomain(domain) || domain.startsWith('[');
      if (local === at || !isMails || isRemote(text, local, at, at + 1 + domain.length)) continue;
      yield { start: local, end: at + 1 + domain.length, score: 0.95 };
    }
  },
};

/** As they read when they are folded: Cyrillic letters that look like Latin ones are these. */
const AT_WORDS =
  'at|ät|arr?oba|arobase?|chiocciola|klammeraffe|małpa|co\u0431aka|zavin[aá][cč]|kukac|apenstaartje|snabel-?a|kr[øo]llalfa';
const DOT_WORDS = 'dot|punkt|punto|point|ponto|kropka|to\u0447ka|te[cč]ka|pont|punt|punktum|prik';
/** What stands in a name or a host and is spelled as well: "dash", "underscore". */
const DASH_WORDS = 'dash|hyphen|minus|bindestrich|tiret|gui[oó]n|trattino|h[ií]fen';
const JOINING_WORDS = `${DASH_WORDS}|underscore|unterstrich|gui[oó]n bajo|plus`;
const DIGIT_WORDS = 'zero|one|two|three|four|five|six|seven|eight|nine|ten';
/** "#at#": by itself, for its signs are everywhere in tables and headings. */
const SIGNED_AT = new RegExp(`[#*|~](?:${AT_WORDS})[#*|~]`, 'gi');
/** "[at]", "(at)", " at ", "_at_", " @ ", "@ ", " @", and as HTML and addresses of pages write it. */
const SPELLED_AT = new RegExp(
  `&#(?:64|x40);|&commat;|%40|_(?:${AT_WORDS})_|\\s?[[({<]\\s?(?:${AT_WORDS}|@)\\s?[\\])}>]\\s?|\\s(?:${AT_WORDS})\\s|\\s?@\\s?`,
  'gi',
);
/** "[dot]", "#dot#", " dot ", "_dot_", " . ", ". ", ".". */
const SPELLED_DOT = new RegExp(
  `&#(?:46|x2e);|&period;|%2e|_(?:${DOT_WORDS})_|[#*|~](?:${DOT_WORDS})[#*|~]|\\s?[[({<]\\s?(?:${DOT_WORDS}|\\.)\\s?[\\])}>]\\s?|\\s(?:${DOT_WORDS})\\s|\\s?\\.\\s?`,
  'iy',
);
/** What nobody writes around a word by chance: any ending goes after such a dot. */
const MARKED = /[[({<&%#*|~]/;
const LABEL = /[a-z0-9\u0080-\uffff][a-z0-9\-\u0080-\uffff]{0,62}/iy;
const MAX_LABELS = 6;
const LOCAL_WORD_CHAR = /[\w+%.\-\u0080-\uffff]/;
/** " dot ", "(dot)", " underscore " before a place. */
const JOINT_BEFORE = new RegExp(
  `(?:\\s(?:${DOT_WORDS}|${JOINING_WORDS})\\s|\\s?[[(]\\s?(?:${DOT_WORDS}|\\.)\\s?[\\])]\\s?|[#*|~](?:${DOT_WORDS})[#*|~])$`,
  'i',
);
const LONGEST_JOINT = 14;
const SPELLED_DASH = new RegExp(`\\s(?:${DASH_WORDS})\\s`, 'iy');
/** "gmail five dot com": digits in words behind a name, or in a row. */
const DIGITS_IN_WORDS = new RegExp(`(?:\\s(?:${DIGIT_WORDS})){1,4}(?=\\s(?:${DOT_WORDS})\\s)`, 'iy');
const DIGIT_WORD = new RegExp(`^(?:${DIGIT_WORDS})$`, 'i');

/** Words that stand before "at" in ordinary prose. */
const NO_LOCAL =
  /^(?:look|looks|looked|looking|shop|shopping|buy|order|visit|find|found|us|it|them|available|click|see|meet|meeting|work|works|worked|working|sign|live|lives|available|is|was|are|be|am|start|online|and|or|in|up|only|hosted|lunch|dinner|that|this|more|not|now|here|there|log|login|logged|signed|register|registered|go|read|more|details|info|information|accounts?|mails?|e-?mails?|addresse?s?|inbox(?:es)?|pages?|sites?|websites?|services?|support|help|servers?|users?|people|someone|somebody|everyone|team|staff|employees|engineers?|customers?|mailbox(?:es)?|host|domains?|links?|spam|messages?|jobs?|position|career|down|back|again|today|tomorrow|met|meets|talk(?:s|ed)?|spoke|stay(?:s|ed)?|arrived?|ended|began|priced|sold|sells?|valued|raised|founded|invest(?:s|ed)?|aimed|pointed|me|you|him|her|all|both)$/i;
/** What stands before a digit in words that is none of a name: "is five at". */
const NO_FIRST =
  /^(?:is|are|was|be|to|for|of|by|on|with|as|and|or|the|my|his|its|your|our|their|mail|e-?mail|address|reach|contact|write|that|than|about|only|just|all|after|before|number|ist|es|est)$/i;
/** What stands before a thing rather than before a name. */
const BEFORE_A_THING = /(?:^| )(?:the|an?|our|their|your|its|some|any|all|no|new|of|free) $/i;
const NO_LABEL = /^(?:this|that|the|a|an|my|your|our|some|any|each|which)$/i;

/** The same with "at" and "dot" spelled, in brackets or between spaces; and addresses torn by spaces or line breaks. */
const spelled: Rule = {
  id: 'email.spelled',
  type: 'email',
  category: CATEGORY_OF.email,
  numeric: false,
  leastLetters: 2,
  *find(scan) {
    const { text } = scan;
    for (const { 0: at, index } of [...hitsOf(text, SPELLED_AT), ...hitsOf(text, SIGNED_AT)]) {
      const domain = domainFrom(text, index + at.length);
      if (!domain || (at === '@' && !domain.spelled)) continue;
      const local = spelledLocalBefore(text, index);
      const match = { start: local, end: domain.end, score: 0.8 };
      if (local < index && isMeant(scan, at, text.slice(local, index), domain, match)) yield match;
    }
  },
};

export const EMAIL_RULES = [plain, spelled, joined];

interface SpelledDomain {
  readonly name: string;
  readonly end: number;
  /** Whether any of its dots is more than a dot. */
  readonly spelled: boolean;
  /** Whether one of them ends a sentence, or could. */
  readonly torn: boolean;
}

/** The longest dotted name from a place on that ends believably. At most six labels. */
function domainFrom(text: string, from: number): SpelledDomain | undefined {
  const first = labelAt(text, from);
  let { name } = first;
  let end = from + first.length;
  let isSpelled = false;
  let isTorn = false;
  let best: SpelledDomain | undefined;
  if (name === '' || NO_LABEL.test(name)) return undefined;
  for (let labels = 1; labels < MAX_LABELS; labels++) {
    const dot = take(SPELLED_DOT, text, end);
    const { name: label, length } = dot === '' ? NO_NAME : labelAt(text, end + dot.length);
    if (label === '') break;
    const torn = /^ ?\. ?$/.test(dot) && dot !== '.';
    name += `.${label}`;
    end += dot.length + length;
    isSpelled ||= dot !== '.';
    isTorn ||= dot === '. ';
    if (
      isMailDomain(name) &&
      (torn ? hasWordlessEnding(name) && label === label.toLowerCase() : MARKED.test(dot) || hasBelievableEnding(name))
    ) {
      best = { name, end, spelled: isSpelled, torn: isTorn };
    }
  }
  return best;
}

const NO_NAME = { name: '', length: 0 };

/** A label with what is spelled in it: "acme dash corp" is acme-corp, "gmail five" is gmailfive before " dot ". */
function labelAt(text: string, from: number): { readonly name: string; readonly length: number } {
  const label = take(LABEL, text, from);
  if (label === '') return NO_NAME;
  const end = from + label.length;
  const dash = take(SPELLED_DASH, text, end);
  const rest = dash === '' ? '' : take(LABEL, text, end + dash.length);
  if (rest !== '') return { name: `${label}-${rest}`, length: label.length + dash.length + rest.length };
  const digits = take(DIGITS_IN_WORDS, text, end);
  return { name: label + digits.replaceAll(' ', ''), length: label.length + digits.length };
}

/** Whether the writer means an address, and not "look at amazon.com". */
function isMeant(scan: Scan, at: string, local: string, domain: SpelledDomain, { start, end }: Match): boolean {
  const marked = MARKED.test(at) || (at.startsWith('_') && domain.spelled) || at === '@' || at === '@ ';
  if (marked) return true;
  if (NO_LOCAL.test(local) || at.startsWith('_')) return false;
  if (at === ' @ ' || (at !== ' @' && domain.spelled && !domain.torn)) return true;
  const isName = !BEFORE_A_THING.test(scan.text.slice(Math.max(0, start - 8), start));
  return (isPostOffice(domain.name) && (isName || /[\d._]/.test(local))) || scan.speaksOf(WORDS, start, end);
}

function localBefore(text: string, at: number): number {
  if (text.charAt(at - 1) === '"') return quotedBefore(text, at);
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && LOCAL_CHAR.test(text.charAt(start - 1))) start--;
  while (start < at && !/[\p{L}\p{N}_]/u.test(text.charAt(start))) start++;
  return start;
}

const HOST = /\[(?:ipv6:)?([0-9a-f.:]{3,45})\]/iy;

/** `[198.41.0.4]` behind the at (RFC 5321, 4.1.3); empty where there is none that is somebody's. */
function hostIn(text: string, from: number): string {
  HOST.lastIndex = from;
  const [written = '', address = ''] = HOST.exec(text) ?? [];
  return isPublicV4(address) || isPublicV6(address) ? written : '';
}

/** `git@github.com:acme/app.git`: where a program's files are, and nobody's mail. */
function isRemote(text: string, local: number, at: number, end: number): boolean {
  return /^(?:git|hg|svn)$/i.test(text.slice(local, at)) && /^[:/][\w~]/.test(text.slice(end, end + 2));
}

/** `"jo smith"@firm.com` (RFC 5321, Quoted-string). */
function quotedBefore(text: string, at: number): number {
  const from = Math.max(0, at - MAX_LOCAL - 2);
  const open = text.slice(from, at - 1).lastIndexOf('"');
  return open < 0 || from + open === at - 2 ? at : from + open;
}

/** "john dot doe", "john underscore five": up to four words joined by spelled signs, or by a digit in words. */
function spelledLocalBefore(text: string, at: number): number {
  let start = wordBefore(text, at);
  let last = text.slice(start, at);
  for (let joints = 0; joints < 3 && start < at; joints++) {
    const spelled = JOINT_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_JOINT), start))?.[0] ?? '';
    const joint = spelled === '' && DIGIT_WORD.test(last) && text.charAt(start - 1) === ' ' ? ' ' : spelled;
    const word = wordBefore(text, start - joint.length);
    if (joint === '' || word === start - joint.length) break;
    last = text.slice(word, start - joint.length);
    if (joint === ' ' && (NO_LOCAL.test(last) || NO_FIRST.test(last))) break;
    start = word;
  }
  return start;
}

function wordBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && LOCAL_WORD_CHAR.test(text.charAt(start - 1))) start--;
  while (start < at && /[.%+-]/.test(text.charAt(start))) start++;
  return start;
}

/** What a sticky expression takes at a place; empty where it does not hold. */
function take(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}
