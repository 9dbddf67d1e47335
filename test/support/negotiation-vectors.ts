import type { ArtifactType, EscalationReason, NegotiationDecision, QuorumPolicy, SubmitVote } from '#lib/negotiation';

/** Rows of spec/negotiation-room.md "Quorum", "Aggregation", "Decision", "The window" and "Vectors". */

const APPROVED = 'APPROVED';
const REVISION = 'REVISION_REQUESTED';
const ESCALATED = 'ESCALATED_TO_HITL';
const CLOSED = 'FAIL_CLOSED';
const ABSTAIN = 'FAIL_WITH_ABSTAIN';
const AVAILABLE = 'FAIL_WITH_AVAILABLE';

type Outcome = NegotiationDecision['outcome'];

interface Expected {
  readonly threshold: number;
  readonly decision: Partial<NegotiationDecision>;
  /** Who stands in the decision. */
  readonly votes?: readonly string[];
}

export interface QuorumVector {
  readonly name: string;
  readonly critics: readonly string[];
  readonly voters: readonly string[];
  readonly quorum_policy?: QuorumPolicy;
  readonly expected: Expected;
}

export const ABC = ['a', 'b', 'c'];
const met = (received: number, expected: number): Partial<NegotiationDecision> => ({
  votes_received: received,
  votes_expected: expected,
  quorum_met: true,
  outcome: APPROVED,
});
const unmet = (received: number, expected: number, outcome: Outcome): Partial<NegotiationDecision> => ({
  votes_received: received,
  votes_expected: expected,
  quorum_met: false,
  outcome,
});

export const QUORUMS: readonly QuorumVector[] = [
  {
    name: '1 of 3 does not meet 2, and fails closed',
    critics: ABC,
    voters: ['a'],
    quorum_policy: { rule: { minimum_votes: 2 }, on_failure: CLOSED },
    expected: { threshold: 2, decision: unmet(1, 3, ESCALATED), votes: ['a'] },
  },
  {
    name: '2 of 3 meet 2',
    critics: ABC,
    voters: ['a', 'c'],
    quorum_policy: { rule: { minimum_votes: 2 } },
    expected: { threshold: 2, decision: met(2, 3), votes: ['a', 'c'] },
  },
  {
    name: '1 of 2 is half',
    critics: ['a', 'b'],
    voters: ['a'],
    quorum_policy: { rule: { minimum_fraction: 0.5 } },
    expected: { threshold: 1, decision: met(1, 2), votes: ['a'] },
  },
  {
    name: '1 of 2 is half, which is the rule where none is given',
    critics: ['a', 'b'],
    voters: ['a'],
    expected: { threshold: 1, decision: met(1, 2) },
  },
  {
    name: '1 of 3 is not half, and fails closed where nothing is said',
    critics: ABC,
    voters: ['b'],
    expected: { threshold: 2, decision: unmet(1, 3, ESCALATED) },
  },
  {
    name: '1 of 3 decides alone where what is available suffices',
    critics: ABC,
    voters: ['a'],
    quorum_policy: { rule: { minimum_fraction: 0.5 }, on_failure: AVAILABLE },
    expected: { threshold: 2, decision: unmet(1, 3, APPROVED), votes: ['a'] },
  },
  {
    name: 'of all 3 the 2 that are missing abstain',
    critics: ABC,
    voters: ['a'],
    quorum_policy: { rule: { require_all: true }, on_failure: ABSTAIN },
    expected: { threshold: 3, decision: unmet(1, 3, REVISION), votes: ['a', 'b', 'c'] },
  },
  {
    name: 'of all 3 that voted in another order nobody abstains before who voted',
    critics: ABC,
    voters: ['c'],
    quorum_policy: { rule: { require_all: true }, on_failure: ABSTAIN },
    expected: { threshold: 3, decision: unmet(1, 3, REVISION), votes: ['c', 'a', 'b'] },
  },
  {
    name: 'nobody escalates whatever is to be done about it, without abstentions',
    critics: ['a', 'b'],
    voters: [],
    quorum_policy: { rule: { minimum_votes: 1 }, on_failure: ABSTAIN },
    expected: { threshold: 1, decision: unmet(0, 2, ESCALATED), votes: [] },
  },
  {
    name: 'nobody escalates where what is available suffices',
    critics: ['a', 'b'],
    voters: [],
    quorum_policy: { rule: { minimum_votes: 1 }, on_failure: AVAILABLE },
    expected: { threshold: 1, decision: unmet(0, 2, ESCALATED), votes: [] },
  },
  ...[
    [5, 3],
    [45, 27],
    [50, 30],
    [100, 60],
  ].map(([count, threshold]): QuorumVector => {
    const critics = Array.from({ length: count! }, (_, i) => `c${i}`);
    return {
      name: `${threshold} of ${count} are 0.6 of them as a float`,
      critics,
      voters: critics.slice(0, threshold),
      quorum_policy: { rule: { minimum_fraction: 0.6 } },
      expected: { threshold: threshold!, decision: met(threshold!, count!) },
    };
  }),
];

