import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule } from '../scan.js';
import { withoutTail } from '../text-ends.js';
import { hasBelievableEnding, isMailDomain, isPostOffice } from './email-domains.js';

/** Within one word: `AT` in capitals between small letters or digits, `-at-`, `.at.`. */
const AT = ['AT', '-at-', '-at.', '.at-', '.at.'];
const DOT = /(?<=[a-z0-9])DOT(?=[a-z0-9])|[-_.]dot[-_.]/g;
const MAX_LOCAL = 64;
const LOCAL = /[\w+.-]{1,64}$/;
const DOMAIN = /[\w.-]{3,100}/y;
/** What such a word begins with where it says what to do, and is no address. */
const NO_LOCAL = /^(?:look|shop|buy|order|see|visit|find|meet|work|jobs?|live|login|us)$/i;

/** `annaATgmailDOTcom`, `anna-at-gmail-dot-com`, `anna.b.at.gmail.dot.com`: an address in one word, its signs spelled. */
export const joined: Rule = {
  id: 'email.joined',
  type: 'email',
  category: CATEGORY_OF.email,
  numeric: false,
  leastLetters: 4,
  *find({ text }) {
    for (const at of AT) {
      for (let place = text.indexOf(at); place >= 0; place = text.indexOf(at, place + 1)) {
        const match = addressAround(text, place, at);
        if (match) yield match;
      }
    }
  },
};

function addressAround(text: string, place: number, at: string): Match | undefined {
  const end = place + at.length;
  const isCapital = at === 'AT';
  if (isCapital && !/^[a-z0-9]AT[a-z0-9]/.test(text.slice(Math.max(0, place - 1), end + 1))) return undefined;
  const written = domainAfter(text, end);
  const name = written.replace(DOT, '.');
  const local = localBefore(text, place);
  if (name === written && !isPlainDot(name, local, isCapital)) return undefined;
  if (local === '' || NO_LOCAL.test(local) || !isMailDomain(name) || !hasBelievableEnding(name)) return undefined;
  return { start: place - local.length, end: end + written.length, score: 0.8 };
}

/**
 * Whether a name with its dots as they are is meant: people have mail there, and what stands before is no ordinary word, since
 * "arrive-at-noon.md" is none and "name.x-at-posteo.net" is one.
 */
function isPlainDot(name: string, local: string, isCapital: boolean): boolean {
  return isPostOffice(name) && (isCapital || /[._\d]/.test(local));
}

function localBefore(text: string, at: number): string {
  const word = LOCAL.exec(text.slice(Math.max(0, at - MAX_LOCAL), at))?.[0] ?? '';
  return word.replace(/^[.+-]{1,64}/, '');
}

function domainAfter(text: string, from: number): string {
  DOMAIN.lastIndex = from;
  return withoutTail(DOMAIN.exec(text)?.[0] ?? '', '.-_');
}
