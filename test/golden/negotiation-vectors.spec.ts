import {
  type AggregationStrategy,
  castVote,
  closeWindow,
  evolveNegotiation,
  initialNegotiation,
  NEGOTIATION_POLICY_DEFAULTS,
  type NegotiationState,
  propose,
  type SubmitProposal,
  type SubmitVote,
  WINDOW_DEFAULTS,
} from '#lib/negotiation';

import {
  ABC,
  type Cast,
  DECIDED,
  ESCALATIONS,
  QUORUMS,
  STRATEGIES,
  WEIGHTED,
  WINDOWS,
} from '../support/negotiation-vectors.js';

/** Quorum, aggregation, decision and escalation (spec/negotiation-room.md "Quorum" to "Vectors"; seed 004 sections 1 to 4). */

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const AFTER = NOON + 86_400_000;

type Votes = Readonly<Record<string, Partial<SubmitVote>>>;

const proposal = (requested_critics: readonly string[], more: Partial<SubmitProposal> = {}): SubmitProposal => ({
  artifact_id: 'art-1',
  artifact_type: 'CODE',
  artifact_content_type: 'text/plain',
  artifact_ref: '0'.repeat(64),
  producer_id: 'maker',
  producer_principal: 'user_maker',
  created_at: '2001-01-01T00:00:00.000Z',
  negotiation_room_id: 'room-1',
  requested_critics,
  vote_collection_timeout_s: 0,
  quorum_policy: {},
  idempotency: null,
  policy: NEGOTIATION_POLICY_DEFAULTS,
  windows: WINDOW_DEFAULTS,
  now: NOON,
  ...more,
});

const vote = (critic_id: string, more: Partial<SubmitVote>): SubmitVote => ({
  artifact_id: 'art-1',
  critic_id,
  critic_principal: `user_${critic_id}`,
  voted_at: '2026-01-01T12:00:00.000Z',
  score: 9,
  confidence: 0.9,
  passed: true,
  strengths: [],
  weaknesses: [],
  recommendations: [],
  idempotency: null,
  now: NOON + 1,
  ...more,
});

/** What stands after these votes, and after the end of the window where votes are missing. */
function negotiated(submitted: SubmitProposal, votes: Votes): NegotiationState {
  let state = propose(initialNegotiation, submitted).reduce(evolveNegotiation, initialNegotiation);
  for (const [critic, more] of Object.entries(votes))
    state = castVote(state, vote(critic, more)).events.reduce(evolveNegotiation, state);
  return closeWindow(state, AFTER).reduce(evolveNegotiation, state);
}

function decidedOn(cast: readonly Cast[], policy = NEGOTIATION_POLICY_DEFAULTS): NegotiationState['decision'] {
  const votes = Object.fromEntries(
    cast.map(([score, confidence, passed], i) => [`c${i}`, { score, confidence, passed }]),
  );
  return negotiated(proposal(Object.keys(votes), { policy }), votes).decision;
}

it.each(WEIGHTED)('the confidence-weighted votes %s are as the vector says', (_, cast, aggregated_score) => {
  expect(decidedOn(cast)).toMatchObject({ aggregated_score });
});

it.each(DECIDED)('the votes %s are decided as the vector says', (_, cast, aggregated_score, outcome) => {
  const decision = decidedOn(cast);
  expect(decision).toMatchObject({ outcome, aggregated_score, collection_timeout_reached: false });
  expect(decision!.reason).not.toBe('');
});

describe.each(STRATEGIES)('votes under $aggregation', ({ aggregation, vectors }) => {
  it.each(vectors)('%s', (_, cast, aggregated_score, outcome) => {
    const policy = { ...NEGOTIATION_POLICY_DEFAULTS, aggregation: aggregation as AggregationStrategy };
    expect(decidedOn(cast, policy)).toMatchObject({ outcome, aggregated_score, policy });
  });
});

it.each(WINDOWS)(
  'a window of type $type, asked for as $asked, is $seconds s from when the server took it, whatever created_at says',
  ({ type, asked, seconds }) => {
    const [proposed] = propose(
      initialNegotiation,
      proposal(ABC, { artifact_type: type, vote_collection_timeout_s: asked }),
    );
    const { received_at, due_at } = proposed!.data as { received_at: string; due_at: string };
    expect([Date.parse(received_at), Date.parse(due_at)]).toEqual([NOON, NOON + seconds * 1000]);
  },
);

describe('what brings people in:', () => {
  it.each(ESCALATIONS)('$name is $reason', ({ votes, reason, isLeftOpen = false }) => {
    expect(negotiated(proposal(ABC), votes).decision).toMatchObject({
      outcome: 'ESCALATED_TO_HITL',
      escalation_reason: reason,
      collection_timeout_reached: isLeftOpen,
    });
  });

  it('words that only begin like the wish are none', () => {
    const recommendations = ['Escalate', 'escalated', ' escalate', 'de-escalate: calm'];
    expect(negotiated(proposal(['a']), { a: { recommendations } }).decision).toMatchObject({ outcome: 'APPROVED' });
  });
});

describe('a quorum at the end of its window:', () => {
  it.each(QUORUMS)('$name', ({ critics, voters, quorum_policy = {}, expected }) => {
    const submitted = proposal(critics, { quorum_policy });
    const [proposed] = propose(initialNegotiation, submitted);
    expect(proposed!.data['quorum_threshold']).toBe(expected.threshold);
    const state = negotiated(submitted, Object.fromEntries(voters.map((critic) => [critic, {}])));
    const { decision } = state;
    expect(decision).toMatchObject({
      ...expected.decision,
      collection_timeout_reached: true,
      unavailable_critics: critics.filter((critic) => !voters.includes(critic)),
      policy: { min_score: 7, max_std_dev: 2 },
    });
    const standing = expected.votes ?? voters;
    // What was injected, or nobody cast, is no vote that was received.
    expect(decision).toMatchObject({ voters, abstained: standing.slice(voters.length) });
    expect(decision!.aggregated_score?.vote_count ?? 0).toBe(standing.length);
  });
});
