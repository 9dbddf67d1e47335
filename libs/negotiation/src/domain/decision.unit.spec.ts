import fc from 'fast-check';

import {
  asksForPerson,
  decideNegotiation,
  NEGOTIATION_POLICY_DEFAULTS,
  type NegotiationDecision,
  type NegotiationVote,
} from './decision.js';
import type { QuorumPolicy } from './quorum.js';

type Cast = readonly [score: number, confidence: number, passed: boolean, recommendation?: string];

const NAMES = [...'abcdefgh'];

function voteOf([score, confidence, passed, recommendation]: Cast, i: number): NegotiationVote {
  const asks_for_person = recommendation !== undefined && asksForPerson(recommendation);
  return { critic_id: NAMES[i]!, score, confidence, passed, asks_for_person };
}

function decide(cast: readonly Cast[], quorum_policy: QuorumPolicy = {}, asked = cast.length): NegotiationDecision {
  const collection_timeout_reached = asked > cast.length;
  const requested_critics = NAMES.slice(0, asked);
  return decideNegotiation({ requested_critics, votes: cast.map(voteOf), quorum_policy, collection_timeout_reached });
}

describe('a decision on an artifact', () => {
  it.each<[string, Cast[], number, number, NegotiationDecision['outcome']]>([
    [
      'a good mean and full agreement',
      [
        [8, 0.9, true],
        [6, 0.7, true],
      ],
      7.125,
      1,
      'APPROVED',
    ],
    [
      'far apart',
      [
        [9.5, 0.9, true],
        [2, 0.9, false],
      ],
      5.75,
      3.75,
      'ESCALATED_TO_HITL',
    ],
    [
      'apart by exactly what escalates',
      [
        [10, 0.9, true],
        [4, 0.9, true],
      ],
      7,
      3,
      'REVISION_REQUESTED',
    ],
    [
      'apart by exactly what is allowed, at the least mean',
      [
        [9, 0.9, true],
        [5, 0.9, true],
      ],
      7,
      2,
      'APPROVED',
    ],
  ])('with votes %s is as the rules say', (_, cast, weighted_mean, std_dev, outcome) => {
    const decision = decide(cast);
    expect(decision).toMatchObject({ outcome, aggregated_score: { weighted_mean, std_dev } });
    expect(decision.escalation_reason).toBe(outcome === 'ESCALATED_TO_HITL' ? 'CONFLICT' : null);
  });

  it.each<[string, Cast[], RegExp]>([
    ['too low a score', [[6.9, 0.9, true]], /^weighted mean 6\.9 is under 7$/],
    ['too little confidence', [[9, 0.6, true]], /^average confidence 0\.6 is under 0\.7$/],
    [
      'too few passes',
      [
        [9, 0.9, true],
        [9, 0.9, true],
        [9, 0.9, false],
      ],
      /^2 of 3 passed it, a share of 0\.8 is needed$/,
    ],
    [
      'too much disagreement',
      [
        [10, 0.9, true],
        [5.5, 0.9, true],
      ],
      /^standard deviation 2\.25 is over 2$/,
    ],
    ['several of these', [[5, 0.5, false]], /^weighted mean .*; average confidence .*; 0 of 1 /],
  ])('with %s asks for a revision and says why', (_, cast, reason) => {
    expect(decide(cast)).toMatchObject({
      outcome: 'REVISION_REQUESTED',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('takes numbers within 1e-9 of a limit as on it', () => {
    const near = 1e-10;
    expect(decide([[7 - near, 0.7 - near, true]]).outcome).toBe('APPROVED');
    expect(decide([[9, 0.3 - near, true]]).outcome).toBe('REVISION_REQUESTED');
    expect(decide([[9, 0.3 - 1e-8, true]]).outcome).toBe('ESCALATED_TO_HITL');
  });

  it('goes to people where one vote has too little confidence, however good the others', () => {
    expect(
      decide([
        [9, 1, true],
        [9, 0.29, true],
      ]),
    ).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: 'TASK_ESCALATION',
      reason: 'critic b has confidence 0.29',
    });
  });

  it.each([
    ['escalate', true],
    ['escalate_to_hitl', true],
    ['escalate: somebody should look', true],
    ['Escalate', false],
    ['do not escalate', false],
    ['escalated', false],
  ])('takes the recommendation "%s" as the wish for a person: %s', (recommendation, wish) => {
    expect(asksForPerson(recommendation)).toBe(wish);
    expect(decide([[9, 0.9, true, recommendation]])).toMatchObject(
      wish
        ? { outcome: 'ESCALATED_TO_HITL', escalation_reason: 'TASK_ESCALATION' }
        : { outcome: 'APPROVED', escalation_reason: null },
    );
  });

  it('names the quorum before a wish, and a wish before disagreement', () => {
    const apart: Cast[] = [
      [10, 0.9, true, 'escalate'],
      [1, 0.9, false],
    ];
    expect(decide(apart).escalation_reason).toBe('TASK_ESCALATION');
    expect(decide(apart, {}, 6)).toMatchObject({
      escalation_reason: 'DEBATE_DEADLOCK',
      reason: 'quorum not met: 2 of 6 critics voted, 3 are needed',
    });
  });

  it('without any vote has no score, whatever the policy', () => {
    for (const on_failure of ['FAIL_CLOSED', 'FAIL_WITH_ABSTAIN', 'FAIL_WITH_AVAILABLE'] as const) {
      expect(decide([], { rule: { require_all: false }, on_failure }, 2)).toMatchObject({
        outcome: 'ESCALATED_TO_HITL',
        escalation_reason: 'DEBATE_DEADLOCK',
        reason: 'none of 2 critics voted',
        aggregated_score: null,
        votes: [],
        unavailable_critics: ['a', 'b'],
      });
    }
  });

  it('counts an injected abstention in the score, not among the votes received', () => {
    const decision = decide([[9, 0.9, true]], { rule: { require_all: true }, on_failure: 'FAIL_WITH_ABSTAIN' }, 3);
    expect(decision).toMatchObject({
      outcome: 'REVISION_REQUESTED',
      votes_received: 1,
      votes_expected: 3,
      quorum_threshold: 3,
      quorum_met: false,
      collection_timeout_reached: true,
      aggregated_score: { vote_count: 3, mean: 3, weighted_mean: 9 },
    });
    expect(decision.votes.map(({ critic_id, score, passed }) => [critic_id, score, passed])).toEqual([
      ['a', 9, true],
      ['b', 0, false],
      ['c', 0, false],
    ]);
  });

  it('that goes to people covers the cast votes only, and keeps the injected ones', () => {
    const decision = decide([[9, 0.1, true]], { rule: { require_all: true }, on_failure: 'FAIL_WITH_ABSTAIN' }, 2);
    expect(decision).toMatchObject({ outcome: 'ESCALATED_TO_HITL', aggregated_score: { vote_count: 1, mean: 9 } });
    expect(decision.votes).toHaveLength(2);
  });

  it('with what there is decides on one vote of three', () => {
    const policy: QuorumPolicy = { rule: { minimum_fraction: 0.5 }, on_failure: 'FAIL_WITH_AVAILABLE' };
    expect(decide([[9, 0.9, true]], policy, 3)).toMatchObject({ outcome: 'APPROVED', votes_received: 1 });
  });

  it('names the whole policy that it was made by', () => {
    expect(decide([[9, 0.9, true]]).policy).toEqual(NEGOTIATION_POLICY_DEFAULTS);
  });

  it('is the same in whatever order the votes came', () => {
    const cast = fc.tuple(
      fc.integer({ min: 0, max: 100 }).map((n) => n / 10),
      fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(cast, { maxLength: 8 }), (list) => {
        const forward = decide(list, {}, 8);
        const votes = [...forward.votes].reverse();
        const backward = decideNegotiation({
          requested_critics: NAMES,
          votes,
          quorum_policy: {},
          collection_timeout_reached: list.length < 8,
        });
        const { outcome, escalation_reason, aggregated_score } = forward;
        expect(backward).toMatchObject({ outcome, escalation_reason, aggregated_score });
      }),
    );
  });
});
