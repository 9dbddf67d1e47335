import { contextWords } from '../context-words.js';
import { digitsIn, isAmount, isDate, namedValues } from '../named-value.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';

const WORDS = contextWords(
  'mrn',
  'med\\.?[ _-]?rec(?:ords?)?\\.?(?:[ _-]?(?:number|no|num|id|nr))?',
  'medical[ _-]?(?:records?|file|chart)(?:[ _-]?(?:number|no|num|id|nr))?',
  'patients?[ _-]?(?:id|identifier|identification|number|no|num|file|record|chart)(?:[ _-]?(?:number|no))?',
  '(?:hospital|health|clinic(?:al)?|e[mh]r)[ _-]?records?[ _-]?(?:number|no|num|id|#)',
  '(?:hospital|chart|clinic|health[ _-]?(?:card|record|plan|insurance))[ _-]?(?:number|no|num|id)',
  'patienten?[ _-]?(?:nummer|nr|id|akten?(?:nummer)?|kennung)',
  'pat\\.?[ -]{0,2}(?:nr|id|no)',
  'nhc',
  'krankenakten?(?:[ _-]?(?:nummer|nr))?',
  '(?:kranken)?versicherten[ _-]?(?:nummer|nr)',
  '(?:fall|aufnahme)nummer',
  'histori(?:a|al) (?:cl[ií]nic[oa]|m[eé]dic[oa])',
  '(?:n[uú]mero|id|c[oó]digo|identificaci[oó]n) del? paciente',
  'expediente (?:m[eé]dico|cl[ií]nico)',
  '(?:num[eé]ro|n°|nº|id|identifiant) (?:de |du )?patient',
  'dossier (?:m[eé]dical|(?:du |de )?patient|hospitalier)',
  'ipp',
  'cartella (?:clinica|medica)',
  '(?:numero|codice|id|identificativo) (?:del )?paziente',
);

/** Letters and digits, in up to four parts; what of it is a number, RECORD says. */
const SHAPE =
  /(?<![\p{L}\p{N}]|[\p{L}\p{N}][-./])(?:\d{1,3}(?: \d{2,4}){1,3}(?! ?[:./-]?\d)|[A-Za-z0-9]{1,16}(?:[-/.][A-Za-z0-9]{1,12}){0,3})(?![\p{L}\p{N}])/gu;
const RECORD =
  /^(?:[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){1,3}|[A-Za-z]{0,4}[-/]?\d{1,12}(?:[-/.]\d{1,8}){0,3}(?:[-/]?[A-Za-z])?)(?![\p{L}\p{N}]|[-./]\d)/u;

const MIN_DIGITS = 4;

/** 94 2281 03 */
const IN_GROUPS = /^(?=(?:\D{0,1}\d){6})\d{1,3}(?: \d{2,4}){1,3}$/;

/** The number of a patient or of a patient's record near a word that says so. */
const context: Rule = {
  id: 'medical_record.context',
  type: 'medical_record',
  category: CATEGORY_OF.medical_record,
  numeric: true,
  leastDigits: MIN_DIGITS,
  find: (scan) => namedValues(scan, { words: WORDS, shape: SHAPE, part: recordIn, score: 0.8 }),
};

export const MEDICAL_RECORD_RULES = [context];

function recordIn(written: string, after: string): string {
  const candidate = IN_GROUPS.test(written) ? written : (RECORD.exec(written)?.[0] ?? '');
  if (digitsIn(candidate) < MIN_DIGITS || isDate(candidate) || /^\d+\.\d{1,2}$/.test(candidate) || isAmount(after))
    return '';
  return /^ (?:patients?|people|records|pages|words|beds|patienten|pacientes|pazienti)/i.test(after) ? '' : candidate;
}
