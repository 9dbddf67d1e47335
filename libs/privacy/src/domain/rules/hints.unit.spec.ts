import fc from 'fast-check';

import { fold } from '../fold.js';
import { Scan } from '../scan.js';
import { INTRODUCED, INTRODUCED_HINT } from './first-name.js';
import { LIKED, LIKED_HINT } from './interest.js';
import { V6, V6_PIECE } from './ip-address.js';
import { isPublicV6 } from './ip-ranges.js';
import { WRITTEN, WRITTEN_PIECE } from './mac-address.js';
import { beginsWithIllness, illnessesIn } from './medical-conditions.js';
import { placesOfIllness } from './medical-places.js';
import { TOLD, TOLD_HINT } from './medical-words.js';
import { WORDS, WORDS_HINT } from './biometric.js';

/** What a text is not searched for is nothing that would have been found in it. */

const LOOKING_AROUND = /\(\?<?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g;

/** Texts that an expression takes, whatever may stand around them. */
function textsOf(words: RegExp): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^${words.source.replace(LOOKING_AROUND, '')}$`));
}

it.each([
  ['what says that somebody has an illness', TOLD, TOLD_HINT],
  ['what somebody likes', LIKED, LIKED_HINT],
  ['what gives a name', INTRODUCED, INTRODUCED_HINT],
  ['what is biometric', WORDS, WORDS_HINT],
  ['the address of a device', WRITTEN, WRITTEN_PIECE],
])('%s has a piece of its hint', (_, words, hint) => {
  fc.assert(
    fc.property(textsOf(words), (text) => text.search(hint) >= 0),
    { numRuns: 2000 },
  );
});

const PIECES = fc.constantFrom(
  ...['asthma', 'flu', 'cancer', 'crohn', 'disease', 'disorder', 'migraine', 'arthritis', 'illness', 'lupus', 'HIV'],
  ...['my', 'had', 'is', 'severe', 'a', 'blue', 'memory', 'house', 'Straße', 'über', 'naïve', 'ж', '2', '17', '_'],
  ...[' ', ' ', ' ', ' ', '-', "'", ', ', '. '],
);
const TEXTS = fc.array(PIECES, { maxLength: 40 }).map((pieces) => pieces.join(''));
const LONGEST = 120;

/** Whether a word of the rules may end here: behind a letter before none, or where no word is. */
function mayEndBefore(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  return /[a-zà-ÿ]/i.test(before) ? !/^[a-zà-ÿ]/i.test(text.slice(at)) : !/[\p{L}\p{N}]/u.test(before);
}

it('what names an illness, wherever behind a word the text is begun, has a place of one in it', () => {
  let [named, none] = [0, 0];
  fc.assert(
    fc.property(TEXTS, (text) => {
      const places = placesOfIllness(text);
      if (places.length === 0) none++;
      for (let at = 0; at <= text.length; at++) {
        if (!mayEndBefore(text, at)) continue;
        const rest = text.slice(at, at + LONGEST);
        if (!beginsWithIllness(rest) && illnessesIn(rest).length === 0) continue;
        named++;
        const isThere = places.some((place) => place >= at && place < at + LONGEST);
        expect([text, at, places, isThere]).toEqual([text, at, places, true]);
      }
    }),
    { numRuns: 4000 },
  );
  expect(named).toBeGreaterThan(2000);
  expect(none).toBeGreaterThan(10);
});

it('ordinary words are no places of illnesses', () => {
  expect(placesOfIllness('The blue house in the old street has 17 windows, über 2 Türen and a naïve owner.')).toEqual(
    [],
  );
  expect(placesOfIllness('She has asthma, his Diabetes2, né MS')).toEqual([8, 20, 34]);
});

it('every address of the Internet’s sixth version has a piece of its hint', () => {
  let addresses = 0;
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      if (!isPublicV6(text)) return true;
      addresses++;
      return text.search(V6_PIECE) >= 0;
    }),
    { numRuns: 8000 },
  );
  expect(addresses).toBeGreaterThan(20);
});

const SIGNS = fc.constantFrom(
  ...'::::--..  0123abcdEFgz',
  '1a:2b:3c:4d:5e:6f',
  '2a00:1450::8844',
  'aabb.ccdd.ee01',
  ' '.repeat(60),
);

it.each([
  ['devices', WRITTEN, WRITTEN_PIECE],
  ['hosts', V6, V6_PIECE],
])('near its piece stands all that is found of the addresses of %s, and nothing else', (_, shape, piece) => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(SIGNS, { minLength: 1, maxLength: 60 }), (signs) => {
      const scan = new Scan(fold(signs.join('')));
      const all = [...scan.nearDigits(shape)].filter(({ written }) => written.search(piece) >= 0);
      found += all.length;
      expect([...scan.nearDigits(shape, { piece })].filter(({ written }) => written.search(piece) >= 0)).toEqual(all);
    }),
    { numRuns: 6000 },
  );
  expect(found).toBeGreaterThan(60);
});
