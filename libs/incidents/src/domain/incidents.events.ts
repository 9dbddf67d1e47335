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

/** An event that belongs to an incident. */
export interface IncidentLink {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
}

/** In the same stream: the cause of an incident caused this too, which would be an incident of its own otherwise. */
export interface IncidentLinked {
  readonly incident_id: string;
  /** Everything linked so far, the newest last; the cause is not among them. */
  readonly links: readonly IncidentLink[];
}

/** In the same stream: it is worse than it was, and operators are told again. */
export interface IncidentEscalated {
  readonly incident_id: string;
  readonly severity: Severity;
  readonly cause_event_id: string;
}

/** In the same stream, once: what it was about is over. */
export interface IncidentClosed {
  readonly incident_id: string;
  /** The event that tells of the recovery; the incident’s own cause where it is over for no more came of it. */
  readonly cause_event_id: string;
  /** Real time of the recovery, ISO 8601. */
  readonly closed_at: string;
}

/** In the same stream, once: an admin has taken it up. */
export interface IncidentAck {
  readonly incident_id: string;
  readonly acknowledged_by: string;
  /** Screened: holds no personal data. */
  readonly note: string;
}

/**
 * In `system-quorum` a decision for which not enough votes came, in `system-memory` a write that memory did not take: what is
 * an incident where it comes often.
 */
export interface CountedFailure {
  readonly cause_event_id: string;
  /** When the decision was closed, or the write was on record; ISO 8601. */
  readonly at: string;
}

/** In `system-privacy`, once a minute and kind: personal data was found that may not be stored. */
export interface PiiAlert {
  readonly pii_type: string;
  readonly category: string;
  /** A PII_FLAGGED. */
  readonly cause_event_id: string;
  /** When that was recorded, ISO 8601. */
  readonly at: string;
}

export const incidentEvents: readonly EventDefinition[] = [
  {
    type: 'INCIDENT_CREATED',
    version: 1,
    plain: ['incident_id', 'severity', 'cause_event_id', 'cause_type', 'cause_stream'],
  },
  { type: 'ADMIN_ALERT', version: 1, plain: ['incident_id', 'severity', 'cause_event_id'] },
  { type: 'INCIDENT_ESCALATED', version: 1, plain: ['incident_id', 'severity', 'cause_event_id'] },
  { type: 'INCIDENT_CLOSED', version: 1, plain: ['incident_id', 'cause_event_id', 'closed_at'] },
  { type: 'INCIDENT_LINKED', version: 1, plain: ['incident_id', 'links'] },
  { type: 'INCIDENT_ACK', version: 1, plain: ['incident_id', 'acknowledged_by', 'note'] },
  { type: 'QUORUM_FAILED', version: 1, plain: ['cause_event_id', 'at'] },
  { type: 'MEMORY_FAILING', version: 1, plain: ['cause_event_id', 'at'] },
  { type: 'PII_ALERT', version: 1, plain: ['pii_type', 'category', 'cause_event_id', 'at'] },
];

interface IncidentEventData {
  readonly INCIDENT_CREATED: IncidentCreated;
  readonly ADMIN_ALERT: AdminAlert;
  readonly INCIDENT_ESCALATED: IncidentEscalated;
  readonly INCIDENT_CLOSED: IncidentClosed;
  readonly INCIDENT_LINKED: IncidentLinked;
  readonly INCIDENT_ACK: IncidentAck;
  readonly QUORUM_FAILED: CountedFailure;
  readonly MEMORY_FAILING: CountedFailure;
  readonly PII_ALERT: PiiAlert;
}

/** A domain event from typed data: the one cast between incidents' types and JSON. */
export function incidentEvent<T extends keyof IncidentEventData>(type: T, data: IncidentEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function incidentStream(incidentId: string): string {
  return `incident-${incidentId}`;
}
