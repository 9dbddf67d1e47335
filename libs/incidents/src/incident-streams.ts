import type { EventLog, Fold } from '#lib/event-store';
import { reactionSeed, traceId as traceOf, type Actor } from '#lib/kernel';

import {
  closeIncident,
  escalateIncident,
  evolveIncident,
  incidentIdOf,
  INCIDENTS,
  linkToIncident,
  openIncident,
  type Cause,
  type IncidentState,
} from './domain/incident.js';
import { incidentStream, type Severity } from './domain/incidents.events.js';

export const SYSTEM: Actor = { id: 'system', role: 'system' };
export const INCIDENT_FOLD: Fold<IncidentState> = { name: 'incident', initial: null, evolve: evolveIncident };

/** Opens the one incident of a cause, with its alert. @param trace that of the cause */
export async function open(log: EventLog, cause: Cause, severity: Severity, trace?: string): Promise<void> {
  const jobSeed = reactionSeed(INCIDENTS, cause.event_id);
  await log.execute({
    stream: incidentStream(incidentIdOf(cause.event_id)),
    fold: INCIDENT_FOLD,
    provenance: {
      jobSeed,
      sequenceIndex: 0,
      actor: SYSTEM,
      traceId: trace ?? traceOf(jobSeed),
      causationId: cause.event_id,
    },
    decide: (state) => openIncident(state, cause, severity),
  });
}

/** Raises the severity of a cause's incident, and alerts again. */
export async function escalate(log: EventLog, cause: Cause, severity: Severity): Promise<void> {
  const jobSeed = reactionSeed(`${INCIDENTS}:${severity}`, cause.event_id);
  await log.execute({
    stream: incidentStream(incidentIdOf(cause.event_id)),
    fold: INCIDENT_FOLD,
    provenance: { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceOf(jobSeed), causationId: cause.event_id },
    decide: (state) => escalateIncident(state, severity),
  });
}

/**
 * Closes the incident of a cause, where it has one.
 * @param recoveryEventId null where nothing tells of the recovery but that no more came of it
 * @param at real time of the recovery, ISO 8601
 */
export async function close(log: EventLog, cause: Cause, recoveryEventId: string | null, at: string): Promise<void> {
  const recovery = recoveryEventId ?? cause.event_id;
  const jobSeed = reactionSeed(recoveryEventId === null ? `${INCIDENTS}:past` : INCIDENTS, recovery);
  await log.execute({
    stream: incidentStream(incidentIdOf(cause.event_id)),
    fold: INCIDENT_FOLD,
    provenance: { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceOf(jobSeed), causationId: recovery },
    decide: (state) => closeIncident(state, recovery, at),
  });
}

/** Puts an event under the incident that its own cause has opened; false where that has opened none. */
export async function link(log: EventLog, event: Cause, causationId: string, trace: string): Promise<boolean> {
  const stream = incidentStream(incidentIdOf(causationId));
  const { state } = await log.fold(stream, INCIDENT_FOLD);
  if (state === null) return false;
  await log.execute({
    stream,
    fold: INCIDENT_FOLD,
    provenance: {
      jobSeed: reactionSeed(INCIDENTS, event.event_id),
      sequenceIndex: 0,
      actor: SYSTEM,
      traceId: trace,
      causationId: event.event_id,
    },
    decide: (incident) => (incident === null ? [] : linkToIncident(incident, event)),
  });
  return true;
}
