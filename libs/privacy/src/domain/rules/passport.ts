import { contextWords } from '../context-words.js';
import { digitsIn, isAmount, isDate, namedValues } from '../named-value.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { isTravelLine } from './passport-lines.js';

const WORDS = contextWords(
  '(?:e[ -]?)?passport(?:s|[ _-]?(?:number|no|num|id|nr|#))?',
  'passeports?',
  'pasaportes?',
  'passaport[eio]',
  'paspoort(?:nummer)?',
  'paszport(?:u|em)?',
  'reisep(?:ass|aß|ässe|asse?s)(?:es|[ _-]?(?:nummer|nr))?',
  'pa(?:ss|ß)(?:[ _-]?)(?:nummer|nr)',
  'travel document',
);

/** Letters and digits as passports of many states have them: C01X00T47, 12AB34567, AB1234567, 123456789. */
const SHAPE =
  /(?<![\p{L}\p{N}]|\d[-./])(?:[A-Za-z]{1,3}\d{6,8}|(?!NO|NR|IS|ID)[A-Z]{1,3}[ -]\d{6,9}|\d{2}[A-Za-z]{2}\d{5}|\d{2} [A-Z]{2} \d{5}|[CFGHJKLcfghjkl][CFGHJKLMNPRTVWXYZcfghjklmnprtvwxyz0-9]{8}\d?|[A-Za-z]\d{7}[A-Za-z]|[A-Z0-9]{9}|[A-Z] ?\d{2} \d{3} \d{3}|[A-Z] \d{3} \d{4}|\d{8,9}|\d{3}[ -]\d{3}[ -]\d{3}|\d{2} \d{2} \d{6}|\d{2} \d{7})(?![\p{L}\p{N}]|[-./]\d)/gu;

/** A number in the form of a passport's near a word that says so. */
const context: Rule = {
  id: 'passport.context',
  type: 'passport',
  category: CATEGORY_OF.passport,
  numeric: true,
  leastDigits: 2,
  find: (scan) =>
    namedValues(scan, {
      words: WORDS,
      shape: SHAPE,
      part: (candidate, after) => (digitsIn(candidate) >= 2 && !isDate(candidate) && !isAmount(after) ? candidate : ''),
      score: 0.85,
    }),
};

/** A line of the machine-readable zone, two lines of 44 (ICAO 9303-4): the second has check digits. */
const LINE = /(?<![A-Z0-9<])[A-Z0-9<]{44}(?![A-Z0-9<])/g;

const machineReadable: Rule = {
  id: 'passport.mrz',
  type: 'passport',
  category: CATEGORY_OF.passport,
  numeric: false,
  *find({ text }) {
    if (!text.includes('<')) return;
    for (const { 0: line, index } of text.matchAll(LINE)) {
      if (isTravelLine(line)) yield { start: index, end: index + line.length, score: 0.98 };
    }
  },
};

export const PASSPORT_RULES = [context, machineReadable];
