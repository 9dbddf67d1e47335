import fc from 'fast-check';

import { detect, detectInPayload, MAX_TEXT } from '#lib/privacy';

import { HOSTILE_PIECES, repeated } from '../support/hostile-texts.js';

const SHORT = 10_000;
/** Eight times the text takes eight times the work where work is linear, sixty-four times where it is quadratic. */
const LONGER = 8;
const TOO_MUCH = 24;
/** A run shorter than this, in microseconds, says more of the clock and the machine than of the work: it is repeated within one measure. */
const LEAST = 3_000;
const MEASURES = 3;
/** Measured anew as a whole, for a busy machine may disturb any one of them; what is quadratic stays so each time. */
const TRIES = 4;

/** How much more the longer text takes than a median of the short one: the least of several tries. */
function growth(piece: string, work: (text: string) => unknown = detect, length = SHORT): number {
  const [short, long] = [length, length * LONGER].map((size) => repeated(piece, size)) as [string, string];
  work(short);
  let least = Infinity;
  for (let tried = 0; tried < TRIES && !(least < TOO_MUCH); tried++)
    least = Math.min(least, processorTime(work, long) / medianTime(work, short));
  return least;
}

function medianTime(work: (text: string) => unknown, text: string): number {
  const measures = Array.from({ length: MEASURES }, () => processorTime(work, text));
  return measures.sort((a, b) => a - b)[MEASURES >> 1]!;
}

/** Of one run, in microseconds of this process only: what others do meanwhile is hardly in it. */
function processorTime(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    work(text);
    const { user, system } = process.cpuUsage(before);
    if (user + system >= LEAST) return (user + system) / runs;
  }
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
      { numRuns: 10 },
    );
  });

  it('would be seen to grow faster if it did', () => {
    expect(growth(' ', (text) => text.search(/ +x/), 1_500)).toBeGreaterThan(TOO_MUCH);
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
