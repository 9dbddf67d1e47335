import type { SecondFactorEvent } from './second-factor.events.js';
import { evolve, judge, LOCK_MS, lockedFor, NOT_ENROLLED, type SecondFactor, type Verdict } from './second-factor.js';

const NOW = Date.UTC(2026, 0, 1);

/** A history by events, each enrolment under the id that is given. */
function given(events: readonly SecondFactorEvent[], from: SecondFactor = NOT_ENROLLED, id = 'e1'): SecondFactor {
  return events.reduce((state, event) => evolve(state, { ...event, metadata: { event_id: id } }), from);
}

const enrolled = (): SecondFactorEvent => ({
  type: 'OTP_ENROLLED',
  data: { user_id: 'user_alice', secret: 'stored form', enrolled_at: '2026-01-01T00:00:00.000Z' },
});

/** Judges codes one after the other, each on the state that those before it left. */
function judged(steps: readonly (number | null)[], state = given([enrolled()]), now = NOW): Verdict[] {
  return steps.map((step) => {
    const { verdict, events } = judge(state, { enrolmentId: 'e1', step }, now);
    state = given(events, state, 'later');
    return verdict;
  });
}

describe('the second factor', () => {
  test('a code is taken once, and none of an earlier step after it', () => {
    expect(judged([100, 100, 99, 101])).toEqual(['accepted', 'reused', 'reused', 'accepted']);
  });

  test('a right code that comes again is told once, and counts as no wrong one', () => {
    const state = given([enrolled(), { type: 'OTP_ACCEPTED', data: { step: 100 } }]);
    const first = judge(state, { enrolmentId: 'e1', step: 100 }, NOW);
    expect(first.events).toEqual([{ type: 'OTP_REUSED', data: { step: 100 } }]);
    expect(judge(given(first.events, state), { enrolmentId: 'e1', step: 100 }, NOW).events).toEqual([]);
    expect(judged(Array.from({ length: 9 }, () => 100)).slice(1)).not.toContain('locked');
  });

  test('five wrong codes lock for fifteen minutes, for right codes too', () => {
    expect(judged([null, null, null, null, null, 100])).toEqual([...Array(5).fill('refused'), 'locked']);
    const state = given([enrolled(), { type: 'OTP_REFUSED', data: { wrong_codes: 4 } }]);
    const { events } = judge(state, { enrolmentId: 'e1', step: null }, NOW);
    expect(events).toEqual([
      { type: 'OTP_REFUSED', data: { wrong_codes: 5 } },
      { type: 'OTP_LOCKED', data: { until: new Date(NOW + LOCK_MS).toISOString() } },
    ]);
    const locked = given(events, state);
    expect(lockedFor(locked, NOW)).toBe(LOCK_MS);
    expect(judged([100], locked, NOW + LOCK_MS - 1)).toEqual(['locked']);
    expect(judged([null, null, null, null, 100], locked, NOW + LOCK_MS)).toEqual([
      ...Array(4).fill('refused'),
      'accepted',
    ]);
  });

  test('a right code begins the count anew', () => {
    expect(judged([null, null, null, null, 100, null, null, null, null, 101])).not.toContain('locked');
  });

  test('a new enrolment voids codes of the one before, and lifts no lock', () => {
    const before = given([enrolled()]);
    const after = given([enrolled()], before, 'e2');
    expect(judge(after, { enrolmentId: 'e1', step: 100 }, NOW)).toEqual({ verdict: 'enrolled-anew', events: [] });
    const locked = given([{ type: 'OTP_LOCKED', data: { until: new Date(NOW + LOCK_MS).toISOString() } }], before);
    expect(lockedFor(given([enrolled()], locked, 'e2'), NOW)).toBe(LOCK_MS);
  });
});
