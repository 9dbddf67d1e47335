import { readFileSync } from 'node:fs';

import fc from 'fast-check';

import { detect } from '#lib/privacy';

function read(file: string): readonly Record<string, unknown>[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Record<string, unknown>[];
}

const blocking = (text: string): readonly string[] =>
  detect(text).flatMap(({ category, rule, start, end }) =>
    category === 'low' ? [] : [`${rule}: ${text.slice(start, end)}`],
  );

/** What people ask and write that has digits and is about nobody. */
const EVERYDAY = [
  'what is 123456789 * 987654321',
  '4111 1111 apples and 5500 0000 pears',
  'compute 2^64 - 1 = 18446744073709551615',
  'factor 600851475143',
  'is 2147483647 prime?',
  '1000000007 is a popular modulus',
  'pi is 3.14159265358979323846264338327950288',
  'e = 2.718281828459045',
  'the speed of light is 299 792 458 m/s',
  'Avogadro 6.022 140 76e23',
  'the world has 8 100 000 000 people',
  'population: 331 449 281',
  'GDP of 25 462 700 000 000 dollars',
  '1 000 000 000 000',
  'EUR 1.234.567,89 and $12,345,678.90',
  '123 456 789 €',
  '2024-02-29, 29.02.2024, 02/29/2024, 29/02/24, 20240229',
  'from 1914-07-28 to 1918-11-11',
  '2023-10-05T14:48:00.000Z and 14:48:00',
  'Mon, 05 Oct 2023 14:48:00 +0000',
  'unix time 1696517280, in ms 1696517280000',
  'Node 20.19.0, npm 11.6.2, Python 3.12.1rc1',
  'Chrome/120.0.6099.109 Safari/537.36',
  'kernel 5.15.0-91-generic',
  'upgraded from 10.4.2 to 10.5.0-beta.3',
  'version 1.2.3.4 fixes section 4.3.2.1',
  'ISBN 978-0-306-40615-7',
  'ISBN 9780306406157',
  'ISBN-10 0306406152 and 0-19-853453-1',
  'ISSN 2049-3630',
  'doi:10.1000/182 and 10.1038/s41586-020-2649-2',
  'EAN 4006381333931',
  'UPC 036000291452',
  'tracking 1Z999AA10123456784',
  'tracking number 9400 1000 0000 0000 0000 00',
  'package 420 94107 9205 5901 7553 4700 0012 34',
  'order 114-3941689-8772232',
  'invoice 2023-000123, customer 100234',
  'flight LH 1234, gate B12, seat 23A',
  '40.712776, -74.005974',
  '52°31′12.0″N 13°24′18.0″E',
  'geo:37.786971,-122.399677',
  'RGB 255 255 255, #ff8800, #A1B2C3',
  '0xdeadbeef and 0x7fffffff',
  'sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  '550e8400-e29b-41d4-a716-446655440000',
  'score 3-2, 21-19, 15-21',
  'phone number formats differ between countries',
  'what is an IBAN and how is its checksum made?',
  'an e-mail address has an @ and a dot',
  'ping 127.0.0.1 and 192.168.0.1',
  'listen on 0.0.0.0:8080 and [::1]:8080',
  'ratios 16:9, 4:3, 21:9',
  'Bible verses Genesis 1:1-2:3',
  'sudoku row 5 3 4 6 7 8 9 1 2',
  'the digits 0 1 2 3 4 5 6 7 8 9',
  'solve 3x + 5 = 20 at x = 5',
  'integral from 0 to 1 of x^2 dx',
  'matrix [[1, 2, 3], [4, 5, 6], [7, 8, 9]]',
  'f(123) = 456, f(789) = 012',
  'resistors of 4700 ohm, 10 000 ohm and 220 000 ohm',
  'call by reference, call by value, call number 42',
  'look at amazon.com, meet at noon, good at chess',
  'const x = arr[0].value; // at line 12.',
  'Route 66, Interstate 95, US 101',
  'the 3-digit code and the 16-digit number',
  'Louis XIV reigned 72 years and 110 days',
  'serial no. 4',
];

describe('everyday texts', () => {
  it('that are facts of the world block nothing', () => {
    const facts = read('libs/memory/src/data/world-facts.json');
    expect(facts.length).toBeGreaterThan(300);
    const texts = facts.flatMap(({ entity_id, attribute, value, source, aliases }) =>
      [entity_id, attribute, value, source, ...((aliases as unknown[] | undefined) ?? [])].map(String),
    );
    expect(texts.flatMap(blocking)).toEqual([]);
  });

  it('that are labelled queries block nothing', () => {
    const queries = read('libs/routing/src/domain/qcp-corpus.json').map(({ query }) => String(query));
    expect(queries.length).toBeGreaterThan(100);
    expect(queries.flatMap(blocking)).toEqual([]);
  });

  it.each(EVERYDAY)('such as %j block nothing', (text) => {
    expect(blocking(text)).toEqual([]);
  });

  it('block nothing for a bare number of up to twelve digits that no word names', () => {
    const frames = ['what is % plus one', 'the answer is %', '% of them', 'divide % by 7', 'item %, please', '%'];
    fc.assert(
      fc.property(fc.constantFrom(...frames), fc.nat({ max: 10 ** 12 - 1 }), (frame, number) => {
        expect(blocking(frame.replace('%', String(number)))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('block nothing for a date or a time, however it is written', () => {
    const written = fc
      .tuple(fc.integer({ min: 1900, max: 2099 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
      .chain(([year, month, day]) => {
        const [m, d] = [month, day].map((part) => String(part).padStart(2, '0'));
        return fc.constantFrom(
          ...['-', '/', '.', ' '].flatMap((by) => [
            [year, m, d].join(by),
            [d, m, year].join(by),
            [m, d, year].join(by),
          ]),
          `${year}${m}${d}`,
          `${year}-${m}-${d} ${d}:${m}:59.123`,
          `${year}-${m}-${d}T${d}:${m}:00+02:00`,
        );
      });
    fc.assert(
      fc.property(written, (date) => {
        expect(blocking(`it happened on ${date}, they said`)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
