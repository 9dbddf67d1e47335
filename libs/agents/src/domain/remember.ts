import { holdsCredential, isCredential, isDeviceSetting } from './remember-names.js';

/** A fact somebody asks to have remembered: what it is about and what it says. */
export interface Remembered {
  readonly kind: 'fact';
  /** `my favorite color`, with its "my". */
  readonly about: string;
  readonly value: string;
}

/**
 * Why a wish is not carried out:
 * - `no_fact`: it does not say "my ... is ..." in a way that can be read once only
 * - `device`: it sets an alarm, a volume and the like, which nobody here can
 * - `several`: it says two things, or asks something besides
 * - `doubt`: it is put as a question, or what it says is one
 * - `credential`: it is a password, a PIN or a key
 */
export interface NotRemembered {
  readonly kind: 'no_fact' | 'device' | 'several' | 'doubt' | 'credential';
}

const ASKS =
  /^(?:please\s+)?(?:((?:can|could|would|will)\s+you)\s+|(?:i\s+want|i\s+need|i['’]d\s+like|i\s+would\s+like)\s+you\s+to\s+)?(?:please\s+)?(remember|save|store|note|set|record|keep\s+in\s+mind|(?:don['’]t|do\s+not)\s+forget)\b[\s,:]*(that\s+)?/i;
/** Verbs after which, without "that", "to" and "as" stand between what it is about and what it says. */
const PUTS = /^(?:set|save|store|record)$/i;
const NAME = "my\\s+[\\p{L}\\p{N}][\\p{L}\\p{N}\\s'’-]{0,80}?";
const STATES = new RegExp(`^(${NAME})(?:\\s+(?:is|are|was|were)\\s+|\\s*[=:]\\s*)(.+)$`, 'isu');
const PUT = new RegExp(`^(${NAME})\\s+(?:to|as)\\s+(.+)$`, 'isu');
const MAX_LENGTH = 2000;

/** A name with a clause or a second thing in it: its verb is not the first one, or not the only one. */
const UNCLEAR_NAME = /\s(?:that|which|who|whom|whose|where|when|if|because|and|or|but)(?:\s|$)/i;
const QUESTION_WORD = "(?:what|who|when|where|why|how|which)(?:['’]?s)?";
const FURTHER = `(?:(?:${QUESTION_WORD}|can|could|would|will|should|tell|remember|remind|set|save|store|delete|forget|show|give|calculate|compute|write|my)\\s+\\S|i(?:['’]m|\\s+(?:am|like|live|have|want|need|work|love|hate|prefer))\\b)`;
const AFTER_SENTENCE = new RegExp(`(?:[,;.!?:]\\s|\\n)\\s*${FURTHER}`, 'i');
const AFTER_AND = new RegExp(
  `(?:^|\\s|[,;.!?]\\s*)(?:and|but|also|then|plus|&)\\s+(?:then\\s+|also\\s+)?(?!my\\b)${FURTHER}`,
  'i',
);
const SECOND_FACT = /(?:\s(?:and|but|plus|&)\s|[,;.!?]\s|\n)\s*(?:\S+\s+){1,5}?(?:is|are|was|were|=)\s/i;
const A_QUESTION = new RegExp(`^${QUESTION_WORD}$|^${QUESTION_WORD}\\s.*\\?$`, 'is');
/** Names of what may well be a question itself. */
const WORDING =
  /\b(?:motto|quotes?|sayings?|slogan|catchphrase|question|title|song|book|movie|film|show|novel|lyrics?)$/i;
const COURTESY =
  /(?<!\b(?:say|says|said|saying|pretty|yes|no))(?<!\s)(?:\s*,\s*|\s+)(?:please|pls|thanks|thank\s+you)$/i;

/**
 * Takes "Remember that my favorite color is blue" apart. Nothing is inferred: the value is what stands after the verb,
 * without the closing mark and courtesy. Where a text can be read in two ways nothing is taken: a wrong fact is worse
 * than none (docs/decisions/0006-what-is-remembered.md).
 */
export function parseRemember(text: string): Remembered | NotRemembered {
  const trimmed = text.trim();
  const asks = text.length > MAX_LENGTH ? null : ASKS.exec(trimmed);
  if (!asks) return { kind: 'no_fact' };
  const [whole, asked, verb = '', that] = asks;
  const stated = statement(trimmed.slice(whole.length), that === undefined && PUTS.test(verb));
  if (!stated) return { kind: 'no_fact' };
  const [about, said] = stated;
  if (isCredential(about)) return { kind: 'credential' };
  if (/^set$/i.test(verb) && isDeviceSetting(about)) return { kind: 'device' };
  if (UNCLEAR_NAME.test(about)) return { kind: 'no_fact' };
  const value = withoutClosing(said, asked !== undefined);
  if (value === '') return { kind: 'no_fact' };
  if (holdsCredential(value)) return { kind: 'credential' };
  if (isDoubtful(about, value)) return { kind: 'doubt' };
  if (AFTER_SENTENCE.test(value) || AFTER_AND.test(value) || SECOND_FACT.test(value)) return { kind: 'several' };
  return { kind: 'fact', about, value };
}

/** What it is about and what it says, by the verb that stands first; null where two may be meant. */
function statement(text: string, puts: boolean): readonly [string, string] | null {
  const states = STATES.exec(text);
  const put = puts ? PUT.exec(text) : null;
  const first = put && (!states || put[1]!.length < states[1]!.length) ? put : states;
  if (!first) return null;
  // "set my flight to Paris to 5", "save my job as a nurse as boring": which of the two it is cannot be seen.
  if (first === put && /\s(?:to|as|is|are|was|were)\s/i.test(` ${put[2]!}`)) return null;
  return [first[1]!.trim(), first[2]!.trim()];
}

/** Without the last marks and "please"; a `?` closes only a wish that is put as a question. */
function withoutClosing(said: string, asked: boolean): string {
  const marks = asked ? /(?<![.!?])[.!?]{1,50}$/ : /(?<![.!])[.!]{1,50}$/;
  return said.replace(marks, '').trim().replace(COURTESY, '').replace(marks, '').trim();
}

function isDoubtful(about: string, value: string): boolean {
  if (WORDING.test(about)) return false;
  return value.endsWith('?') || A_QUESTION.test(value);
}
