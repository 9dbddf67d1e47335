import fc from 'fast-check';

import { type DomainEvent, MaceError } from '#lib/kernel';

import { NOON, PROPOSAL, vote } from '../testing/proposals.js';
import { NEGOTIATION_POLICY_DEFAULTS } from './decision.js';
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

const DUE = NOON + 300_000;

const after = (state: NegotiationState, events: readonly DomainEvent[]): NegotiationState =>
  events.reduce(evolveNegotiation, state);
const given = (...votes: readonly SubmitVote[]): NegotiationState =>
  votes.reduce(
    (state, one) => after(state, castVote(state, one).events),
    after(initialNegotiation, propose(initialNegotiation, PROPOSAL)),
  );
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

describe('a proposal', () => {
  it('is due its window after the server took it, by the table of its type', () => {
    const [proposed] = propose(initialNegotiation, PROPOSAL);
    expect(proposed).toMatchObject({
      type: 'NEGOTIATION_PROPOSED',
      data: { received_at: '2026-01-01T12:00:00.000Z', due_at: '2026-01-01T12:05:00.000Z' },
    });
    const longest = propose(initialNegotiation, { ...PROPOSAL, vote_collection_timeout_s: 4_294_967_295 });
    expect(longest[0]!.data['due_at']).toBe('2162-02-07T18:28:15.000Z');
  });

  it('is taken once, and again only as the same request', () => {
    const idempotency = { key: 'k', digest: 'd' };
    const state = after(initialNegotiation, propose(initialNegotiation, { ...PROPOSAL, idempotency }));
    expect(propose(state, { ...PROPOSAL, idempotency })).toEqual([]);
    for (const other of [null, { key: 'k', digest: 'e' }, { key: 'j', digest: 'd' }]) {
      expect(refusal(() => propose(state, { ...PROPOSAL, idempotency: other }))).toMatch(/^CONFLICT: artifact art-1 /);
    }
    expect(refusal(() => propose(given(), PROPOSAL))).toMatch(/^CONFLICT/);
  });

  it.each<[string, Partial<SubmitProposal>, RegExp]>([
    ['an empty roster', { requested_critics: [] }, /requested_critics: at least one/],
    ['a critic twice', { requested_critics: ['a', 'a'] }, /requested_critics: each critic once/],
    ['an empty id', { requested_critics: ['a', ''] }, /requested_critics: 1 to 128/],
    ['its producer as critic', { requested_critics: ['maker'] }, /not the producer/],
    ['an id of foreign characters', { artifact_id: 'art 1' }, /artifact_id: 1 to 128/],
    ['an id that is too long', { producer_id: 'x'.repeat(129) }, /producer_id: 1 to 128/],
    ['no room', { negotiation_room_id: '' }, /negotiation_room_id/],
    ['a window beyond its field', { vote_collection_timeout_s: 2 ** 32 }, /vote_collection_timeout_s/],
    ['no votes needed', { quorum_policy: { rule: { require_all: false } } }, /at least one vote/],
    ['zero votes needed', { quorum_policy: { rule: { minimum_votes: 0 } } }, /at least one vote/],
    ['more votes than critics', { quorum_policy: { rule: { minimum_votes: 4 } } }, /from 1 to 3/],
    ['a fraction that comes to nothing', { quorum_policy: { rule: { minimum_fraction: 1e-12 } } }, /at least one vote/],
    ['no fraction', { quorum_policy: { rule: { minimum_fraction: NaN } } }, /minimum_fraction: over 0/],
    ['a fraction over 1', { quorum_policy: { rule: { minimum_fraction: 1.01 } } }, /minimum_fraction: over 0/],
  ])('with %s is refused with the field and its allowed form', (_, change, message) => {
    expect(refusal(() => propose(initialNegotiation, { ...PROPOSAL, ...change }))).toMatch(message);
  });
});

