import type { DecisionView, NegotiationView, RulingView, VoteView } from './negotiation-view.js';
import type { NegotiationProposed } from './domain/negotiation.events.js';
import type { Escalation } from './domain/room-options.js';

/** A negotiation as it is shown over REST. */
export interface ShownNegotiation extends Omit<NegotiationProposed, 'idempotency' | 'producer_principal'> {
  readonly status: 'open' | 'decided';
  /** Base64; null where it was erased, or is not shown. */
  readonly artifact: string | null;
  readonly votes: readonly VoteView[];
  /** Senior critics that were asked, and why; null where none were. */
  readonly escalation: Escalation | null;
  readonly decision: DecisionView | null;
  readonly ruling: RulingView | null;
  /** Number of its events. */
  readonly version: number;
  /** True where what was said, and the artifact, are left out. */
  readonly redacted: boolean;
}

export function shown(
  { proposal, votes, escalation, decision, ruling, revision }: NegotiationView,
  artifact: Buffer | null,
): ShownNegotiation {
  const { idempotency: _key, producer_principal: _producer, ...said } = proposal;
  return {
    ...said,
    status: decision ? 'decided' : 'open',
    artifact: artifact && artifact.toString('base64'),
    votes,
    escalation,
    decision,
    ruling,
    version: revision,
    redacted: false,
  };
}

/** Without the artifact and without any word of a critic, or of who ruled. */
export function redactedNegotiation(view: ShownNegotiation): ShownNegotiation {
  const { decision, ruling } = view;
  const late = (one: DecisionView): DecisionView['late_votes'] =>
    one.late_votes.map((vote) => ({ ...vote, vote: withoutWords(vote.vote) }));
  return {
    ...view,
    artifact: null,
    votes: view.votes.map(withoutWords),
    decision: decision && { ...decision, votes: decision.votes.map(withoutWords), late_votes: late(decision) },
    ruling: ruling && { ...ruling, action: null, rationale: null },
    redacted: true,
  };
}

function withoutWords(vote: VoteView): VoteView {
  return { ...vote, strengths: [], weaknesses: [], recommendations: [] };
}
