import fc from 'fast-check';

import { type AnswerCouncilPolicy, type CollectedVotes, decideAnswer } from './answer-council.js';
import type { CouncilVote } from './domain/vote.js';

const T = { credential_threshold: 0.6 };

const POLICY: AnswerCouncilPolicy = {
  critics: [...'abc'].map((critic_id) => ({ critic_id, weight: 1 })),
  quorum: { minimum_fraction: 0.5 },
  on_failure: 'FAIL_CLOSED',
  vote_collection_timeout_ms: 1000,
};

const vote = (council_agent_id: string, approve = true, score = 1): CouncilVote => ({
  council_agent_id,
  scores: { factuality: score, coherence: score, safety: score },
  approve,
  suggested_changes: '',
  note: '',
  confidence: 1,
});

const decide = (
  votes: readonly CouncilVote[],
  policy: Partial<AnswerCouncilPolicy> = {},
  more: Partial<CollectedVotes> = {},
) => decideAnswer({ votes, unavailable: {}, collection_timeout_reached: false, ...more }, { ...POLICY, ...policy }, T);

describe('a council on an answer', () => {
  it('with every vote says how it was made', () => {
    expect(decide([vote('a'), vote('b'), vote('c', false, 0.4)]).decision).toEqual({
      outcome: 'approved',
      council_score: 0.8,
      approvals: 2,
      rejections: 1,
      votes_received: 3,
      votes_expected: 3,
      quorum_threshold: 2,
      quorum_met: true,
      collection_timeout_reached: false,
      unavailable_critics: [],
      unavailable_reasons: {},
      abstained: [],
      weights: { a: 1, b: 1, c: 1 },
    });
  });

  it('with a quorum decides without the critic that is missing, and says why it is', () => {
    const more = { unavailable: { b: 'crashed: TypeError' }, collection_timeout_reached: true };
    expect(decide([vote('a'), vote('c')], {}, more).decision).toMatchObject({
      outcome: 'approved',
      votes_received: 2,
      quorum_met: true,
      collection_timeout_reached: true,
      unavailable_critics: ['b'],
      unavailable_reasons: { b: 'crashed: TypeError' },
    });
  });

  it('without its quorum is a deadlock, however good the vote it has', () => {
    expect(decide([vote('a')]).decision).toMatchObject({ outcome: 'deadlock', quorum_met: false, council_score: 1 });
  });

  it('without its quorum decides on what there is, where it is configured so', () => {
    expect(decide([vote('a')], { on_failure: 'FAIL_WITH_AVAILABLE' }).decision).toMatchObject({
      outcome: 'approved',
      quorum_met: false,
      abstained: [],
    });
  });

  it('without its quorum counts the missing as refusals of score 0, where it is configured so', () => {
    const { cast, decision } = decide([vote('a')], { on_failure: 'FAIL_WITH_ABSTAIN' });
    expect(decision).toMatchObject({
      outcome: 'rejected',
      council_score: 0.333333333,
      approvals: 1,
      rejections: 2,
      votes_received: 1,
      abstained: ['b', 'c'],
    });
    expect(cast).toEqual([vote('a')]);
  });

  it.each(['FAIL_CLOSED', 'FAIL_WITH_ABSTAIN', 'FAIL_WITH_AVAILABLE'] as const)(
    'without any vote is a deadlock of score 0 under %s',
    (on_failure) => {
      expect(decide([], { on_failure }).decision).toMatchObject({
        outcome: 'deadlock',
        council_score: 0,
        abstained: [],
        unavailable_critics: ['a', 'b', 'c'],
      });
    },
  );

  it('weighs each vote by its critic’s seat, an abstention too', () => {
    const critics = [
      { critic_id: 'a', weight: 3 },
      { critic_id: 'b', weight: 1 },
      { critic_id: 'c', weight: 1 },
    ];
    const split = [vote('a'), vote('b', false, 0), vote('c', false, 0)];
    expect(decide(split).decision.outcome).toBe('rejected');
    expect(decide(split, { critics }).decision).toMatchObject({
      outcome: 'approved',
      council_score: 0.6,
      weights: { a: 3, b: 1, c: 1 },
    });
    expect(decide([vote('b')], { critics, on_failure: 'FAIL_WITH_ABSTAIN' }).decision).toMatchObject({
      outcome: 'rejected',
      rejections: 4,
    });
  });

  it('counts the first vote of a critic, and none of one without a seat', () => {
    const { cast, decision } = decide([vote('a'), vote('a', false), vote('outsider', false), vote('b')]);
    expect(cast).toEqual([vote('a'), vote('b')]);
    expect(decision).toMatchObject({ outcome: 'approved', votes_received: 2, rejections: 0 });
  });

  it('takes the reasons of those who are missing, and of nobody else', () => {
    const { decision } = decide([vote('a'), vote('b')], {}, { unavailable: { a: 'x', constructor: 'y' } });
    expect(decision.unavailable_reasons).toEqual({ c: 'no vote' });
  });

  it('did not wait in vain where every critic voted', () => {
    const all = [vote('a'), vote('b'), vote('c')];
    expect(decide(all, {}, { collection_timeout_reached: true }).decision.collection_timeout_reached).toBe(false);
  });

  it('that approved without a vote of approval does not exist, whoever is missing and whatever the policy', () => {
    const cast = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'outsider'),
        approve: fc.boolean(),
        score: fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
      }),
      { selector: ({ name }) => name },
    );
    const action = fc.constantFrom(
      'FAIL_CLOSED' as const,
      'FAIL_WITH_ABSTAIN' as const,
      'FAIL_WITH_AVAILABLE' as const,
    );
    fc.assert(
      fc.property(cast, action, (votes, on_failure) => {
        const { decision, cast: counted } = decide(
          votes.map(({ name, approve, score }) => vote(name, approve, score)),
          { on_failure },
        );
        expect(decision.votes_received).toBe(counted.length);
        if (decision.outcome !== 'approved') return;
        expect(counted.some(({ approve }) => approve)).toBe(true);
        if (on_failure === 'FAIL_CLOSED') expect(decision.quorum_met).toBe(true);
      }),
    );
  });
});
