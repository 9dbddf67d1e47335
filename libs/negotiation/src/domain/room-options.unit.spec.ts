import fc from 'fast-check';

import { type DomainEvent, MaceError } from '#lib/kernel';

import { NOON, PROPOSAL, vote } from '../testing/proposals.js';
import { decideNegotiation, isSettled, NEGOTIATION_POLICY_DEFAULTS, type NegotiationPolicy } from './decision.js';
import {
  castVote,
  closeWindow,
  evolveNegotiation,
  initialNegotiation,
  type NegotiationState,
  propose,
  type SubmitProposal,
  type SubmitVote,
} from './negotiation.js';

const WINDOW_MS = 300_000;
const DUE = NOON + WINDOW_MS;

type Options = Pick<NegotiationPolicy, 'weights' | 'early_decision' | 'escalation' | 'dynamic_quorum'>;
type More = Partial<Pick<SubmitProposal, 'quorum_policy' | 'available_critics'>>;

/** A proposal to critics that are named by one letter each. */
const proposal = (critics: string, options: Options, more: More = {}): SubmitProposal => ({
  ...PROPOSAL,
  requested_critics: [...critics],
  policy: { ...NEGOTIATION_POLICY_DEFAULTS, ...options },
  ...more,
});

const WISH = { recommendations: ['escalate'] };

const after = (state: NegotiationState, events: readonly DomainEvent[]): NegotiationState =>
  events.reduce(evolveNegotiation, state);
const opened = (critics: string, options: Options, more?: More): NegotiationState =>
  after(initialNegotiation, propose(initialNegotiation, proposal(critics, options, more)));
const voted = (state: NegotiationState, ...votes: readonly SubmitVote[]): NegotiationState =>
  votes.reduce((before, one) => after(before, castVote(before, one).events), state);
const types = (events: readonly DomainEvent[]): readonly string[] => events.map(({ type }) => type);

function refusal(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    if (error instanceof MaceError) return `${error.code}: ${error.developerMessage}`;
    throw error;
  }
  throw new Error('it was not refused');
}

const TWO_VOTES = { quorum_policy: { rule: { minimum_votes: 2 } } } as const;
const CLOSED_BY_VOTE = ['VOTE_CAST', 'VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED'];

describe('without an option', () => {
  it('a proposal and a decision hold what they always held, and nothing more', () => {
    const [proposed] = propose(initialNegotiation, proposal('ab', {}));
    expect(Object.keys(proposed!.data).sort()).toEqual([
      'artifact_content_type',
      'artifact_id',
      'artifact_ref',
      'artifact_type',
      'created_at',
      'due_at',
      'idempotency',
      'negotiation_room_id',
      'policy',
      'producer_id',
      'producer_principal',
      'quorum_policy',
      'quorum_threshold',
      'received_at',
      'requested_critics',
    ]);
    const [, , decided] = castVote(voted(opened('ab', {}), vote('a')), vote('b')).events;
    expect(Object.keys(decided!.data).sort()).toEqual([
      'abstained',
      'aggregated_score',
      'artifact_id',
      'collection_timeout_reached',
      'decided_at',
      'escalation_reason',
      'outcome',
      'policy',
      'quorum_met',
      'quorum_threshold',
      'reason',
      'unavailable_critics',
      'voters',
      'votes_expected',
      'votes_received',
    ]);
  });

  it('a window stays open though a critic asks for a person', () => {
    expect(types(castVote(voted(opened('abcd', {}), vote('a')), vote('b', NOON, WISH)).events)).toEqual(['VOTE_CAST']);
  });
});

