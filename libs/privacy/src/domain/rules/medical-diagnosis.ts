import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { beginsWithIllness, ILLNESS, speaksOfIllness } from './medical-conditions.js';
import { isElided, isOfSomebody } from './medical-subject.js';

const LEAD = 80;
const TAIL = 120;

/** What says that somebody has an illness, and stands before its name. */
const TOLD = contextWords(
  'diagnosed (?:with|as having)',
  'diagnosis (?:is|was|of)',
  'diagnos(?:is|e|i|tic) ?[:=]',
  'dx ?[:=]',
  'diagnostiziert mit',
  'diagnose (?:lautet|ist)',
  'diagnostic(?:ad[oa]|aron)(?: (?:con|de|una?))?',
  'diagn[oó]stico(?: es)? ?[:=]?',
  'diagnostiqu[eé]e?(?: (?:avec|d.une?|une?|un))?',
  'diagnosticat[oai](?: (?:con|una?))?',
);
const SUFFERED = contextWords(
  'suffer(?:s|ed|ing)? (?:from|with)',
  'tested positive for',
  '(?:being |been )?treated for',
  '(?:in remission|recover(?:ing|ed)) (?:from|of)',
  'history of',
  'liv(?:es?|ing) with',
  'battl(?:es|ed|ing)',
  '(?:hospitali[sz]ed|medicated|in therapy|in treatment|on medication|takes? medication|in rehab) (?:with|for)',
  'lost (?:his|her|my) .{1,20} to',
  'died (?:of|from)',
  '(?:leide[nt]?|litt) (?:an|unter)',
  'erkrankt(?:e)? an',
  'positiv auf',
  'sufr(?:o|e|en|ía|imos)(?: de)?',
  'padezco(?: de)?',
  'padece(?: de)?',
  'enferm[oa] de',
  'positivo (?:en|al|por|a)',
  'souffr(?:e|es|ait|ant|ons) d(?:e|u|.)',
  'atteinte? d(?:e|u|.)',
  'positi(?:f|ve) (?:au|à)',
  'soffr(?:o|e|iva) d(?:i|a|el|ella|ell.)',
  '(?:affett|malat)[oa] d(?:i|a|el|ella|ell.)',
);
const HAVING = contextWords(
  "i['’ ]?ve(?: got)?",
  'have(?: got)?',
  'has(?: got)?',
  'had',
  'got',
  'am',
  "i['’]m",
  'is',
  "s?he['’]s",
  'habe',
  'hat',
  'bin',
  'tengo',
  'tiene',
  'soy',
  'estoy',
  "j['’ ]ai",
  'il a',
  'elle a',
  'suis',
  'ho',
  'ha',
  'sono',
  'my',
  'meine?',
  'mi',
  'mon',
  'mia',
  'mio',
);
const OWNING = /^(?:my|meine?|mi|mon|mia|mio)$/i;
/** First persons carry their subject with them. */
const FIRST_PERSON =
  /^(?:i['’ ]?(?:ve|m)|tengo|soy|estoy|j['’ ]ai|ho|sono|sufr(?:o|ía|imos)|padezco|soffr(?:o|iva)|my|meine?|mi|mon|mia|mio)(?![\p{L}])/iu;
/** An illness that something else is named after: "my cancer research". */
const ABOUT =
  /^[ -](?:research|stud(?:y|ies)|apps?|projects?|books?|charit(?:y|ies)|essay|papers?|thesis|awareness|class(?:es)?|course|models?|data(?:set)?s?|tests?|detector|prediction|classifier|vaccin\p{L}*|presentation|homework|report|article|notes|guide|foundation|clinic|center|centre|fundraiser|insurance|questions?|studie|arbeit|forschung|impfung)(?![\p{L}])/iu;
/** What programs and machines are diagnosed with. */
const TOOLS =
  /^ ?(?:(?:the|an?|our|some|this) )?(?:[\p{L}-]{1,20} ){0,2}(?:help|aid|use|profilers?|debuggers?|gdb|tools?|logs?|logging|trac(?:es?|ing)|tests?|scan(?:ner)?s?|software|script|metrics|bugs?|leaks?|faults?|errors?|ease|care|same|it|this|that|something|nothing|anything|what)(?![\p{L}])/iu;
const STOPS =
  /^(?:last|in|on|at|when|since|and|or|but|for|from|this|that|which|two|three|four|five|years?|months?|ago|while|who|by|after|before|because|so|yesterday|today|recently|again|as|during|is|was|are|i|he|she|my|seit|im|am|als|vor|und|oder|aber|wurde|ist|worden|desde|hace|en|cuando|y|o|pero|depuis|quand|il|et|ou|mais|da|quando|nel|nell|e|ed|ma)$/i;
