import { reactionSeed, sha256Hex, type DomainEvent } from '#lib/kernel';

import { incidentEvent, type Severity } from './incidents.events.js';

/** The reactor's name; part of the seed of everything it appends. */
export const INCIDENTS = 'incidents';

/** How bad each kind of event is that makes an incident. */
export const SEVERITIES: Readonly<Record<string, Severity>> = {
  INTEGRITY_FAILURE: 'critical',
  POLICY_VIOLATION: 'critical',
  NODE_OFFLINE: 'error',
};

export interface Cause {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
}

/** One incident a cause, however often it is looked at. */
export function incidentIdOf(causeEventId: string): string {
  return `inc-${sha256Hex(`${reactionSeed(INCIDENTS, causeEventId)}:incident`).slice(0, 32)}`;
}

/** What is recorded because of a cause: the incident, then the alert. */
export function openIncident({ event_id, type, stream }: Cause): readonly DomainEvent[] {
  const severity = SEVERITIES[type];
  if (severity === undefined) return [];
  const facts = { incident_id: incidentIdOf(event_id), severity, cause_event_id: event_id };
  return [
    incidentEvent('INCIDENT_CREATED', { ...facts, cause_type: type, cause_stream: stream }),
    incidentEvent('ADMIN_ALERT', facts),
  ];
}
