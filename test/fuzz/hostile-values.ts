import fc from 'fast-check';

import { CANARIES } from '../support/canaries.js';
import { HOSTILE_PIECES, repeated } from '../support/hostile-texts.js';

/** Values that a caller should not send, or sends to find out: as texts, and as tokens of JSON that need not be JSON. */

/** Names that mean something to an object of JavaScript. */
export const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'] as const;

const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00',
  '\ufeffa',
  'a\u0301',
  '\u00e1',
  '\u202eabc',
  'a\u200bb',
  '\uff41\uff42',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u212a',
  'i\u0307',
  '../../etc/passwd',
  '..\\..\\x',
  '%00',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '$' + '{jndi:ldap://x}',
  '{{7*7}}',
  '$where',
  '-',
  '.',
  '..',
  '/',
  '//',
  '#',
  '?',
  '*',
  '0',
  '-1',
  '1e400',
  'NaN',
  'null',
  'true',
  '9007199254740993',
  '18446744073709551616',
  '0x10',
  '\u0661',
  ...PROTOTYPE_NAMES,
];

/** Longer than any field may be, and longer than any body. */
const LENGTHS = [129, 257, 4_001, 8_001, 20_000, 70_000, 300_000];

const long = fc
  .tuple(fc.constantFrom('x', '\u00e9', '\u{1f600}', '"', '\\', ...HOSTILE_PIECES), fc.constantFrom(...LENGTHS))
  .map(([piece, length]) => repeated(piece, length));

/** Short enough for a path, a query and a header. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.values(CANARIES)) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_PIECES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(200, 600, 3_000).map((length) => 'y'.repeat(length)) },
);

/** Of any length. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: oddText },
  { weight: 1, arbitrary: long },
);

const TOKENS: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '1e21',
  '1.0000000001',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551616',
  '00',
  'NaN',
  'Infinity',
  'undefined',
  "'x'",
  '""',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"a":{"b":[1]}}',
  '{"":0}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":1,"toJSON":1}',
  '{"a":1,"a":2}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"unended',
  '/**/1',
];

const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}']), fc.constantFrom(20, 200, 2_000, 20_000))
  .map(([[open, close], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

/** What stands where a value of JSON should. */
export const hostileToken: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...TOKENS) },
  { weight: 8, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: fc.constantFrom(65, 201, 5_000).map((length) => `[${Array(length).fill('1').join()}]`) },
);
