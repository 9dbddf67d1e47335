import fc from 'fast-check';

import { detect, detectInPayload, MAX_TEXT } from '#lib/privacy';

import { HOSTILE_PIECES, repeated } from '../support/hostile-texts.js';

const SHORT = 48_000;
/** Four times the text takes four times the work where work is linear, sixteen times where it is quadratic. */
const LONGER = 4;
const TOO_MUCH = 10;
const TRIES = 10;

/** How much more the longer text takes: the least of several tries of each, for the machine does other things too. */
function growth(piece: string, work: (text: string) => unknown = detect, length = SHORT): number {
  const [short, long] = [length, length * LONGER].map((size) => repeated(piece, size)) as [string, string];
  let [few, many] = [Infinity, Infinity];
  work(short);
  work(short);
  for (let tried = 0; tried < TRIES && !(many / few < TOO_MUCH); tried++) {
    few = Math.min(few, processorTime(work, short), processorTime(work, short));
    many = Math.min(many, processorTime(work, long));
  }
  return many / few;
}

/** Of this process only: what others do meanwhile is hardly in it. */
function processorTime(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('the work of detection', () => {
  it.each(HOSTILE_PIECES)('grows with the text and no faster where it repeats %j', (piece) => {
    expect(growth(piece)).toBeLessThan(TOO_MUCH);
  });

  it('grows with the text and no faster whatever pieces are mixed', () => {
    const piece = fc
      .array(fc.constantFrom(...HOSTILE_PIECES), { minLength: 2, maxLength: 4 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(piece, (mixed) => {
        expect(growth(mixed)).toBeLessThan(TOO_MUCH);
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it('would be seen to grow faster if it did', () => {
    expect(growth(' ', (text) => text.search(/ +x/), 6_000)).toBeGreaterThan(TOO_MUCH);
  });

  it('is refused for a text over the cap, wherever in a payload it stands', () => {
    const long = ' '.repeat(MAX_TEXT + 1);
    const refusal = expect.objectContaining({ code: 'INVALID_INPUT' });
    const thrownBy = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    expect(detect(long.slice(1))).toEqual([]);
    expect(thrownBy(() => detect(long))).toEqual(refusal);
    expect(thrownBy(() => detectInPayload({ note: ['fine', { meta: long }] }))).toEqual(refusal);
    expect(thrownBy(() => detectInPayload({ [long]: 1 }))).toEqual(refusal);
  });
});
