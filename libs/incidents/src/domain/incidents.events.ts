import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

export type Severity = 'warning' | 'error' | 'critical';

/** In `incident-{incident_id}`: something that people must look at, and the event that showed it. */
export interface IncidentCreated {
  readonly incident_id: string;
  readonly severity: Severity;
  readonly cause_event_id: string;
  readonly cause_type: string;
  /** The stream in which the cause stands. */
  readonly cause_stream: string;
}

/** In the same stream: operators are told, once an incident. */
export interface AdminAlert {
  readonly incident_id: string;
  readonly severity: Severity;
  readonly cause_event_id: string;
}

export const incidentEvents: readonly EventDefinition[] = [
  {
    type: 'INCIDENT_CREATED',
    version: 1,
    plain: ['incident_id', 'severity', 'cause_event_id', 'cause_type', 'cause_stream'],
  },
  { type: 'ADMIN_ALERT', version: 1, plain: ['incident_id', 'severity', 'cause_event_id'] },
];

interface IncidentEventData {
  readonly INCIDENT_CREATED: IncidentCreated;
  readonly ADMIN_ALERT: AdminAlert;
}

/** A domain event from typed data: the one cast between incidents' types and JSON. */
export function incidentEvent<T extends keyof IncidentEventData>(type: T, data: IncidentEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function incidentStream(incidentId: string): string {
  return `incident-${incidentId}`;
}
