import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { illnessesIn } from './medical-conditions.js';
import { clauseOf, isOfSomebody } from './medical-subject.js';
import { hitsOf } from '../hits.js';

const LEAD = 80;
const TAIL = 120;

const WENT =
  '(?:(?:comes?|came|was|is|were|are|turned out|returned|war|ist|fiel|kam|dio|salió|salio|fue|es|est|était|è|era)(?: (?:back|just|leider|revenue?|ressortie?|risultat[oa]|stat[oa]))?|tested|returned)';
/** What became of a test. */
const POSITIVE = new RegExp(`(?<![a-zà-ÿ])${WENT} positi(?:ves?|v[oa]?|f|ve)(?![a-zà-ÿ])`, 'gi');
const TEST =
  /(?<!\p{L})(?:tests?|results?|screening|swab|abstrich|probe|ergebnis|prueba|examen|an[aá]lisis|r[eé]sultat|d[eé]pistage|esame|tampone|risultato)(?!\p{L})/iu;

/** "My HIV test came back positive": the name stands before what became of its test. */
export const MEDICAL_TESTED_RULE: Rule = {
  id: 'medical_diagnosis.tested',
  type: 'medical_diagnosis',
  category: CATEGORY_OF.medical_diagnosis,
  numeric: false,
  leastLetters: 9,
  *find({ text }) {
    for (const { index } of hitsOf(text, POSITIVE)) {
      const lead = clauseOf(text.slice(Math.max(0, index - LEAD), index));
      if (!TEST.test(lead)) continue;
      const name = illnessesIn(lead).at(-1);
      if (!name || !isOfSomebody(lead, text.slice(index, index + TAIL))) continue;
      const from = index - lead.length;
      yield { start: from + name.start, end: from + name.end, score: 0.8 };
    }
  },
};
