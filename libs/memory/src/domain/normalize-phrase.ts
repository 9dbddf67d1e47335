import { normalizeWhole } from './normalize.js';
import { foldSpelling } from './normalize-spelling.js';

/**
 * What a question is about, as phrases that can be looked up exactly (spec/memory.md, "Aliases"). Nothing here guesses:
 * words are only taken from the ends, and only those listed below.
 */

/** Every sign people type for an apostrophe: dropped before normalising, so that "Ohm's law" meets `ohms_law`. */
const APOSTROPHES = /['’‘‛`´ʼʹ′＇]/gu;

/** Taken from the start of a question, as often as they stand there. */
const LEADS = leads(`
  please | hey | hi | hello | ok | okay | so | and | well | mace
  can you | could you | would you | will you | do you know | do you remember | i want to know | i would like to know
  tell | tell me | remind me | remind me of | show | show me | give me | give | list | recall | about | of | me
  summarize | summarise | recap | review | read
  what | what is | what are | whats | what was | what were | what does | what do | what do you know about | which | which is
  who | who is | whos | who was | who are | who were | when | when is | when was | when were | when did | when does
  where | where is | wheres | where are | where was | how much is | how large is | how big is | how long is | how high is
  how tall is | how deep is | how far is | how fast is | how heavy is | how hot is | how old is
  define | definition of | meaning of | value of | explain | describe | look up | search for | search | find | find out
  the | a | an
`);

/** Taken from the end of a question; after "my" only the first few, because "my favorite end" is a name of its own. */
const TAILS = new Set('is are was were please again mean means stand for happen occur begin start end now'.split(' '));
const TAILS_OF_MINE = new Set('is are was were please again'.split(' '));
const MINE = new Set(['my', 'our']);

/** Longer texts are stories, not questions that a stored fact answers; it also bounds the number of phrases. */
const MAX_WORDS = 32;

/** The words of a text: apostrophes dropped, then normalised, in American spelling. Empty where nothing is left. */
export function phraseWords(text: string): readonly string[] {
  const whole = normalizeWhole(text.replace(APOSTROPHES, ''));
  return whole === '' ? [] : whole.split('_').map(foldSpelling);
}

/**
 * The phrases to look up for a question, the fullest first: "What is the value of pi?" gives `what is the value of pi`,
 * `the value of pi`, `value of pi`, `pi`, and so on. `my` is never taken away: whose fact it is must not get lost.
 * @returns none for a text of no word or of more than 32; no phrase is empty
 */
export function factPhrase(queryText: string): readonly string[] {
  const phrases = new Set<string>();
  const all = phraseWords(queryText);
  if (all.length > MAX_WORDS) return [];
  for (let words = all; words.length > 0; words = withoutLead(words)) {
    for (let rest = words; rest.length > 0; rest = withoutTail(rest)) phrases.add(rest.join(' '));
  }
  return [...phrases];
}

/** The words after the longest lead that leaves something; none where no lead stands there. */
function withoutLead(words: readonly string[]): readonly string[] {
  const lead = LEADS.find(
    (candidate) => candidate.every((word, i) => words[i] === word) && candidate.length < words.length,
  );
  return lead ? words.slice(lead.length) : [];
}

function withoutTail(words: readonly string[]): readonly string[] {
  const [first = '', last = ''] = [words[0], words.at(-1)];
  const tails = MINE.has(first) ? TAILS_OF_MINE : TAILS;
  return words.length > 1 && tails.has(last) ? words.slice(0, -1) : [];
}

/** Longest first, so that "what is" goes before "what". */
function leads(list: string): readonly (readonly string[])[] {
  return list
    .trim()
    .split(/\s*[|\n]\s*/)
    .map((lead) => lead.split(' '))
    .sort((a, b) => b.length - a.length);
}