describe('with early_decision', () => {
  const EARLY = { early_decision: true };

  it('the vote that asks for a person closes the window in its own append, once the quorum is met', () => {
    const open = voted(opened('abcd', EARLY), vote('a'));
    const { disposition, events } = castVote(open, vote('b', NOON + 5, WISH));
    expect([disposition, types(events)]).toEqual(['counted', CLOSED_BY_VOTE]);
    expect(events[1]!.data).toMatchObject({
      collection_timeout_reached: false,
      unavailable: [
        { critic_id: 'c', reason: 'not_awaited', at: new Date(NOON + 5).toISOString() },
        { critic_id: 'd', reason: 'not_awaited' },
      ],
    });
    expect(events[2]!.data).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: 'TASK_ESCALATION',
      quorum_met: true,
      votes_received: 2,
      votes_expected: 4,
      collection_timeout_reached: false,
      unavailable_critics: ['c', 'd'],
      options: { early_decision: { closed_early: true } },
    });
  });

  it('who votes after it is late', () => {
    const decided = voted(opened('abcd', EARLY), vote('a'), vote('b', NOON, WISH));
    expect(types(castVote(decided, vote('c', NOON + 9)).events)).toEqual(['LATE_VOTE']);
  });

  it('a wish alone does not close it before the quorum is met', () => {
    const open = voted(opened('abcd', EARLY), vote('a', NOON, WISH));
    expect(open.closed).toBeNull();
    expect(types(castVote(open, vote('b')).events)).toEqual(CLOSED_BY_VOTE);
  });

  it.each([
    ['approvals', {}],
    ['refusals', { score: 1, passed: false }],
  ])('%s never close it while a critic may still ask for a person', (_, more) => {
    const votes = ['a', 'b', 'c', 'd'].map((critic) => vote(critic, NOON, more));
    expect(voted(opened('abcde', EARLY), ...votes).closed).toBeNull();
  });

  it('a disagreement closes it with the last vote alone: until then a wish may be why people are asked', () => {
    const apart = [vote('a', NOON, { score: 10 }), vote('b', NOON, { score: 0 })];
    // However the other three vote they leave a deviation of sqrt(50 / 5) = 3.16 at least.
    const open = voted(opened('abcde', EARLY, TWO_VOTES), ...apart, vote('c'), vote('d'));
    expect(open.closed).toBeNull();
    expect(voted(open, vote('e', NOON, WISH)).decision).toMatchObject({ escalation_reason: 'TASK_ESCALATION' });
    expect(voted(open, vote('e')).decision).toMatchObject({ escalation_reason: 'CONFLICT' });
  });

  it('says where the window ran its time', () => {
    const open = voted(opened('abcd', EARLY), vote('a'), vote('b'));
    expect(closeWindow(open, DUE)[1]!.data).toMatchObject({
      outcome: 'APPROVED',
      collection_timeout_reached: true,
      options: { early_decision: { closed_early: false } },
    });
  });

  it('no votes that could still have come would have changed quorum, outcome or why people are asked', () => {
    const anyVote = fc.record({
      score: fc.integer({ min: 0, max: 10 }),
      confidence: fc.constantFrom(0, 0.2, 0.3, 0.9, 1),
      passed: fc.boolean(),
      asks_for_person: fc.boolean(),
    });
    const anyVotes = fc.tuple(
      fc.array(anyVote, { minLength: 1, maxLength: 4 }),
      fc.array(anyVote, { minLength: 1, maxLength: 4 }),
    );
    fc.assert(
      fc.property(anyVotes, fc.nat(4), ([first, rest], come) => {
        const [all, cast] = [[...first, ...rest], first.length];
        const requested_critics = all.map((_, i) => `c${i}`);
        const votes = all.map((one, i) => ({ ...one, critic_id: `c${i}` }));
        const quorum_policy = { rule: { minimum_votes: 1 } };
        const collected = (taken: number) => ({ requested_critics, quorum_policy, votes: votes.slice(0, taken) });
        fc.pre(isSettled(collected(cast), NEGOTIATION_POLICY_DEFAULTS));
        const decision = (taken: number) =>
          decideNegotiation({ ...collected(taken), collection_timeout_reached: false }, NEGOTIATION_POLICY_DEFAULTS);
        const [now, later] = [decision(cast), decision(cast + come)];
        const { outcome, escalation_reason } = now;
        expect(later).toMatchObject({ outcome, escalation_reason, quorum_met: true });
      }),
    );
  });
});

