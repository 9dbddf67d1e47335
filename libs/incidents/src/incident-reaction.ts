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
import { alertOf, evolveLastAlerts, FLAGGED_TYPE, type LastAlerts } from './domain/pii-alerts.js';
import type { PiiAlert } from './domain/incidents.events.js';
import { link, open, SYSTEM } from './incident-streams.js';

const LAST_ALERTS_FOLD: Fold<LastAlerts> = { name: 'pii-alerts', initial: {}, evolve: evolveLastAlerts };

export const COUNTS: Readonly<Record<FailureCounter['type'], Fold<FailureCount>>> = {
  QUORUM_FAILED: { name: 'quorum-failures', initial: noFailures, evolve: evolveCount(QUORUM_FAILURES) },
  MEMORY_FAILING: { name: 'memory-failures', initial: noFailures, evolve: evolveCount(MEMORY_FAILURES) },
};

/** What shows under the incident of its cause, and makes none by itself. */
const LINKED_TYPES: readonly string[] = ['FORCE_HALT_REPLAY'];

/**
 * Opens an incident and raises an alert for each event that people must look at, once an event. What an incident's cause
 * led to, such as the module that a violation took offline, belongs to that incident.
 * @param alert told of personal data that was found, once a minute and kind
 */
export function incidentReaction(log: EventLog, alert: (found: PiiAlert) => void = () => undefined): Reaction {
  return {
    name: 'incident-reactions',
    types: [...Object.keys(SEVERITIES), ...LINKED_TYPES, ...COUNTED_TYPES, DENIED_TYPE, FLAGGED_TYPE],
    async react(event: ProjectedEvent): Promise<void> {
      const { type, stream, data, metadata } = event;
      const { event_id, trace_id, $causationId: causation } = metadata;
      const counted = countedIn(type, data);
      if (counted) return count(log, event, counted.counter, counted.at ?? (await recordedAt(log, event)));
      if (type === DENIED_TYPE) return lookAtDenials(log, event);
      if (type === FLAGGED_TYPE) return tellOfPersonalData(log, event, alert);
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
  const denials = await denialsIn(log, stream, revision);
  const { event_id, trace_id } = metadata;
  if (becameTooMany(denials)) await open(log, { event_id, type, stream }, RAISED_SEVERITIES.ACCESS_DENIED, trace_id);
}

/** The newest refusals of a trail, the newest first. @param from revision to look back from; the newest where absent */
export async function denialsIn(log: EventLog, stream: string, from?: number): Promise<readonly Denied[]> {
  const { events } = await log.store.readStream(stream, {
    backwards: true,
    limit: LOOKED_BACK,
    ...(from !== undefined && { from }),
  });
  return events.flatMap((recorded): Denied[] => {
    if (recorded.type !== DENIED_TYPE) return [];
    // A row that nobody signed counts for nothing.
    const event = log.codec.signedAlone(recorded);
    return event ? [{ count: event.data['count'] as number, at: recorded.recordedAt }] : [];
  });
}

/** That operators were told stands in a stream, so that no restart and no other process tells them again. */
async function tellOfPersonalData(
  log: EventLog,
  event: ProjectedEvent,
  alert: (found: PiiAlert) => void,
): Promise<void> {
  const { event_id, trace_id, recorded_at: at = await recordedAt(log, event) } = event.metadata;
  const { pii_type, category } = event.data as unknown as Pick<PiiAlert, 'pii_type' | 'category'>;
  const found = { pii_type, category, cause_event_id: event_id, at };
  const { events } = await log.execute({
    stream: 'system-privacy',
    fold: LAST_ALERTS_FOLD,
    provenance: {
      jobSeed: reactionSeed(LAST_ALERTS_FOLD.name, event_id),
      sequenceIndex: 0,
      actor: SYSTEM,
      traceId: trace_id,
      causationId: event_id,
    },
    decide: (told) => alertOf(told, found),
  });
  if (events.length > 0) alert(found);
}