const ARTICLES =
  /^(?: |(?:an?|the|eine[nrms]?|die|der|das|dem|den|una?|el|la|los|las|une?|du|de|le|les|il|lo|gli|di|del|della|con|avec|mit)(?= )|(?:l|d|un|dell|all)['’])+/i;

/** "diagnosed with ..., suffers from ..., I have ...": the illness of a person in particular. */
const told: Rule = {
  id: 'medical_diagnosis.told',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  *find(scan) {
    yield* phrases(scan, TOLD, (lead, verb, tail) => {
      const known = beginsWithIllness(tail) || speaksOfIllness(phraseOf(tail).text);
      if (/[:=]$|^diagnos(?:is|e) (?:is|was|of|lautet|ist)|^diagn[oó]stico/i.test(verb))
        return known && !/^diagnosis of/i.test(verb) ? true : known && isOfSomebody(lead, tail);
      if (known && isElided(lead, tail)) return true;
      return isOfSomebody(lead, tail) && (known || (/^diagnosed/i.test(verb) && !TOOLS.test(tail)));
    });
    yield* phrases(
      scan,
      SUFFERED,
      (lead, verb, tail) =>
        beginsWithIllness(tail) || speaksOfIllness(phraseOf(tail).text)
          ? isOfSomebody(lead, tail) || (FIRST_PERSON.test(verb) && isOfSomebody(`${lead} yo `, tail))
          : false,
    );
    yield* phrases(scan, HAVING, (lead, verb, tail) => {
      if (!beginsWithIllness(tail) || ABOUT.test(tail.slice(phraseOf(tail).end))) return false;
      if (OWNING.test(verb) && ABOUT.test(afterIllness(tail))) return false;
      return isOfSomebody(FIRST_PERSON.test(verb) ? `${lead}yo ` : lead, tail);
    });
  },
};

const FOUND = contextWords('diagnostiziert', 'festgestellt');

/** "bei mir wurde ... diagnostiziert": the name stands before the verb. */
const foundOut: Rule = {
  id: 'medical_diagnosis.found_out',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  *find({ text }) {
    for (const { index } of text.matchAll(FOUND)) {
      const from = Math.max(0, index - LEAD);
      const lead = text.slice(from, index);
      const names = [...lead.matchAll(ILLNESS)];
      const name = names.at(-1);
      if (name && isOfSomebody(lead.slice(0, name.index), text.slice(index, index + TAIL)))
        yield { start: from + name.index, end: from + name.index + name[0].length, score: 0.8 };
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
  *find(scan) {
    if (!scan.everSpeaksOf(CODED)) return;
    for (const { 0: code, index: start } of scan.text.matchAll(CODE)) {
      const end = start + code.length;
      const clear = code.includes('.') || /^[A-Z]/.test(code);
      if (clear && scan.speaksOf(CODED, start, end)) yield { start, end, score: 0.85 };
    }
  },
};

const NAMED = contextWords('diagnos(?:is|e|es|en|i|tic)', 'diagn[oó]sticos?', '(?:medical|health) conditions?', 'illness(?:es)?', 'krankheit(?:en)?', 'enfermedad(?:es)?', 'maladies?', 'malattie?');
const MAX_NAME = 80;

/** A short value whose key says what it is: {"diagnosis": "chronic kidney disease"}. */
const named: Rule = {
  id: 'medical_diagnosis.named',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  *find(scan) {
    const { text } = scan;
    if (text.length > MAX_NAME || !scan.isAbout(NAMED) || !speaksOfIllness(text)) return;
    const start = text.length - text.trimStart().length;
    yield { start, end: text.trimEnd().length, score: 0.8 };
  },
};

export const MEDICAL_DIAGNOSIS_RULES = [told, foundOut, coded, named];

/** The illnesses that stand after these words where the words around allow it. */
function* phrases(
  { text }: Scan,
  words: RegExp,
  isMeant: (lead: string, verb: string, tail: string) => boolean,
): Generator<Match> {
  for (const { 0: verb, index } of text.matchAll(words)) {
    const after = index + verb.length;
    const tail = text.slice(after, after + TAIL);
    const { start, end } = phraseOf(tail);
    if (end <= start) continue;
    if (isMeant(text.slice(Math.max(0, index - LEAD), index), verb, tail))
      yield { start: after + start, end: after + end, score: 0.8 };
  }
}

const MAX_PHRASE = 6;

/** The name at the beginning of a text, without its articles: up to six words, up to a stop. */
function phraseOf(tail: string): { readonly start: number; readonly end: number; readonly text: string } {
  const start = ARTICLES.exec(tail)?.[0].length ?? 0;
  let end = start;
  let words = 0;
  for (const { 0: word, index } of tail.slice(start).matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu)) {
    const between = tail.slice(end, start + index);
    if (words === MAX_PHRASE || (words > 0 && between !== ' ') || STOPS.test(word)) break;
    end = start + index + word.replace(/[.'’-]+$/, '').length;
    words++;
    if (end < start + index + word.length) break;
  }
  const [name] = tail.slice(start).matchAll(ILLNESS);
  if (name && start + name.index <= end) end = Math.max(end, start + name.index + name[0].length);
  return { start, end, text: tail.slice(start, end) };
}

function afterIllness(tail: string): string {
  const [hit] = tail.matchAll(ILLNESS);
  return hit ? tail.slice(hit.index + hit[0].length) : '';
}