describe('a vote', () => {
  it('is counted while the window is open', () => {
    const { disposition, events } = castVote(given(), vote('a', DUE - 1));
    expect([disposition, types(events)]).toEqual(['counted', ['VOTE_CAST']]);
  });

  it('that is the last one asked for closes the window and decides, in one append', () => {
    const { events } = castVote(given(vote('a'), vote('b')), vote('c'));
    expect(types(events)).toEqual(['VOTE_CAST', 'VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED']);
    expect(events[2]!.data).toMatchObject({
      outcome: 'APPROVED',
      voters: ['a', 'b', 'c'],
      collection_timeout_reached: false,
      unavailable_critics: [],
      policy: NEGOTIATION_POLICY_DEFAULTS,
    });
  });

  it('at the due time closes the window first, and is late', () => {
    const { disposition, events } = castVote(given(vote('a'), vote('b')), vote('c', DUE));
    expect([disposition, types(events)]).toEqual(['late', ['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED', 'LATE_VOTE']]);
    expect(events[1]!.data).toMatchObject({
      collection_timeout_reached: true,
      voters: ['a', 'b'],
      unavailable_critics: ['c'],
    });
  });

  it('after the close is late, and changes nothing of the decision', () => {
    const state = given(vote('a'), vote('b'));
    const closed = after(state, closeWindow(state, DUE));
    const { disposition, events } = castVote(closed, vote('c', DUE + 5, { score: 0, passed: false }));
    expect([disposition, types(events)]).toEqual(['late', ['LATE_VOTE']]);
    expect(after(closed, events)).toMatchObject({ decision: closed.decision, votes: closed.votes });
  });

  it('is the critic’s only one: a second is refused, counted or late, but for the same request', () => {
    const idempotency = { key: 'k', digest: 'd' };
    const open = given(vote('a', NOON, { idempotency }));
    expect(castVote(open, vote('a', NOON, { idempotency }))).toEqual({ disposition: 'counted', events: [] });
    expect(refusal(() => castVote(open, vote('a')))).toMatch(/^CONFLICT: critic a has voted/);
    const late = after(open, castVote(open, vote('b', DUE, { idempotency })).events);
    expect(castVote(late, vote('a', DUE + 1, { idempotency }))).toEqual({ disposition: 'counted', events: [] });
    expect(castVote(late, vote('b', DUE + 1, { idempotency }))).toEqual({ disposition: 'late', events: [] });
    expect(refusal(() => castVote(late, vote('a', DUE + 1)))).toMatch(/^CONFLICT/);
    expect(refusal(() => castVote(late, vote('b', DUE + 1)))).toMatch(/^CONFLICT/);
  });

  it('is refused for its form, then for what it is about, then for who casts it', () => {
    expect(refusal(() => castVote(initialNegotiation, vote('a', NOON, { score: 10.1 })))).toMatch(
      /^INVALID_INPUT: score/,
    );
    expect(refusal(() => castVote(initialNegotiation, vote('a')))).toMatch(/^NOT_FOUND/);
    expect(refusal(() => castVote(given(), vote('maker')))).toMatch(/^PERMISSION_DENIED: nobody votes on/);
    expect(refusal(() => castVote(given(), vote('stranger')))).toMatch(/^PERMISSION_DENIED: critic stranger/);
  });

  it.each<[string, Partial<SubmitVote>, RegExp]>([
    ['NaN', { score: NaN }, /^INVALID_INPUT: score: a number from 0 to 10/],
    ['an infinite score', { score: Infinity }, /score/],
    ['a score under 0', { score: -0.1 }, /score/],
    ['too much confidence', { confidence: 1.1 }, /confidence: a number from 0 to 1/],
    ['no confidence', { confidence: NaN }, /confidence/],
    ['no critic', { critic_id: '' }, /critic_id/],
  ])('of %s is refused, also after the close', (_, change, message) => {
    const closed = after(given(), closeWindow(given(), DUE));
    for (const state of [given(), closed])
      expect(refusal(() => castVote(state, vote('a', NOON, change)))).toMatch(message);
  });

  it('is kept to 9 decimals, with the wish for a person that it holds', () => {
    const { events } = castVote(given(), vote('a', NOON, { score: 1 / 3, recommendations: ['escalate: please'] }));
    expect(events[0]!.data).toMatchObject({ score: 0.333333333, asks_for_person: true });
  });
});

describe('the end of a window', () => {
  it('decides nothing before it', () => {
    expect(closeWindow(given(vote('a')), DUE - 1)).toEqual([]);
    expect(closeWindow(initialNegotiation, DUE)).toEqual([]);
  });

  it('without a quorum asks people, and names who did not vote', () => {
    const [, decided] = closeWindow(given(vote('b')), DUE);
    expect(decided!.data).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: 'DEBATE_DEADLOCK',
      votes_received: 1,
      votes_expected: 3,
      quorum_met: false,
      unavailable_critics: ['a', 'c'],
      abstained: [],
    });
  });

  it('names those for whom an abstention counts', () => {
    const quorum_policy = { rule: { require_all: true }, on_failure: 'FAIL_WITH_ABSTAIN' } as const;
    const open = after(initialNegotiation, propose(initialNegotiation, { ...PROPOSAL, quorum_policy }));
    const voted = after(open, castVote(open, vote('b')).events);
    expect(closeWindow(voted, DUE)[1]!.data).toMatchObject({ voters: ['b'], abstained: ['a', 'c'], votes_received: 1 });
  });

  it('is decided by the policy that stood when it was proposed', () => {
    const policy = { ...NEGOTIATION_POLICY_DEFAULTS, policy_version: 'strict', min_score: 9.5 };
    const strict = after(initialNegotiation, propose(initialNegotiation, { ...PROPOSAL, policy }));
    const state = ['a', 'b', 'c'].reduce((s, one) => after(s, castVote(s, vote(one)).events), strict);
    expect(state.decision).toMatchObject({ outcome: 'REVISION_REQUESTED', policy });
  });

  it('comes once: whatever happens in whatever order, there is one decision at most, and it never changes', () => {
    const step = fc.record({
      critic: fc.constantFrom('a', 'b', 'c', null),
      wait: fc.integer({ min: 0, max: 200_000 }),
      score: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let [state, now] = [given(), NOON];
        const all: DomainEvent[] = [];
        for (const { critic, wait, score } of steps) {
          now += wait;
          const before = state.decision;
          const known = [...state.votes, ...state.late].some((one) => one.critic_id === critic);
          if (known) continue;
          const events =
            critic === null ? closeWindow(state, now) : castVote(state, vote(critic, now, { score })).events;
          all.push(...events);
          state = after(state, events);
          if (before) expect(state.decision).toEqual(before);
        }
        const decided = all.filter(({ type }) => type === 'NEGOTIATION_DECIDED');
        expect(decided.length).toBeLessThanOrEqual(1);
        expect(types(all).filter((type) => type === 'VOTE_WINDOW_CLOSED')).toHaveLength(decided.length);
        const cast = all.filter(({ type }) => type === 'VOTE_CAST').map(({ data }) => data['critic_id']);
        if (decided[0]) expect(decided[0].data['voters']).toEqual(cast);
      }),
    );
  });
});
