import { detect, detectInPayload } from '../detection.js';
import { DETECTOR_VERSION } from './detector.js';
import { CATEGORY_OF } from './pii-types.js';

/** Text, type, and the part of the original text that must be found: exactly one finding. */
const PERSONAL: readonly (readonly [string, keyof typeof CATEGORY_OF, string])[] = [
  ['My SSN is 123-45-6789', 'us_ssn', '123-45-6789'],
  ['sample 078-05-1120 counts too', 'us_ssn', '078-05-1120'],
  ['spaces: 123 45 6789.', 'us_ssn', '123 45 6789'],
  ['dots 123.45.6789', 'us_ssn', '123.45.6789'],
  ['mixed 123-45 6789', 'us_ssn', '123-45 6789'],
  ['wide dashes 123 - 45 - 6789', 'us_ssn', '123 - 45 - 6789'],
  ['user_123-45-6789', 'us_ssn', '123-45-6789'],
  ['ssn123-45-6789', 'us_ssn', '123-45-6789'],
  ['my social security number is 123456789', 'us_ssn', '123456789'],
  ['123456789 is my SSN', 'us_ssn', '123456789'],
  ['Seguro social: 123 456 789', 'us_ssn', '123 456 789'],
  ['{"ssn":123456789}', 'us_ssn', '123456789'],
  ['full-width １２３-４５-６７８９', 'us_ssn', '１２３-４５-６７８９'],
  ['Arabic-Indic ١٢٣-٤٥-٦٧٨٩', 'us_ssn', '١٢٣-٤٥-٦٧٨٩'],
  ['Devanagari १२३-४५-६७८९', 'us_ssn', '१२३-४५-६७८९'],
  ['bold 𝟏𝟐𝟑-𝟒𝟓-𝟔𝟕𝟖𝟗', 'us_ssn', '𝟏𝟐𝟑-𝟒𝟓-𝟔𝟕𝟖𝟗'],
  ['zero width 123\u200b-45-\u200b6789', 'us_ssn', '123\u200b-45-\u200b6789'],
  ['soft hyphen 12\u00ad3-45-6789', 'us_ssn', '12\u00ad3-45-6789'],
  ['NUL 123\u0000-45-6789', 'us_ssn', '123\u0000-45-6789'],
  ['line break 123-45-\r\n6789', 'us_ssn', '123-45-\r\n6789'],
  ['look-alike l23-45-678O', 'us_ssn', 'l23-45-678O'],
  ['en dash 123–45–6789', 'us_ssn', '123–45–6789'],
  ['non-breaking 123\u00a045\u00a06789', 'us_ssn', '123\u00a045\u00a06789'],
  ['struck 1\u03362\u03363\u0336-45-6789', 'us_ssn', '1\u03362\u03363\u0336-45-6789'],
  ['4111 1111 1111 1111', 'payment_card', '4111 1111 1111 1111'],
  ['4111111111111111', 'payment_card', '4111111111111111'],
  ['4111-1111-1111-1111 12/27 123', 'payment_card', '4111-1111-1111-1111'],
  ['3782 822463 10005', 'payment_card', '3782 822463 10005'],
  ['dots 5555.5555.5555.4444', 'payment_card', '5555.5555.5555.4444'],
  ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', 'payment_card', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
  ['4111 1111\n1111 1111', 'payment_card', '4111 1111\n1111 1111'],
  ['4111-1111 1111.1111', 'payment_card', '4111-1111 1111.1111'],
  ['4111-1111-1111 l111', 'payment_card', '4111-1111-1111 l111'],
  ['card4111111111111111', 'payment_card', '4111111111111111'],
  ['6011111111111117', 'payment_card', '6011111111111117'],
  ['30569309025904', 'payment_card', '30569309025904'],
  ['3530111333300000', 'payment_card', '3530111333300000'],
  ['2204240100000001', 'payment_card', '2204240100000001'],
  ['5019717010103742', 'payment_card', '5019717010103742'],
  ['2223003122003222', 'payment_card', '2223003122003222'],
  ['4222222222222', 'payment_card', '4222222222222'],
  ['john@gmail.com', 'email', 'john@gmail.com'],
  ['(Mail: info@mace.dev).', 'email', 'info@mace.dev'],
  ['o.b+tag@sub.firm.co.uk', 'email', 'o.b+tag@sub.firm.co.uk'],
  ['müller@müllerei.de', 'email', 'müller@müllerei.de'],
  ['Cyrillic jоhn@gmail.cоm', 'email', 'jоhn@gmail.cоm'],
  ['full-width ｊｏｈｎ＠ｇｍａｉｌ．ｃｏｍ', 'email', 'ｊｏｈｎ＠ｇｍａｉｌ．ｃｏｍ'],
  ['jo\u200bhn@gm\u00adail.com', 'email', 'jo\u200bhn@gm\u00adail.com'],
  ['john [at] gmail [dot] com', 'email', 'john [at] gmail [dot] com'],
  ['john(at)firm(dot)de', 'email', 'john(at)firm(dot)de'],
  ['write john dot doe at gmail dot com', 'email', 'john dot doe at gmail dot com'],
  ['max.muster ät firma punkt de', 'email', 'max.muster ät firma punkt de'],
  ['juan arroba correo punto es', 'email', 'juan arroba correo punto es'],
  ['john@\ngmail.com', 'email', 'john@\ngmail.com'],
  ['john@gmail.\ncom', 'email', 'john@gmail.\ncom'],
  ['my email: john at gmail.com', 'email', 'john at gmail.com'],
  ['+1 415 555 2671', 'phone', '+1 415 555 2671'],
  ['tel:+1-415-555-2671', 'phone', '+1-415-555-2671'],
  ['+44 (0)20 7946 0958', 'phone', '+44 (0)20 7946 0958'],
  ['+49 30 123456', 'phone', '+49 30 123456'],
  ['+33 6 12 34 56 78', 'phone', '+33 6 12 34 56 78'],
  ['＋４４ 7911 123456', 'phone', '＋４４ 7911 123456'],
  ['+1 (415)\n555-2671', 'phone', '+1 (415)\n555-2671'],
  ['0049 30 123456', 'phone', '0049 30 123456'],
  ['(415) 555-2671', 'phone', '(415) 555-2671'],
  ['415-555-2671', 'phone', '415-555-2671'],
  ['415.555.2671', 'phone', '415.555.2671'],
  ['1-415-555-2671', 'phone', '1-415-555-2671'],
  ['call 4155552671', 'phone', '4155552671'],
  ['tel: 07911 123456', 'phone', '07911 123456'],
  ['Handy 0170 1234567', 'phone', '0170 1234567'],
  ['llámame al 612 345 678', 'phone', '612 345 678'],
];

