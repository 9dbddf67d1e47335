import type { OtpEnrolled, SecondFactorEvent } from './second-factor.events.js';
import {
  evolve,
  judge,
  judgeInvitation,
  LOCK_MS,
  lockedFor,
  NOT_ENROLLED,
  type SecondFactor,
  type Verdict,
} from './second-factor.js';

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

describe('an invitation', () => {
  const HASH = 'ab'.repeat(32);
  const first = enrolled() as OtpEnrolled;
  const invited = (code_hash = HASH, until = NOW + 60_000): SecondFactorEvent => ({
    type: 'OTP_INVITED',
    data: {
      user_id: 'user_alice',
      code_hash,
      invited_by: 'user_ada',
      expires_at: new Date(until).toISOString(),
    },
  });
  const tried = (events: readonly SecondFactorEvent[], codeHash = HASH, erasedId: string | null = null) =>
    judgeInvitation(given(events), { codeHash, erasedId, enrolled: first }, NOW);

  test('enrols once, in its time, by its own code, and only who has no second factor', () => {
    expect(tried([invited()])).toEqual({ verdict: 'accepted', events: [first] });
    expect(tried([invited(), first]).verdict).toBe('refused');
    const used: SecondFactorEvent = { type: 'OTP_ACCEPTED', data: { step: 7 } };
    expect(tried([first, used, invited()]).verdict).toBe('refused');
    expect(tried([invited(HASH, NOW)]).verdict).toBe('refused');
    expect(tried([invited(), invited('cd'.repeat(32))]).verdict).toBe('refused');
    expect(tried([]).verdict).toBe('refused');
  });

  test('enrols anew who never used the first secret, the answer to which may have been lost', () => {
    expect(tried([invited(), first, invited()]).verdict).toBe('accepted');
  });

  test('enrols somebody whose earlier secret was erased', () => {
    expect(tried([first, invited()], HASH, 'e1').verdict).toBe('accepted');
  });

  test('five wrong codes lock, for the right one too', () => {
    let state = given([invited()]);
    for (let i = 0; i < 5; i++) {
      const wrong = { codeHash: 'cd'.repeat(32), erasedId: null, enrolled: first };
      state = given(judgeInvitation(state, wrong, NOW).events, state);
    }
    const right = { codeHash: HASH, erasedId: null, enrolled: first };
    expect(judgeInvitation(state, right, NOW)).toEqual({ verdict: 'locked', events: [] });
    expect(judgeInvitation(state, right, NOW + LOCK_MS).verdict).toBe('refused');
  });
});
