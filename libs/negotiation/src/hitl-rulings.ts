import type { EventLog, Fold } from '#lib/event-store';
import { reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { isAnswerArtifact } from './domain/answers.js';
import type { EscalationReason } from './domain/decision.js';
import { evolveNegotiation, initialNegotiation, type NegotiationState, ruleOn } from './domain/negotiation.js';
import { type NegotiationDecided, negotiationStream } from './domain/negotiation.events.js';
import { type ProposedArtifacts, UNKNOWN_CONTENT } from './proposed-artifacts.js';
import { redactPersonal } from './redaction.js';

const REACTOR = 'negotiation-hitl';
const FOLD: Fold<NegotiationState> = { name: 'negotiation', initial: initialNegotiation, evolve: evolveNegotiation };
/** Of an action and a rationale, in characters: what is longer is cut. */
const [MAX_ACTION, MAX_RATIONALE] = [200, 10_000];

/** What is put to somebody outside: no word of a critic, and not the artifact. */
export interface HitlQuestion {
  readonly reason_type: EscalationReason;
  /** Ids and numbers of the decision. */
  readonly context: object;
}

export interface HitlAnswer {
  readonly action: string;
  readonly decision_payload: Uint8Array;
  readonly rationale: string;
}

export interface HitlParts {
  readonly log: EventLog;
  readonly artifacts: ProposedArtifacts;
  /** @throws Error where there is no answer; it is asked again */
  readonly ask: (question: HitlQuestion) => Promise<HitlAnswer>;
  readonly now: () => number;
}

/**
 * Puts each escalated negotiation to somebody outside and records what they rule, once, beside the decision
 * (spec/negotiation-room.md, "Wire"); not those on answers, whose verdict is their council's. They may be asked more than
 * once: an answer may be lost.
 */
export function hitlReaction({ log, artifacts, ask, now }: HitlParts): Reaction {
  return {
    name: REACTOR,
    types: ['NEGOTIATION_DECIDED'],
    async react({ data, metadata }: ProjectedEvent): Promise<void> {
      const decided = data as unknown as NegotiationDecided;
      const { artifact_id, outcome, escalation_reason: reason_type } = decided;
      if (outcome !== 'ESCALATED_TO_HITL' || reason_type === null || isAnswerArtifact(artifact_id)) return;
      const stream = negotiationStream(artifact_id);
      const { state } = await log.fold(stream, FOLD);
      if (state.isRuled || !state.proposal) return;
      const { producer_principal, artifact_type, negotiation_room_id } = state.proposal;
      const { policy: _policy, ...numbers } = decided;
      const context = { ...numbers, artifact_type, negotiation_room_id };
      const { action, rationale, decision_payload } = await ask({ reason_type, context });
      const payload_ref =
        decision_payload.length === 0
          ? null
          : await artifacts.keep(artifact_id, producer_principal, UNKNOWN_CONTENT, decision_payload);
      const ruling = {
        artifact_id,
        decision_event_id: metadata.event_id,
        reason_type,
        producer_principal,
        ruled_at: new Date(now()).toISOString(),
        action: await redactPersonal(action.slice(0, MAX_ACTION)),
        rationale: await redactPersonal(rationale.slice(0, MAX_RATIONALE)),
        payload_ref,
      };
      await log.execute({
        stream,
        fold: FOLD,
        provenance: {
          jobSeed: reactionSeed(REACTOR, metadata.event_id),
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId: metadata.trace_id,
          causationId: metadata.event_id,
        },
        decide: (fresh) => ruleOn(fresh, ruling),
      });
    },
  };
}