describe('with weights', () => {
  const WEIGHTS = { weights: { a: 3, b: 0.5 } };

  it('the quorum is one of weights: one vote that weighs enough meets it, more votes that weigh less do not', () => {
    // a 3, b 0.5, c 1, d 1: half of 5.5, rounded up, is 3.
    const heavy = closeWindow(voted(opened('abcd', WEIGHTS), vote('a')), DUE)[1]!.data;
    expect(heavy).toMatchObject({
      outcome: 'APPROVED',
      quorum_met: true,
      votes_received: 1,
      votes_expected: 4,
      quorum_threshold: 3,
      options: { weights: { expected: 5.5, received: 3 } },
      policy: WEIGHTS,
    });
    const light = closeWindow(voted(opened('abcd', WEIGHTS), vote('b'), vote('c'), vote('d')), DUE)[1]!.data;
    expect(light).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: 'DEBATE_DEADLOCK',
      reason: 'quorum not met: 3 of 4 critics voted, with a weight of 2.5; 3 is needed',
      votes_received: 3,
      options: { weights: { received: 2.5 } },
    });
  });

  it('that are fractions never ask for more than all of them together', () => {
    const state = voted(opened('ab', { weights: { a: 0.3, b: 0.3 } }), vote('a'));
    expect(state.proposal).toMatchObject({ quorum_threshold: 0.6, options: { weights: { expected: 0.6 } } });
    expect(closeWindow(state, DUE)[1]!.data).toMatchObject({ quorum_met: false });
    expect(castVote(state, vote('b')).events[2]!.data).toMatchObject({ quorum_met: true, outcome: 'APPROVED' });
  });

  it('a proposal that all votes together could not meet, or that needs none, is refused', () => {
    const rule = { quorum_policy: { rule: { minimum_votes: 2 } } };
    expect(refusal(() => opened('ab', { weights: { a: 0.5 } }, rule))).toBe(
      'INVALID_INPUT: quorum_policy.minimum_votes: at most 1.5, what the critics weigh by the policy of the room',
    );
    expect(refusal(() => opened('ab', { weights: { a: 0, b: 0 } }))).toMatch(/a rule that needs at least one vote/);
  });

  it('a critic whose name is that of a member of every object weighs 1', () => {
    const { requested_critics: _, ...rest } = proposal('', { weights: {} });
    const [proposed] = propose(initialNegotiation, { ...rest, requested_critics: ['constructor', 'b'] });
    expect(proposed!.data['options']).toEqual({ weights: { expected: 2 } });
  });
});

describe('with dynamic_quorum', () => {
  const rule = { rule: { require_all: true } } as const;
  const available = (critics: string): More => ({ available_critics: [...critics], quorum_policy: rule });

  it.each([
    ['those who are well are expected', 2, 'ad', 2],
    ['the floor is expected where fewer are well', 3, 'a', 3],
    ['no more than were asked, whatever the floor', 9, '', 5],
  ])('%s', (_, floor, well, expected) => {
    const state = voted(opened('abcde', { dynamic_quorum: { floor } }, available(well)), vote('b'));
    expect(state.proposal).toMatchObject({
      quorum_threshold: expected,
      options: { dynamic_quorum: { floor, votes_expected: expected, available_critics: [...well] } },
    });
    expect(closeWindow(state, DUE)[1]!.data).toMatchObject({
      votes_received: 1,
      votes_expected: expected,
      quorum_met: false,
      unavailable_critics: ['a', 'c', 'd', 'e'],
      options: { dynamic_quorum: { floor, votes_expected: expected, available_critics: [...well] } },
    });
  });

  it('a vote of a critic that was unwell counts, and the window waits for everybody who was asked', () => {
    const state = opened('abc', { dynamic_quorum: { floor: 1 } }, available('a'));
    const { events } = castVote(state, vote('c'));
    expect(types(events)).toEqual(['VOTE_CAST']);
    expect(closeWindow(after(state, events), DUE)[1]!.data).toMatchObject({ quorum_met: true, outcome: 'APPROVED' });
  });

  it('and weights, the weights of those who are well are expected', () => {
    const options = { dynamic_quorum: { floor: 1 }, weights: { a: 4 } };
    expect(opened('abc', options, available('ab')).proposal).toMatchObject({
      quorum_threshold: 5,
      options: { weights: { expected: 5 }, dynamic_quorum: { votes_expected: 2 } },
    });
  });
});

