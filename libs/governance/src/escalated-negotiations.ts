import { type EventLog, IntegrityError } from '#lib/event-store';
import { MaceError, reactionSeed } from '#lib/kernel';
import { isAnswerArtifact, type NegotiationDecided, negotiationStream } from '#lib/negotiation';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { HITL } from './domain/action-kinds.js';
import type { ActionExecutor } from './executors/executor.js';
import type { Proposals } from './proposals.js';

const REACTOR = 'negotiation-escalation';

/**
 * Brings each escalated negotiation into the inbox, once (spec/negotiation-room.md, "Wire"). What people rule is a record
 * of its own, linked to the decision by its evidence; the decision never changes.
 */
export function escalationReaction(proposals: Proposals, now: () => number): Reaction {
  return {
    name: REACTOR,
    types: ['NEGOTIATION_DECIDED'],
    async react({ data, metadata }: ProjectedEvent): Promise<void> {
      const { artifact_id, outcome, escalation_reason, reason } = data as unknown as NegotiationDecided;
      if (outcome !== 'ESCALATED_TO_HITL' || escalation_reason === null) return;
      // What becomes of an answer is its council's to say, and a deadlock of that brings people in by itself.
      if (isAnswerArtifact(artifact_id)) return;
      const { event_id, trace_id: traceId } = metadata;
      await proposals.propose({
        payload: { action: HITL, kind: HITL, artifact_id, reason_type: escalation_reason },
        justification: `The critics of this artifact came to no decision: ${reason}.`,
        evidence: [event_id],
        origin: 'negotiation-room',
        provenance: {
          jobSeed: reactionSeed(REACTOR, event_id),
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId,
          causationId: event_id,
        },
        now: now(),
      });
    },
  };
}

/** A person's ruling on an artifact: the ruling itself is what was asked for. */
export function hitlExecutor(log: Pick<EventLog, 'load'>): ActionExecutor {
  return {
    action: HITL,
    async check({ kind, artifact_id }) {
      if (kind !== HITL) throw new MaceError('INVALID_INPUT', `payload.kind: ${HITL}`);
      if (!(await isEscalated(log, artifact_id as string)))
        throw new MaceError('NOT_FOUND', 'payload.artifact_id: no artifact whose negotiation was escalated');
    },
    execute: () => Promise.resolve({ events: 0, result: {} }),
  };
}

async function isEscalated(log: Pick<EventLog, 'load'>, artifactId: string): Promise<boolean> {
  try {
    const { events } = await log.load(negotiationStream(artifactId));
    return events.some(({ type, data }) => type === 'NEGOTIATION_DECIDED' && data['outcome'] === 'ESCALATED_TO_HITL');
  } catch (error) {
    // A record that was tampered with is all the more for people to look at.
    if (error instanceof IntegrityError) return true;
    throw error;
  }
}
