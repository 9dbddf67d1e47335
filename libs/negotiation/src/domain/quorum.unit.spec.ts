import fc from 'fast-check';

import { countVotes, evaluateQuorum, type QuorumPolicy, quorumThreshold, type VoteForm } from './quorum.js';

const HALF = { minimum_fraction: 0.5 };
const ALL = { require_all: true };
const NONE = { require_all: false };

const FORM: VoteForm<string> = { critic: (vote) => vote, abstention: (critic) => critic };
const close = (requested: string, votes: string, policy: QuorumPolicy = {}) =>
  countVotes([...requested], [...votes], policy, FORM);

describe('a quorum', () => {
  it.each([
    ['two votes of one critic and an outsider’s are one vote', 'abc', 'aax', { minimum_votes: 2 }, [1, 3, 2, false]],
    ['one of two is half', 'ab', 'a', HALF, [1, 2, 1, true]],
    ['one of three is not half', 'abc', 'a', HALF, [1, 3, 2, false]],
    ['all means every one as listed', 'abc', 'ab', ALL, [2, 3, 3, false]],
    ['nobody suffices where not all are required', 'ab', '', NONE, [0, 2, 0, true]],
    [
      'three of five are 0.6 of them, though 0.6 as a float is a little more',
      'abcde',
      'abc',
      { minimum_fraction: Math.fround(0.6) },
      [3, 5, 3, true],
    ],
  ] as const)('%s', (_, requested, votes, rule, [votes_received, votes_expected, threshold, quorum_met]) => {
    expect(evaluateQuorum([...requested], [...votes], rule)).toEqual({
      votes_received,
      votes_expected,
      threshold,
      quorum_met,
    });
  });

  it.each([
    [5, 3],
    [45, 27],
    [50, 30],
    [100, 60],
  ])('of 0.6 of %i critics is %i, written as a float or as a double', (expected, threshold) => {
    for (const minimum_fraction of [0.6, Math.fround(0.6)]) {
      expect(quorumThreshold({ minimum_fraction }, expected)).toBe(threshold);
    }
  });

  it('is at least half where no rule is given', () => {
    expect(evaluateQuorum(['a', 'b'], ['a']).quorum_met).toBe(true);
    expect(evaluateQuorum(['a', 'b', 'c'], ['a']).quorum_met).toBe(false);
  });

  it('never asks for less than nothing, however small the fraction', () => {
    expect(quorumThreshold({ minimum_fraction: 1e-12 }, 3)).toBe(0);
  });
});

describe('a closed collection', () => {
  it('without its quorum escalates under FAIL_CLOSED, which is the default', () => {
    for (const policy of [{}, { on_failure: 'FAIL_CLOSED' as const }]) {
      expect(close('abc', 'aax', { rule: { minimum_votes: 2 }, ...policy })).toMatchObject({
        escalate: true,
        injected: [],
        cast: ['a'],
      });
    }
  });

  it('without its quorum is decided with one vote under FAIL_WITH_AVAILABLE', () => {
    const count = close('abc', 'a', { rule: HALF, on_failure: 'FAIL_WITH_AVAILABLE' });
    expect(count).toMatchObject({ escalate: false, cast: ['a'], injected: [], unavailable_critics: ['b', 'c'] });
  });

  it('without its quorum has each missing critic abstain under FAIL_WITH_ABSTAIN, in request order', () => {
    const count = close('abc', 'a', { rule: ALL, on_failure: 'FAIL_WITH_ABSTAIN' });
    expect(count).toMatchObject({ escalate: false, cast: ['a'], injected: ['b', 'c'] });
    expect(count.quorum).toEqual({ votes_received: 1, votes_expected: 3, threshold: 3, quorum_met: false });
  });

  it('with its quorum applies no action, and still names who did not vote', () => {
    const count = close('cba', 'b', { rule: { minimum_votes: 1 }, on_failure: 'FAIL_WITH_ABSTAIN' });
    expect(count).toMatchObject({ escalate: false, injected: [], unavailable_critics: ['c', 'a'] });
  });

  it.each(['FAIL_CLOSED', 'FAIL_WITH_ABSTAIN', 'FAIL_WITH_AVAILABLE'] as const)(
    'without any vote escalates under %s, and nothing is injected',
    (on_failure) => {
      for (const rule of [ALL, NONE]) {
        expect(close('ab', '', { rule, on_failure })).toMatchObject({ escalate: true, cast: [], injected: [] });
      }
    },
  );
});

const critics = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
const voters = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'outsider'), { maxLength: 12 });
const rule = fc.oneof(
  fc.record({ minimum_votes: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ minimum_fraction: fc.float({ min: Math.fround(0.01), max: 1, noNaN: true }) }),
  fc.record({ require_all: fc.boolean() }),
);
const on_failure = fc.constantFrom(
  'FAIL_CLOSED' as const,
  'FAIL_WITH_ABSTAIN' as const,
  'FAIL_WITH_AVAILABLE' as const,
);

describe('whoever votes', () => {
  it('a further vote never takes a quorum away, and never lowers what was received', () => {
    fc.assert(
      fc.property(critics, voters, voters, rule, (requested, some, more, which) => {
        const before = evaluateQuorum(requested, some, which);
        const after = evaluateQuorum(requested, [...some, ...more], which);
        expect(after.votes_received).toBeGreaterThanOrEqual(before.votes_received);
        expect(after.quorum_met || !before.quorum_met).toBe(true);
      }),
    );
  });

  it('injected votes never change what was received, and never meet a quorum', () => {
    fc.assert(
      fc.property(critics, voters, rule, on_failure, (requested, votes, which, action) => {
        const { quorum, injected, cast, unavailable_critics } = countVotes(
          requested,
          votes,
          { rule: which, on_failure: action },
          FORM,
        );
        expect(quorum).toEqual(evaluateQuorum(requested, votes, which));
        expect(cast).toHaveLength(quorum.votes_received);
        expect(cast.length + unavailable_critics.length).toBe(requested.length);
        if (injected.length > 0) expect([quorum.quorum_met, action]).toEqual([false, 'FAIL_WITH_ABSTAIN']);
      }),
    );
  });
});
