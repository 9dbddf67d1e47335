import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { withArticle, withoutTail } from '../text-ends.js';
import { beginsWithIllness, illnessesIn } from './medical-conditions.js';
import { CAPITALS } from './medical-names.js';
import { placesOfIllness, stretchesBefore } from './medical-places.js';
import { isElided, isOfMany, isOfSomebody } from './medical-subject.js';
import { HAVING, IS_FOUND_BY, LABELS, SUFFERED, TOLD, TOLD_HINT } from './medical-words.js';
import { hitsOf } from '../hits.js';

const LEAD = 80;
const TAIL = 120;
/** How long the words are at most that stand before the name of an illness. */
const LONGEST_WORDS = 120;

/** First persons carry their subject with them. */
const FIRST_PERSON =
  /^(?:i['’ ]?(?:ve|m)|tengo|soy|estoy|j['’ ]ai|ho|sono|sufr(?:o|ía|imos)|padezco|soffr(?:o|iva)|my|meine?|mi|mon|mia|mio)(?![\p{L}])/iu;
/** An illness that something else is named after: "my cancer research". */
const ABOUT =
  /^(?: of (?:luck|genius|insight|midnight|the)|[ -](?:research\p{L}*|risks?|prevention|screenings?|walk|run|gala|specialists?|transistors?|junctions?|memory|experts?|doctors?|surgeons?|nurses?|scientists?|drugs?|forscher\p{L}*|stud(?:y|ies)|apps?|projects?|books?|charit(?:y|ies)|essay|papers?|thesis|awareness|class(?:es)?|course|models?|data(?:set)?s?|tests?|detector|prediction|classifier|vaccin\p{L}*|presentation|homework|report|article|notes|guide|foundation|clinic|center|centre|fundraiser|educators?|coach(?:es)?|counsel\p{L}{2,6}|advocates?|insurance|questions?|studie|arbeit|forschung|impfung)(?![\p{L}]))/iu;
/** What programs and machines are diagnosed with. */
const TOOLS =
  /^ ?(?:(?:the|an?|our|some|this) )?(?:[\p{L}-]{1,20} ){0,2}(?:help|aid|use|profilers?|debuggers?|gdb|tools?|logs?|logging|trac(?:es?|ing)|tests?|scan(?:ner)?s?|software|script|metrics|bugs?|leaks?|faults?|errors?|ease|care|same|it|this|that|something|nothing|anything|what)(?![\p{L}])/iu;
const STOPS =
  /^(?:last|in|on|at|when|since|and|or|but|for|from|this|that|which|two|three|four|five|years?|months?|ago|while|who|by|after|before|because|so|yesterday|today|recently|again|as|during|is|was|are|i|he|she|my|seit|im|am|als|vor|und|oder|aber|wurde|ist|worden|desde|hace|en|cuando|y|o|pero|depuis|quand|il|et|ou|mais|da|quando|nel|nell|e|ed|ma)$/i;
