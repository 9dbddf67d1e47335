import { type EventLog, eventAt, type Fold, positionOf } from '#lib/event-store';
import { reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import {
  COUNTED_TYPES,
  countedIn,
  countFailure,
  evolveCount,
  type FailureCount,
  type FailureCounter,
  MEMORY_FAILURES,
  noFailures,
  QUORUM_FAILURES,
} from './domain/counted-failures.js';
import { becameTooMany, DENIED_TYPE, LOOKED_BACK, type Denied } from './domain/denied-often.js';
import { RAISED_SEVERITIES, SEVERITIES } from './domain/incident.js';
import { link, open, SYSTEM } from './incident-streams.js';

const COUNTS: Readonly<Record<FailureCounter['type'], Fold<FailureCount>>> = {
  QUORUM_FAILED: { name: 'quorum-failures', initial: noFailures, evolve: evolveCount(QUORUM_FAILURES) },
  MEMORY_FAILING: { name: 'memory-failures', initial: noFailures, evolve: evolveCount(MEMORY_FAILURES) },
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
    types: [...Object.keys(SEVERITIES), ...LINKED_TYPES, ...COUNTED_TYPES, DENIED_TYPE],
    async react(event: ProjectedEvent): Promise<void> {
      const { type, stream, data, metadata } = event;
      const { event_id, trace_id, $causationId: causation } = metadata;
      const counted = countedIn(type, data);
      if (counted) return count(log, event, counted.counter, counted.at ?? (await recordedAt(log, event)));
      if (type === DENIED_TYPE) return lookAtDenials(log, event);
      const severity = SEVERITIES[type];
      if (severity === undefined && !LINKED_TYPES.includes(type)) return;
      const cause = { event_id, type, stream };
      if (causation !== undefined && (await link(log, cause, causation, trace_id))) return;
      if (severity !== undefined) await open(log, cause, severity, trace_id);
    },
  };
}

/** The count stands in a stream, so that it survives restarts and whoever counts again counts the same. */
async function count(
  log: EventLog,
  { type, stream, metadata }: ProjectedEvent,
  counter: FailureCounter,
  at: string,
): Promise<void> {
  const { event_id, trace_id } = metadata;
  const { state } = await log.execute({
    stream: counter.stream,
    fold: COUNTS[counter.type],
    provenance: {
      jobSeed: reactionSeed(COUNTS[counter.type].name, event_id),
      sequenceIndex: 0,
      actor: SYSTEM,
      traceId: trace_id,
      causationId: event_id,
    },
    decide: (failures) => countFailure(counter, failures, { cause_event_id: event_id, at }),
  });
  if (state.raised?.cause_event_id !== event_id) return;
  await open(log, { event_id, type, stream }, counter.severity, trace_id);
}

/** Where an event has no time of its own, that at which the store took it. */
async function recordedAt(log: EventLog, { position }: ProjectedEvent): Promise<string> {
  const recorded = await eventAt(log.store, positionOf(position));
  if (!recorded) throw new Error(`no event is at ${position} any more`);
  return new Date(recorded.recordedAt).toISOString();
}

/** Refusals are counted where they stand: in the trail of who was refused. */
async function lookAtDenials(log: EventLog, { type, stream, revision, metadata }: ProjectedEvent): Promise<void> {
  const { events } = await log.store.readStream(stream, { from: revision, backwards: true, limit: LOOKED_BACK });
  const denials = events.flatMap((recorded): Denied[] => {
    if (recorded.type !== DENIED_TYPE) return [];
    // A row that nobody signed counts for nothing.
    const event = log.codec.signedAlone(recorded);
    return event ? [{ count: event.data['count'] as number, at: recorded.recordedAt }] : [];
  });
  const { event_id, trace_id } = metadata;
  if (becameTooMany(denials)) await open(log, { event_id, type, stream }, RAISED_SEVERITIES.ACCESS_DENIED, trace_id);
}