describe('with escalation', () => {
  const SENIOR = { escalation: ['s', 't'] };
  const asked = (state: NegotiationState, now = DUE): NegotiationState => after(state, closeWindow(state, now));

  it('senior critics are asked before people are, in a window as long as the one before it', () => {
    const events = closeWindow(voted(opened('abc', SENIOR), vote('a')), DUE + 7);
    expect(types(events)).toEqual(['VOTE_WINDOW_CLOSED', 'SENIOR_CRITICS_ASKED']);
    expect(events[1]!.data).toEqual({
      artifact_id: 'art-1',
      critics: ['s', 't'],
      opened_at: new Date(DUE + 7).toISOString(),
      due_at: new Date(DUE + 7 + WINDOW_MS).toISOString(),
      quorum_threshold: 1,
      before: {
        outcome: 'ESCALATED_TO_HITL',
        escalation_reason: 'DEBATE_DEADLOCK',
        reason: 'quorum not met: 1 of 3 critics voted, 2 are needed',
        voters: ['a'],
        votes_received: 1,
        votes_expected: 3,
        quorum_threshold: 2,
        quorum_met: false,
      },
    });
  });

  it('they decide as if they had been requested: by their votes, with the last of them, in one append', () => {
    const state = asked(voted(opened('abc', SENIOR), vote('a', NOON, { score: 0, passed: false })));
    const one = castVote(state, vote('s', DUE + 1));
    expect([one.disposition, types(one.events)]).toEqual(['counted', ['VOTE_CAST']]);
    const { events } = castVote(after(state, one.events), vote('t', DUE + 2));
    expect(types(events)).toEqual(CLOSED_BY_VOTE);
    expect(events[2]!.data).toMatchObject({
      outcome: 'APPROVED',
      reason:
        'score, confidence, passes and agreement suffice; senior critics were asked, for before them quorum not met: 1 of 3 critics voted, 2 are needed',
      voters: ['s', 't'],
      votes_received: 2,
      votes_expected: 2,
      aggregated_score: { mean: 9, vote_count: 2 },
      collection_timeout_reached: false,
      unavailable_critics: ['b', 'c'],
      options: { escalation: { critics: ['s', 't'], before: { voters: ['a'] } } },
    });
  });

  it('they are asked once: where they do not decide either, people are', () => {
    const state = asked(voted(opened('abc', SENIOR), vote('a')));
    expect(closeWindow(state, DUE + WINDOW_MS - 1)).toEqual([]);
    const events = closeWindow(state, DUE + WINDOW_MS, () => 'unhealthy');
    expect(types(events)).toEqual(['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED']);
    expect(events[0]!.data).toMatchObject({
      collection_timeout_reached: true,
      unavailable: [
        { critic_id: 's', reason: 'unhealthy' },
        { critic_id: 't', reason: 'unhealthy' },
      ],
    });
    expect(events[1]!.data).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: 'DEBATE_DEADLOCK',
      aggregated_score: null,
      unavailable_critics: ['b', 'c', 's', 't'],
    });
    const over = after(state, events);
    expect(closeWindow(over, DUE + 2 * WINDOW_MS)).toEqual([]);
  });

  it('none of them votes before, and whoever was asked before them is late', () => {
    const open = voted(opened('abc', SENIOR), vote('a'));
    expect(refusal(() => castVote(open, vote('s')))).toMatch(/^PERMISSION_DENIED: critic s was not asked/);
    const { disposition, events } = castVote(asked(open), vote('b', DUE + 1));
    expect([disposition, types(events)]).toEqual(['late', ['LATE_VOTE']]);
    const closing = castVote(open, vote('b', DUE));
    expect([closing.disposition, types(closing.events)]).toEqual([
      'late',
      ['VOTE_WINDOW_CLOSED', 'SENIOR_CRITICS_ASKED', 'LATE_VOTE'],
    ]);
  });

  it('a retry of a vote of the window before is the first answer again', () => {
    const idempotency = { key: 'k', digest: 'd' };
    const state = asked(voted(opened('abc', SENIOR), vote('a', NOON, { idempotency })));
    expect(castVote(state, vote('a', DUE + 1, { idempotency }))).toEqual({ disposition: 'counted', events: [] });
  });

  it('nobody is asked twice, nor about an artifact of their own', () => {
    expect(asked(opened('abs', { escalation: ['s', 'maker', 't'] })).seniors!.critics).toEqual(['t']);
  });

  it('people are asked at once where nobody is left to be asked', () => {
    for (const escalation of [['a'], ['maker']])
      expect(types(closeWindow(opened('abc', { escalation }), DUE))).toEqual([
        'VOTE_WINDOW_CLOSED',
        'NEGOTIATION_DECIDED',
      ]);
    const weightless = opened('abc', { escalation: ['s'], weights: { s: 0 } });
    expect(asked(weightless).decision).toMatchObject({ outcome: 'ESCALATED_TO_HITL' });
  });

  it('nobody else is asked where the critics decide', () => {
    expect(types(castVote(voted(opened('ab', SENIOR), vote('a')), vote('b')).events)).toEqual(CLOSED_BY_VOTE);
  });

  it('more votes than there are senior critics are not needed', () => {
    const state = asked(voted(opened('abcd', SENIOR, { quorum_policy: { rule: { minimum_votes: 3 } } }), vote('a')));
    expect(state.seniors).toMatchObject({ quorum_threshold: 2 });
  });

  it('weighs them, and asks them with the vote that settles it early', () => {
    const options = { ...SENIOR, early_decision: true, weights: { s: 2.5 } };
    const { events } = castVote(voted(opened('abcd', options), vote('a')), vote('b', NOON + 3, WISH));
    expect(types(events)).toEqual(['VOTE_CAST', 'VOTE_WINDOW_CLOSED', 'SENIOR_CRITICS_ASKED']);
    expect(events[2]!.data).toMatchObject({
      opened_at: new Date(NOON + 3).toISOString(),
      quorum_threshold: 2,
      options: { weights: { expected: 3.5 } },
      before: { escalation_reason: 'TASK_ESCALATION' },
    });
    const decided = closeWindow(voted(after(opened('abcd', options), events), vote('s')), NOON + 3 + WINDOW_MS);
    expect(decided[1]!.data).toMatchObject({
      outcome: 'APPROVED',
      options: { weights: { expected: 3.5, received: 2.5 }, early_decision: { closed_early: false } },
    });
  });
});