const ARTICLES =
  /^(?:[ "'’“„«[]|(?:an?|the|eine[nrms]?|die|der|das|dem|den|una?|el|la|los|las|une?|du|de|le|les|il|lo|gli|di|del|della|con|avec|mit|two|three|four|several|zwei|drei|deux|trois|dos|tres|due|tre|seit \p{L}{3,8}|desde hace \p{L}{3,8}|auch|leider|schon|noch|also|still|now|been|had|también|aussi|toujours|anche)(?= )|(?:l|d|un|dell|all)['’])+/iu;

const LABEL =
  /[:=-]$|^(?:diagnos(?:is|e|i|tic)|dx)$|^diagnos(?:is|e) (?:is|was|lautet|ist)|^diagn[oó]stico es|^diagnostic est|^diagnosi [eè]/i;
/** Where these words are a noun, the article before it is no pronoun: "le diagnostic de". */
const NOUN = /^diagn[oó]s(?:tico?|i)(?![\p{L}])/iu;
const ARTICLE_BEFORE = /(?<!\p{L})(?:el|la|le|il|un|una) $/iu;
/** What notes say of somebody without saying of whom: "Suffers from migraine.", "History of asthma". */
const ALONE =
  /^(?:suffer(?:s|ed)|c[ao]me|sick|off|on sick|absent|krank|passed|tested|present(?:s|ed)|admitted|history|known|liv(?:es|ing)|treated|hospitali|leidet|litt|erkrankt|souffre|soffre|sufre|padece)/i;
/** "The biopsy confirmed lymphoma", "Patient with asthma": at once, and not of many. */
function isFoundBy(lead: string, tail: string, phrase: () => Phrase): boolean {
  if (!beginsWithIllness(tail) || isOfMany(lead, tail)) return false;
  return !ABOUT.test(tail.slice(phrase().end)) && !ABOUT.test(afterIllness(tail));
}

const IN_PATIENT = /^(?:pt|patient)(?:\.|in)? (?:with|mit)$/i;
/** A note that begins with the word: "Dx psoriasis". */
const NOTE = /^(?:diagnos(?:is|e|ed|i|tic)|dx)$/i;
const AT_BEGINNING = /(?:^|[.:,;|] ?)$/;
/** "Has celiac disease, vegetarian": a note of somebody. */
const NOTED = /^(?:has|had|hat|hatte|tiene)(?![\p{L}])/iu;
/** What is made or fought for, and no illness: "we developed diabetes software". */
const PRODUCT =
  /^[ -](?:software|platforms?|treatments?|therap(?:y|ies)|screening|kits?|programs?|devices?|strateg(?:y|ies)|guidelines?)(?!\p{L})/iu;
const ENDED =
  /^(?: (?:since|for|at|in \d|(?:19|20)\d\d|seit|desde|depuis|da|diagnosed|and (?:was|is|has|takes|on))(?!\p{L})|[.,;](?: |$)|$)/iu;

/** "diagnosed with ..., suffers from ..., I have ...": the illness of a person in particular. */
const told: Rule = {
  id: 'medical_diagnosis.told',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  leastLetters: 4,
  *find(scan) {
    if (TOLD_HINT.test(scan.text))
      yield* phrases(scan, TOLD, ({ lead, verb, tail, phrase }) => {
        const isLabel = LABEL.test(verb);
        const ofSomebody = isLabel || isSaidOf(NOUN.test(verb) ? lead.replace(ARTICLE_BEFORE, ' ') : lead, verb, tail);
        if (!ofSomebody && !isElided(lead, tail)) return false;
        if (NOTE.test(verb))
          return AT_BEGINNING.test(lead) && beginsWithIllness(tail) && ENDED.test(tail.slice(phrase().end));
        if (phrase().isIllness || beginsWithIllness(tail)) return true;
        return (
          !isLabel &&
          ofSomebody &&
          /^diagnosed.*with$/i.test(verb) &&
          !TOOLS.test(tail) &&
          illnessesIn(lead).length === 0
        );
      });
    yield* labelled(scan);
    const near = stretchesBefore(placesOfIllness(scan.text), TAIL + LONGEST_WORDS);
    yield* phrasesIn(scan, near, SUFFERED, ({ lead, verb, tail, phrase }) => {
      if (IS_FOUND_BY.test(verb) || (IN_PATIENT.test(verb) && AT_BEGINNING.test(lead)))
        return isFoundBy(lead, tail, phrase);
      if (IN_PATIENT.test(verb)) return false;
      if (!phrase().isIllness && !beginsWithIllness(tail)) return false;
      const rest = tail.slice(phrase().end);
      if (ABOUT.test(rest) || PRODUCT.test(rest)) return false;
      return isSaidOf(lead, verb, tail) || (ALONE.test(verb) && ENDED.test(rest) && isElided(lead, tail));
    });
    yield* phrasesIn(scan, near, HAVING, ({ lead, verb, tail, phrase }) => {
      if (!beginsWithIllness(tail)) return false;
      if (!isSaidOf(lead, verb, tail))
        return NOTED.test(verb) && isElided(lead, tail) && ENDED.test(tail.slice(phrase().end));
      return !ABOUT.test(tail.slice(phrase().end)) && !ABOUT.test(afterIllness(tail));
    });
  },
};

const WITH_PERSON =
  /(?<![a-z])(?:[a-z]{3,11}['’]s|s?he|me|him|her|us|my|his|our|ich|il|elle|m[eè]re|p[eè]re|mari|femme|fils|fille|fr[eè]re|s(?:œ|oe)ur|amie?)(?![a-zà-ÿ])/i;

/** The person stands before the verb, in its form, or within it: "I was diagnosed with", "sufro de", "diagnosed me with". */
function isSaidOf(lead: string, verb: string, tail: string): boolean {
  if (FIRST_PERSON.test(verb)) return isOfSomebody(`${lead} yo `, tail);
  return isOfSomebody(lead, tail) || (WITH_PERSON.test(verb) && isOfSomebody(lead + verb, tail));
}

const FOUND = contextWords('diagnostiziert', 'festgestellt', 'erkrankt', 'gestorben', 'verstorben');

/** "bei mir wurde ... diagnostiziert": the name stands before the verb. */
const foundOut: Rule = {
  id: 'medical_diagnosis.found_out',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  leastLetters: 9,
  *find({ text }) {
    for (const { index } of hitsOf(text, FOUND)) {
      const from = Math.max(0, index - LEAD);
      const lead = text.slice(from, index);
      const name = illnessesIn(lead).at(-1);
      if (name && isOfSomebody(lead.slice(0, name.start), text.slice(index, index + TAIL)))
        yield { start: from + name.start, end: from + name.start + phraseOf(lead.slice(name.start)).end, score: 0.8 };
    }
  },
};

const CODED = contextWords(
  'icd(?:[ _-]?(?:9|10|11))?(?:[ _-]?(?:cm|gm|pcs))?(?:[ _-]?codes?)?',
  'cie(?:[ -]?10)',
  'cim(?:[ -]?10)',
  'diagnos(?:is|e|i|es|tic|en)(?:[ _-]?(?:codes?|schlüssel|nummer))?',
  'diagn[oó]sticos?',
  'dx',
);
const CODE = /(?<![\p{L}\p{N}.-])[A-TV-Za-tv-z]\d[0-9AB](?:\.[0-9A-Za-z]{1,4})?(?![\p{L}\p{N}]|[-.][\p{L}\p{N}])/gu;

/** A code of the International Classification of Diseases near a word that says so. */
const coded: Rule = {
  id: 'medical_diagnosis.icd',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: true,
  leastLetters: 1,
  *find(scan) {
    if (!scan.everSpeaksOf(CODED)) return;
    for (const { 0: code, index: start } of hitsOf(scan.text, CODE)) {
      const end = start + code.length;
      const clear = code.includes('.') || /^[A-Z]/.test(code);
      if (clear && scan.speaksOf(CODED, start, end)) yield { start, end, score: 0.85 };
    }
  },
};

const NAMED = contextWords(
  'diagnos(?:is|e|es|en|i|tic)',
  'diagn[oó]sticos?',
  '(?:medical|health) conditions?',
  'illness(?:es)?',
  'krankheit(?:en)?',
  'enfermedad(?:es)?',
  'maladies?',
  'malattie?',
);
const MAX_NAME = 80;

/** A short value whose key says what it is: {"diagnosis": "chronic kidney disease"}. */
const named: Rule = {
  id: 'medical_diagnosis.named',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  leastLetters: 2,
  *find(scan) {
    const { text } = scan;
    if (text.length > MAX_NAME || !scan.isAbout(NAMED) || illnessesIn(text).length === 0) return;
    const start = text.length - text.trimStart().length;
    yield { start, end: text.trimEnd().length, score: 0.8 };
  },
};

export const MEDICAL_DIAGNOSIS_RULES = [told, foundOut, coded, named];

/** What stands before some words, the words, what stands after them, and the name that this begins with. */
interface Told {
  readonly lead: string;
  readonly verb: string;
  readonly tail: string;
  readonly phrase: () => Phrase;
}

function phrases(scan: Scan, words: RegExp, isMeant: (told: Told) => boolean): Generator<Match> {
  return phrasesIn(scan, [[0, scan.text.length]], words, isMeant);
}

/** The illnesses that stand after these words, looked for in some stretches, where the words around allow it. */
function* phrasesIn(
  { text }: Scan,
  stretches: readonly (readonly [number, number])[],
  words: RegExp,
  isMeant: (told: Told) => boolean,
): Generator<Match> {
  for (const [from, to] of stretches) {
    for (const { 0: verb, index } of hitsOf(text.slice(from, to), words))
      yield* phrasesAfter(text, verb, from + index, isMeant);
  }
}

function* phrasesAfter(text: string, verb: string, index: number, isMeant: (told: Told) => boolean): Generator<Match> {
  const after = index + verb.length;
  const tail = text.slice(after, after + TAIL);
  let read: Phrase | undefined;
  const phrase = (): Phrase => (read ??= phraseOf(tail));
  if (!isMeant({ lead: text.slice(Math.max(0, index - LEAD), index), verb, tail, phrase })) return;
  const { start, end } = phrase();
  if (end > start) yield { start: withArticle(text, after + start), end: after + end, score: 0.8 };
  yield* others(tail, after, end);
}

const LISTED = /^(?: ?[,;/&+] ?|,? (?:and|und|y|et|e|sowie|plus) )(?:(?:also|auch|también|aussi|anche) )?/i;
const MAX_LISTED = 6;

/** "diabetes, asthma and gout": the illnesses that follow in a list. */
function* others(tail: string, after: number, from: number): Generator<Match> {
  let at = from;
  for (let listed = 0; listed < MAX_LISTED; listed++) {
    at += LISTED.exec(tail.slice(at))?.[0].length ?? tail.length;
    const rest = tail.slice(at);
    if (!beginsWithIllness(rest)) return;
    const { start, end } = phraseOf(rest);
    if (ABOUT.test(rest.slice(end)) || end <= start) return;
    yield { start: after + at + start, end: after + at + end, score: 0.75 };
    at += end;
  }
}

const LONGEST_LABEL = 20;
const LABELLING = / ?[:=]/g;

/** "Impression: acute bronchitis": the name follows a colon. */
function* labelled({ text }: Scan): Generator<Match> {
  for (const { 0: sign, index } of hitsOf(text, LABELLING)) {
    const [word = ''] = /(?<!\p{L})\p{L}{1,20}$/u.exec(text.slice(Math.max(0, index - LONGEST_LABEL), index)) ?? [];
    if (!LABELS.has(word.toLowerCase())) continue;
    const after = index + sign.length;
    const tail = text.slice(after, after + TAIL);
    const { start, end, isIllness } = phraseOf(tail);
    if (!isIllness) continue;
    yield { start: withArticle(text, after + start), end: after + end, score: 0.8 };
    yield* others(tail, after, end);
  }
}

const MAX_PHRASE = 6;
const MAX_OVER = 20;
/** What goes on describing an illness after its name. */
const FURTHER =
  /^(?:[ -](?:disease|disorder|syndrome|infection|patient|mellitus|insipidus|simplex|zoster|nervosa|pectoris|vulgaris|positive|positiv[oa]?|séropositif|múltiple|multipla|bipolare?|bipolaire|cr[oó]nic[oa]|chronique|mayor|majeure?|maggiore|bronchiale|ulcerosa|rheumatoide|s[eé]v[eè]re|severa|arteri(?:al|elle|osa)|mellit[oi]|cerebral[ei]?|pulmonar[ei]?|hep[aá]tic[oa]|renal[ei]?|cong[eé]nit[oa]|spectrum|idiopathic|(?:type|typ|tipo|stage|stadium|stade|stadio|grade|grad|phase)(?= ?(?:\d|[ivx]+|[ab])(?![\p{L}]))|\d{1,2}|i{1,3}|iv|[a-e])(?![\p{L}\p{N}])| (?:of|de|du|del|della|di|al|des|der) (?:the |la |les |los )?(?!año|mes|lunedì)\p{L}{3,14}){0,3}/iu;

interface Phrase {
  readonly start: number;
  readonly end: number;
  readonly isIllness: boolean;
}

/** The name at the beginning of a text, without its articles: up to six words, up to a stop. */
function phraseOf(tail: string): Phrase {
  const start = ARTICLES.exec(tail)?.[0].length ?? 0;
  let end = start;
  let words = 0;
  for (const { 0: word, index } of tail.slice(start).matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu)) {
    const between = tail.slice(end, start + index);
    if (words === MAX_PHRASE || (words > 0 && between !== ' ') || (STOPS.test(word) && !CAPITALS.has(word))) break;
    end = start + index + withoutTail(word, ".'’-").length;
    words++;
    if (end < start + index + word.length) break;
  }
  const rest = tail.slice(start);
  const name = illnessesIn(rest.slice(0, end - start + MAX_OVER)).findLast((one) => start + one.start < end);
  if (name) {
    end = start + name.end;
    end += /^['’]s(?!\p{L})/u.exec(tail.slice(end))?.[0].length ?? 0;
    end += FURTHER.exec(tail.slice(end))?.[0].length ?? 0;
  }
  return { start, end, isIllness: name !== undefined };
}

function afterIllness(tail: string): string {
  const [hit] = illnessesIn(tail);
  return hit ? tail.slice(hit.end) : '';
}