const INNOCENT = [
  'What is 123-45-678?',
  'area 000-12-3456',
  'area 666-12-3456',
  'area 987-65-4321',
  'group 123-00-4567',
  'serial 123-45-0000',
  '9123-45-6789',
  '123-45-67890',
  'calculate 123 - 45 - 6789',
  '123456789',
  'order 987654321',
  'ZIP+4 12345-6789',
  '2024-01-15',
  '2024-01-15T10:30:00.123456Z',
  '2024-01-15 10:30:00 +0200',
  '12/31/2024',
  '31.12.2024 23:59:59',
  'call me on 2024-01-15 at 10:30',
  '1700000000',
  'call 1700000000',
  '1700000000000',
  '20240115103000',
  'ISBN 978-3-16-148410-0',
  'ISBN 0-306-40615-2',
  'EAN 4006381333931',
  'IMEI 490154203237518',
  'price $1,234.56',
  '12.345,67 €',
  '550e8400-e29b-41d4-a716-446655440000',
  '41111111-1111-4111-8111-111111111111',
  'd41d8cd98f00b204e9800998ecf8427e',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'commit 4c8b399',
  'version 1.20.300',
  'v123.45.6789',
  'lodash@4.17.21',
  '555-0123',
  'call 555-0123',
  '415-555-0132',
  '(650) 555-0199',
  '+1 415 555 0100',
  'user@example.com',
  'user@mail.example.org',
  'user at example dot com',
  'a@b.test',
  'root@localhost',
  'x@y.invalid',
  'me@foo.example',
  'icon@2x.png',
  'thanks @john.doe',
  'look at amazon.com',
  'look at this dot com bubble',
  'we were @home. It was late',
  'meet at noon, dot the i',
  '4111 1111 1111 1112',
  '1234567890123456',
  'pi is 3.141592653589793',
  '3.14159265358979323846',
  'x = 0.4111111111111111',
  '1+4155552671',
  '12 + 4155552671',
  '2+2',
  '12.5% of 80',
  '6.02214076e23',
  '2^64 = 18446744073709551616',
  'Integrate x^2 dx',
  'derivative of sin(x)^2',
  '1 2 3 4 5 6 7 8 9 10 11 12 13',
  '10 20 30 40 50 60 70 80',
  'the years 1914 1918 1939 1945',
  'remember to call mom at 5',
  'What is my favourite colour?',
  '192.168.100.100',
  'RFC 9562 and RFC 8785',
  'page 123 of 456, 2024',
];

