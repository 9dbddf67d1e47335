import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { UK_CODE } from './postal-address-words.js';

/** A key or note that says that what stands under it is an address: there a street and a number are enough. */
export const ADDRESSED = contextWords(
  '(?:postal|mailing|home|street|shipping|billing|delivery)?[ _-]?address(?:[ _-]?(?:line)?[ _-]?\\d)?',
  'street(?:[ _-]?name)?',
  'resid(?:ence|es at)',
  '(?:wohn|post|liefer|rechnungs)?(?:anschrift|adresse)',
  'stra(?:ß|ss)e',
  'direcci[oó]n',
  'domicil(?:io|e)',
  'indirizzo',
);

const STREET =
  /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}'’.-]{1,20} ){1,3}(?:Street|St\.?|Road|Rd\.?|Lane|Avenue|Ave\.?|Drive|Square|Terrace|Gardens|Boulevard|Crescent|Close|Mews),? (?!(?:19|20)\d\d(?!\d))\d{1,4}[A-Za-z]?(?![\p{L}\p{N}])/gu;
/** What street, number and the words before them take together at most. */
const LONGEST = 120;
const CODE = new RegExp(`^[, ]{1,2}(?:\\p{L}[\\p{L}'’.-]{1,30}[, ]{1,2}){0,3}${UK_CODE}`, 'iu');
const TOWN = /^, ?\p{Lu}\p{Ll}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,2}/u;

/** An English street with its number behind it, as the rest of Europe writes: `Baker Street 221b, London`. */
const streetBeforeNumber: Rule = {
  id: 'postal_address.street_before_number',
  type: 'postal_address',
  category: CATEGORY_OF.postal_address,
  numeric: true,
  leastLetters: 3,
  *find(scan) {
    for (const { start, end } of scan.nearDigits(STREET, { reach: LONGEST })) {
      const rest = scan.text.slice(end, end + 120);
      const [place] = CODE.exec(rest) ?? TOWN.exec(rest) ?? [];
      if (place !== undefined) yield { start, end: end + place.length, score: 0.8 };
      else if (scan.isAbout(ADDRESSED)) yield { start, end, score: 0.7 };
    }
  },
};

export const STREET_BEFORE_NUMBER_RULES = [streetBeforeNumber];