interface Window {
  readonly type: ArtifactType;
  /** 0 where nothing is asked for. */
  readonly asked: number;
  readonly seconds: number;
}
export const WINDOWS: readonly Window[] = [
  { type: 'ARTIFACT_TYPE_UNSPECIFIED', asked: 0, seconds: 300 },
  { type: 'REQUIREMENTS', asked: 0, seconds: 600 },
  { type: 'PLAN', asked: 0, seconds: 600 },
  { type: 'CODE', asked: 0, seconds: 300 },
  { type: 'DEPLOYMENT', asked: 0, seconds: 180 },
  { type: 'DEPLOYMENT', asked: 7200, seconds: 7200 },
  { type: 'REQUIREMENTS', asked: 4_294_967_295, seconds: 4_294_967_295 },
];

/** Score, confidence, whether it passes. */
export type Cast = readonly [number, number, boolean];

/** Name, votes, some of the aggregated score. */
export const WEIGHTED: readonly (readonly [string, readonly Cast[], object])[] = [
  [
    '(2, .25) (10, .75)',
    [
      [2, 0.25, true],
      [10, 0.75, true],
    ],
    { mean: 6, std_dev: 4, weighted_mean: 8, min_score: 2, max_score: 10, vote_count: 2 },
  ],
  [
    '(2, 0) (10, 0)',
    [
      [2, 0, true],
      [10, 0, true],
    ],
    { mean: 6, weighted_mean: 6 },
  ],
  [
    '(8, .9) (4, .5) (6, .7)',
    [
      [8, 0.9, true],
      [4, 0.5, true],
      [6, 0.7, true],
    ],
    { mean: 6, std_dev: 1.632993162, weighted_mean: 6.380952381 },
  ],
];

/** The same with the outcome. */
type DecisionVector = readonly [string, readonly Cast[], object, Outcome];

export const DECIDED: readonly DecisionVector[] = [
  [
    '(8, .9, T) (6, .7, T)',
    [
      [8, 0.9, true],
      [6, 0.7, true],
    ],
    { weighted_mean: 7.125, std_dev: 1 },
    APPROVED,
  ],
  [
    '(9.5, .9, T) (2, .9, F)',
    [
      [9.5, 0.9, true],
      [2, 0.9, false],
    ],
    { std_dev: 3.75 },
    ESCALATED,
  ],
  [
    '(10, .9, T) (4, .9, T)',
    [
      [10, 0.9, true],
      [4, 0.9, true],
    ],
    { std_dev: 3 },
    REVISION,
  ],
  [
    '(9, .9, T) (5, .9, T)',
    [
      [9, 0.9, true],
      [5, 0.9, true],
    ],
    { std_dev: 2, weighted_mean: 7 },
    APPROVED,
  ],
  [
    'four passes of five',
    [...[8, 8, 8, 8].map((score): Cast => [score, 0.9, true]), [8, 0.9, false]],
    { weighted_mean: 8 },
    APPROVED,
  ],
  [
    'three passes of five',
    [...[8, 8, 8].map((score): Cast => [score, 0.9, true]), [8, 0.9, false], [8, 0.9, false]],
    { weighted_mean: 8 },
    REVISION,
  ],
  [
    'a weighted mean under 7',
    [
      [6.99, 0.9, true],
      [6.99, 0.9, true],
    ],
    { weighted_mean: 6.99 },
    REVISION,
  ],
  [
    'an average confidence under 0.7',
    [
      [9, 0.6, true],
      [9, 0.79, true],
    ],
    { weighted_mean: 9 },
    REVISION,
  ],
  [
    'an average confidence of 0.7',
    [
      [9, 0.6, true],
      [9, 0.8, true],
    ],
    { weighted_mean: 9 },
    APPROVED,
  ],
  [
    'scores of more than nine decimals',
    [
      [8.1234567894, 0.9, true],
      [8.1234567894, 0.9, true],
    ],
    { mean: 8.123456789 },
    APPROVED,
  ],
];

