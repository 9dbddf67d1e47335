import type { EventLog, Fold } from '#lib/event-store';
import { reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { RAISED_SEVERITIES, SEVERITIES } from './domain/incident.js';
import {
  countQuorumFailure,
  evolveQuorumFailures,
  initialQuorumFailures,
  QUORUM_STREAM,
  QUORUM_TYPES,
  quorumFailureIn,
  type QuorumFailures,
} from './domain/quorum-failures.js';
import { link, open, SYSTEM } from './incident-streams.js';

const QUORUM_FOLD: Fold<QuorumFailures> = {
  name: 'quorum-failures',
  initial: initialQuorumFailures,
  evolve: evolveQuorumFailures,
};

/** What shows under the incident of its cause, and makes none by itself. */
const LINKED_TYPES: readonly string[] = ['FORCE_HALT_REPLAY'];

/**
 * Opens an incident and raises an alert for each event that people must look at, once an event. What an incident's cause
 * led to, such as the module that a violation took offline, belongs to that incident.
 */
export function incidentReaction(log: EventLog): Reaction {
  return {
    name: 'incident-reactions',
    types: [...Object.keys(SEVERITIES), ...LINKED_TYPES, ...QUORUM_TYPES],
    async react(event: ProjectedEvent): Promise<void> {
      const { type, stream, data, metadata } = event;
      const { event_id, trace_id, $causationId: causation } = metadata;
      const failedAt = quorumFailureIn(type, data);
      if (failedAt !== null) return countQuorum(log, event, failedAt);
      const severity = SEVERITIES[type];
      if (severity === undefined && !LINKED_TYPES.includes(type)) return;
      const cause = { event_id, type, stream };
      if (causation !== undefined && (await link(log, cause, causation, trace_id))) return;
      if (severity !== undefined) await open(log, cause, severity, trace_id);
    },
  };
}

/** The count stands in a stream, so that it survives restarts and whoever counts again counts the same. */
async function countQuorum(log: EventLog, { type, stream, metadata }: ProjectedEvent, at: string): Promise<void> {
  const { event_id, trace_id } = metadata;
  const { state } = await log.execute({
    stream: QUORUM_STREAM,
    fold: QUORUM_FOLD,
    provenance: {
      jobSeed: reactionSeed('quorum-failures', event_id),
      sequenceIndex: 0,
      actor: SYSTEM,
      traceId: trace_id,
      causationId: event_id,
    },
    decide: (failures) => countQuorumFailure(failures, { cause_event_id: event_id, at }),
  });
  if (state.raised?.cause_event_id !== event_id) return;
  await open(log, { event_id, type, stream }, RAISED_SEVERITIES.QUORUM_FAILED, trace_id);
}
