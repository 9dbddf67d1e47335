import { setOf, STOP_WORDS, wordsOf } from './plain-words.js';

/**
 * How an answer stands to its question, by its words alone:
 * - `shared`: it names something that the question names
 * - `open`: words cannot tell, as with a wish for a text, a word or two, or "It is blue."
 * - `none`: a question for a fact, answered by a statement about something that the question does not name
 */
export type Relation = 'shared' | 'open' | 'none';

/** How questions begin that ask for a fact, which an answer that fits names. */
const ASKS_FACT = setOf('what who whom whose when where which is are was were does did has have');
/** "How many moons ...": a measure is a fact; any other "how" is explained, in words of its own. */
const MEASURES = setOf('many much old far long tall high big large deep fast heavy');
/** Questions that an answer may take anywhere. */
const ASKS_VIEW = setOf(
  `advice advise best better can could feel idea ideas mean opinion recommend should suggest suggestion suggestions
   suppose think tip tips way ways worth would`,
);
/** Words that stand for what the question named, or for whoever speaks. */
const POINTS_BACK = setOf('he her him his i it its me my nobody none nothing she sorry their them they unknown we');
/** The same, where an answer begins with them. */
const BEGINS_BACK = setOf('because both either neither no not one that there these this those yes you your');
const COPULAS = setOf('am are be is was were');

const FRAGMENT_WORDS = 5;
/** Shorter words are compared whole, longer ones by their beginning: "boiling" and "boils" share "boil". */
const STEM_LENGTH = 4;

/** Pure, and linear in both texts. */
export function relationOf(question: string, answer: string): Relation {
  const asked = wordsOf(question);
  if (!asksFact(asked)) return 'open';
  const topics = asked.filter((word) => !STOP_WORDS.has(word));
  if (topics.length === 0) return 'open';
  const said = wordsOf(answer);
  if (namesOneOf(topics)(said)) return 'shared';
  return pointsBack(said) || isFragment(said) ? 'open' : 'none';
}

/** Whether a text names any of these words, or one that begins alike. */
export function namesOneOf(topics: readonly string[]): (said: readonly string[]) => boolean {
  const whole = new Set(topics);
  const stems = new Set(topics.filter((word) => word.length >= STEM_LENGTH).map(stemOf));
  return (said) => said.some((word) => whole.has(word) || (word.length >= STEM_LENGTH && stems.has(stemOf(word))));
}

/** Whether a text speaks of what was named before, or of whoever speaks, instead of naming something itself. */
export function pointsBack(said: readonly string[]): boolean {
  return BEGINS_BACK.has(said[0] ?? '') || said.some((word) => POINTS_BACK.has(word));
}

function asksFact(asked: readonly string[]): boolean {
  const [first = '', second = ''] = asked;
  if (asked.some((word) => ASKS_VIEW.has(word))) return false;
  return ASKS_FACT.has(first) || (first === 'how' && MEASURES.has(second));
}

function isFragment(said: readonly string[]): boolean {
  return said.length <= FRAGMENT_WORDS && !said.some((word) => COPULAS.has(word));
}

const stemOf = (word: string): string => word.slice(0, STEM_LENGTH);