describe('the detector', () => {
  it.each(PERSONAL)('finds in %j a %s', (text, type, part) => {
    const findings = detect(text);
    expect(findings.map(({ start, end, ...rest }) => ({ ...rest, part: text.slice(start, end) }))).toEqual([
      expect.objectContaining({ type, category: CATEGORY_OF[type], part }),
    ]);
    for (const { score, rule } of findings) {
      expect(score > 0 && score <= 1).toBe(true);
      expect(rule.startsWith(`${type}.`)).toBe(true);
    }
  });

  it.each(INNOCENT)('finds nothing in %j', (text) => {
    expect(detect(text)).toEqual([]);
  });

  it('finds a bare number only within about five words of the word that names it', () => {
    expect(detect('ssn one two three four five 123456789')).toHaveLength(1);
    expect(detect('ssn one two three four five six seven 123456789')).toEqual([]);
  });

  it('takes the context that stands outside of the text', () => {
    expect(detect('123456789', { context: 'social security number' })).toHaveLength(1);
    expect(detect('4155552671', { context: 'phone' })).toHaveLength(1);
  });

  it('reads digits one by one, and quoted names before an @', () => {
    expect(detect('it is 1 2 3 - 4 5 - 6 7 8 9').map(({ rule }) => rule)).toEqual(['us_ssn.digits']);
    expect(detect('1 2 3 4 5 6 7 8 9')).toEqual([]);
    expect(detect('1 2 3 - 4 5 - 6 7 8 9 1 2')).toEqual([]);
    const text = 'write to "bob.smith"@company.com today';
    expect(detect(text).map(({ type, start, end }) => [type, text.slice(start, end)])).toEqual([
      ['email', '"bob.smith"@company.com'],
    ]);
    expect(detect('""@company.com')).toEqual([]);
  });

  it('takes what stands beside a bare number in its payload as its context, and beside nothing else', () => {
    const types = (payload: unknown) => detectInPayload(payload).map(({ pointer, finding }) => [pointer, finding.type]);
    expect(types([{ code: '123456789' }, 'this is my ssn'])).toEqual([['/0/code', 'us_ssn']]);
    expect(types([{ code: 123456789 }, { about: { social_security: true } }])).toEqual([['/0/code', 'us_ssn']]);
    expect(types([{ code: '123456789' }, 'my favourite number'])).toEqual([]);
    expect(types([{ code: 'order 123456789' }, 'this is my ssn'])).toEqual([]);
    expect(types([{ code: '123456789' }, `ssn ${'x'.repeat(200)}`])).toEqual([]);
  });

  it('answers for a payload of 20,000 bare numbers and as many notes', () => {
    const payload = Array.from({ length: 20_000 }, (_, i) => ({ n: 123_456_789 + i, note: 'a note' }));
    expect(detectInPayload(payload)).toEqual([]);
    expect(detect('"@'.repeat(50_000))).toEqual([]);
  });

  it('finds the national writing of the configured regions only', () => {
    expect(detect('020 7946 0958')).toEqual([]);
    expect(detect('020 7946 0958', { regions: ['GB'] }).map(({ type }) => type)).toEqual(['phone']);
    expect(detect('415-555-2671', { regions: ['GB'] })).toEqual([]);
  });

  it('reports several findings in order of place, none of one type over another', () => {
    const text = 'SSN 123-45-6789, card 4111 1111 1111 1111, john@gmail.com, +1 415 555 2671';
    expect(detect(text).map(({ type }) => type)).toEqual(['us_ssn', 'payment_card', 'email', 'phone']);
  });

  it('knows all 27 type names and their categories, and its version', () => {
    expect(Object.keys(CATEGORY_OF)).toHaveLength(27);
    expect(DETECTOR_VERSION).toBe(7);
  });
});