/** By other strategies than the usual one. */
export const STRATEGIES: readonly { readonly aggregation: string; readonly vectors: readonly DecisionVector[] }[] = [
  {
    aggregation: 'simple_average',
    vectors: [
      [
        'have the plain mean',
        [
          [9, 0.9, true],
          [7, 0.5, true],
        ],
        { weighted_mean: 8, mean: 8, std_dev: 1 },
        APPROVED,
      ],
    ],
  },
  {
    aggregation: 'majority',
    vectors: [
      [
        'of whom all passed it are 10',
        [
          [7, 0.9, true],
          [7, 0.9, true],
        ],
        { weighted_mean: 10, mean: 7 },
        APPROVED,
      ],
      [
        'of whom most passed it are 7.5',
        [
          [7, 0.9, true],
          [7, 0.9, true],
          [7, 0.9, false],
        ],
        { weighted_mean: 7.5 },
        REVISION,
      ],
      [
        'of whom half passed it are 5',
        [
          [7, 0.9, true],
          [7, 0.9, false],
        ],
        { weighted_mean: 5 },
        REVISION,
      ],
      [
        'of whom few passed it are 2.5',
        [
          [7, 0.9, true],
          [7, 0.9, false],
          [7, 0.9, false],
        ],
        { weighted_mean: 2.5 },
        REVISION,
      ],
      [
        'of whom nobody passed it are 0',
        [
          [7, 0.9, false],
          [7, 0.9, false],
        ],
        { weighted_mean: 0 },
        REVISION,
      ],
    ],
  },
  {
    aggregation: 'borda',
    vectors: [
      [
        '9, 7 and 5 are 46/6',
        [
          [9, 0.9, true],
          [7, 0.9, true],
          [5, 0.9, true],
        ],
        { weighted_mean: 7.666666667, mean: 7, std_dev: 1.632993162 },
        APPROVED,
      ],
      [
        'in another order are the same',
        [
          [5, 0.9, true],
          [9, 0.9, true],
          [7, 0.9, true],
        ],
        { weighted_mean: 7.666666667 },
        APPROVED,
      ],
      [
        'that are equal are what they are',
        [
          [7, 0.9, true],
          [7, 0.2 + 0.7, true],
        ],
        { weighted_mean: 7 },
        APPROVED,
      ],
    ],
  },
];

/** What a critic says that brings people in, and why. */
export const ESCALATIONS: readonly {
  readonly name: string;
  readonly votes: Readonly<Record<string, Partial<SubmitVote>>>;
  readonly reason: EscalationReason;
  readonly isLeftOpen?: boolean;
}[] = [
  { name: 'no quorum', votes: { a: {} }, reason: 'DEBATE_DEADLOCK', isLeftOpen: true },
  { name: 'no vote at all', votes: {}, reason: 'DEBATE_DEADLOCK', isLeftOpen: true },
  { name: 'a confidence under 0.3', votes: { a: { confidence: 0.29 }, b: {}, c: {} }, reason: 'TASK_ESCALATION' },
  {
    name: 'the wish escalate',
    votes: { a: { recommendations: ['escalate'] }, b: {}, c: {} },
    reason: 'TASK_ESCALATION',
  },
  {
    name: 'the wish escalate_to_hitl',
    votes: { a: { recommendations: ['shorter', 'escalate_to_hitl'] }, b: {}, c: {} },
    reason: 'TASK_ESCALATION',
  },
  {
    name: 'a wish with its reason',
    votes: { a: { recommendations: ['escalate: the licence'] }, b: {}, c: {} },
    reason: 'TASK_ESCALATION',
  },
  { name: 'disagreement', votes: { a: { score: 10 }, b: { score: 1 }, c: { score: 10 } }, reason: 'CONFLICT' },
  {
    name: 'no quorum before a wish',
    votes: { a: { recommendations: ['escalate'] } },
    reason: 'DEBATE_DEADLOCK',
    isLeftOpen: true,
  },
  {
    name: 'a wish before disagreement',
    votes: { a: { score: 10 }, b: { score: 1, recommendations: ['escalate'] }, c: { score: 10 } },
    reason: 'TASK_ESCALATION',
  },
];