it('under any options there is one decision at most, senior critics are asked once at most, and nothing of it changes', () => {
  const options = fc.record<Options>(
    {
      weights: fc.constantFrom<Readonly<Record<string, number>>>({ a: 0.5 }, { a: 10, s: 0.1 }),
      early_decision: fc.constant(true),
      escalation: fc.constantFrom(['s'], ['s', 't'], ['a', 's']),
      dynamic_quorum: fc.record({ floor: fc.integer({ min: 1, max: 4 }) }),
    },
    { requiredKeys: [] },
  );
  const step = fc.record({
    critic: fc.constantFrom('a', 'b', 'c', 's', 't', null),
    wait: fc.integer({ min: 0, max: 200_000 }),
    score: fc.integer({ min: 0, max: 10 }),
    wishes: fc.boolean(),
  });
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 14 }), (chosen, steps) => {
      let [state, now] = [opened('abc', chosen, { available_critics: ['b'] }), NOON];
      const all: DomainEvent[] = [];
      for (const { critic, wait, score, wishes } of steps) {
        now += wait;
        const before = state.decision;
        if ([...state.votes, ...state.late].some((one) => one.critic_id === critic)) continue;
        if (critic !== null && 'st'.includes(critic) && !state.seniors?.critics.includes(critic)) continue;
        const more = { score, recommendations: wishes ? ['escalate'] : [] };
        const events = critic === null ? closeWindow(state, now) : castVote(state, vote(critic, now, more)).events;
        all.push(...events);
        state = after(state, events);
        if (before) expect(state.decision).toEqual(before);
      }
      const count = (type: string): number => types(all).filter((one) => one === type).length;
      expect(count('NEGOTIATION_DECIDED')).toBeLessThanOrEqual(1);
      expect(count('SENIOR_CRITICS_ASKED')).toBeLessThanOrEqual(chosen.escalation ? 1 : 0);
      expect(count('VOTE_WINDOW_CLOSED')).toBe(count('NEGOTIATION_DECIDED') + count('SENIOR_CRITICS_ASKED'));
    }),
  );
});
