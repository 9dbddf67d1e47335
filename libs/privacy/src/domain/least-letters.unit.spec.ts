import metadata from 'libphonenumber-js/max/metadata';
import fc from 'fast-check';

import { ALL_WORDS, LEAST_LETTERS, Surroundings } from './context-words.js';
import { rulesOver } from './detector.js';
import { fold } from './fold.js';
import { numberingPlans } from './rules/phone-plans.js';
import { Scan } from './scan.js';

/** What a text of few letters is not asked for is nothing that would have been found in it. */

const ASKING = rulesOver(numberingPlans(metadata)).filter(({ leastLetters = 0 }) => leastLetters > 0);

/** Of each rule that asks for letters a text with hardly more of them than it asks for. */
const SHORTEST: Readonly<Record<string, string>> = {
  'uk_nino.lettered': 'AB123456C',
  'uk_nino.context': 'AB 12 34 56',
  'es_nif.lettered': '12345678Z',
  'es_nif.context': '1234567L',
  'es_nie.lettered': 'X1234567L',
  'it_fiscal_code.lettered': 'RSSMRA85T10A562S',
  'it_fiscal_code.letters': 'RSSMRAURTMLARSNL',
  'iban.checksum': 'DE89 3704 0044 0532 0130 00',
  'email.spelled': '1 @ 2 . de',
  'email.joined': '1AT2DOTde',
  'crypto_wallet.segwit': 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'crypto_wallet.ethereum': `0x${'12'.repeat(20)}`,
  'medical_diagnosis.told': 'dx: MS',
  'medical_diagnosis.found_out': 'er MS erkrankt',
  'medical_diagnosis.icd': 'E11.9',
  'medical_diagnosis.named': 'MS',
  'medical_diagnosis.tested': 'my HIV test is positive',
  'first_name.introduced': 'nome: Al',
  'first_name.greeted': "I'm Al",
  'first_name.member': 'Al',
  'interest.said': 'adoro go',
  'postal_address.number_first': '12 A St',
  'postal_address.street_first': 'Aweg 5, 12345 Ab',
  'postal_address.uk_code': '1 Ab, W1A 1AA',
  'postal_address.box': 'po box 1, AL 12345',
  'postal_address.romance': 'c/ a 1, 28013 Ab',
  'postal_address.street_before_number': 'A. St 5',
};

/** Each rule is told by the outer context of whatever it could want to be told. */
const ABOUT = new Surroundings(
  'nino dni diagnosis address icd email ssn passport mrn account fingerprint template first name',
);
const found = (text: string): readonly { readonly id: string; readonly leastLetters: number }[] => {
  const scan = new Scan(fold(text), { context: ABOUT });
  return ASKING.flatMap(({ id, leastLetters = 0, find }) => ([...find(scan)].length > 0 ? [{ id, leastLetters }] : []));
};

it('has such a text for each rule that asks for letters, in which it finds something', () => {
  expect(Object.keys(SHORTEST).sort()).toEqual(ASKING.map(({ id }) => id).sort());
  const silent = Object.entries(SHORTEST).filter(([id, text]) => !found(text).some((one) => one.id === id));
  expect(silent).toEqual([]);
});

const PIECES = fc.constantFrom(
  ...Object.values(SHORTEST),
  ...Object.values(SHORTEST).flatMap((text) => text.split(' ')),
  ...['12', '3', '456 789', '28013', ' ', ' ', ', ', '. ', '-', 'é', 'ß', 'Ж', '護'],
);

it('finds nothing in a text of fewer letters than a rule asks for', () => {
  let few = 0;
  fc.assert(
    fc.property(fc.array(PIECES, { minLength: 1, maxLength: 4 }), (pieces) => {
      const text = pieces.join('');
      const { letterCount } = new Scan(fold(text));
      const tooFew = found(text).filter(({ leastLetters }) => letterCount < leastLetters);
      if (letterCount < 9) few++;
      expect([text, letterCount, tooFew]).toEqual([text, letterCount, []]);
    }),
    { numRuns: 5000 },
  );
  expect(few).toBeGreaterThan(1000);
});

it('knows no word of fewer than two letters', () => {
  const signs = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at));
  const letters = ['', ...signs.filter((sign) => /[a-z]/i.test(sign))];
  const others = ['', ...signs.filter((sign) => !letters.includes(sign))];
  const texts = letters.flatMap((letter) =>
    others.flatMap((before) => others.map((after) => before + letter + after + before)),
  );
  expect(ALL_WORDS.length).toBeGreaterThan(25);
  expect(LEAST_LETTERS).toBe(2);
  for (const words of ALL_WORDS) expect([words, texts.filter((text) => text.search(words) >= 0)]).toEqual([words, []]);
});
