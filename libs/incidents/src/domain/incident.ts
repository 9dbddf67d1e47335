import { MaceError, reactionSeed, sha256Hex, type DomainEvent, type EventMetadata, type JsonObject } from '#lib/kernel';

import {
  incidentEvent,
  type IncidentAck,
  type IncidentClosed,
  type IncidentCreated,
  type IncidentEscalated,
  type IncidentLink,
  type IncidentLinked,
  type Severity,
} from './incidents.events.js';

/** Part of the seed of everything that is appended because of a cause. */
export const INCIDENTS = 'incidents';

/** How bad each kind of event is that makes an incident by itself (seed 000, "Alerts, ops & incidents"). */
export const SEVERITIES: Readonly<Record<string, Severity>> = {
  INTEGRITY_FAILURE: 'critical',
  SECURITY_INCIDENT: 'critical',
  POLICY_VIOLATION: 'critical',
  NODE_OFFLINE: 'error',
  OTP_LOCKED: 'warning',
};

/** Of those that make one only where they last or come often: an outage over its due time, refusals of one principal, an erasure that fails on. */
export const RAISED_SEVERITIES = {
  SERVICE_UNAVAILABLE: 'critical',
  ACCESS_DENIED: 'warning',
  ERASURE: 'error',
} as const;

const MAX_LINKS = 100;

export type Cause = IncidentLink;

export interface Acknowledged extends Omit<IncidentAck, 'incident_id'> {
  readonly event_id: string;
  /** Of the command, by which it is known when it comes again. */
  readonly seed: string;
  readonly request_digest: string | null;
  readonly position: string;
}

export interface Incident extends IncidentCreated {
  readonly links: readonly IncidentLink[];
  readonly ack: Acknowledged | null;
  /** Null until what it is about is over. */
  readonly closed_at: string | null;
}

/** Null before it was opened. */
export type IncidentState = Incident | null;

/** An event of an incident's stream with its place. */
export interface PlacedEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: Pick<EventMetadata, 'event_id' | 'job_seed' | 'request_digest'>;
  readonly position: string;
}

export function evolveIncident(state: IncidentState, { type, data, metadata, position }: PlacedEvent): IncidentState {
  if (type === 'INCIDENT_CREATED')
    return { ...(data as unknown as IncidentCreated), links: [], ack: null, closed_at: null };
  if (state === null) return state;
  if (type === 'INCIDENT_ESCALATED') return { ...state, severity: (data as unknown as IncidentEscalated).severity };
  if (type === 'INCIDENT_CLOSED') return { ...state, closed_at: (data as unknown as IncidentClosed).closed_at };
  if (type === 'INCIDENT_LINKED') return { ...state, links: (data as unknown as IncidentLinked).links };
  if (type !== 'INCIDENT_ACK') return state;
  const { acknowledged_by, note } = data as unknown as IncidentAck;
  const { event_id, job_seed: seed, request_digest = null } = metadata;
  return { ...state, ack: { acknowledged_by, note, event_id, seed, request_digest, position } };
}

/** One incident a cause, however often it is looked at. */
export function incidentIdOf(causeEventId: string): string {
  return `inc-${sha256Hex(`${reactionSeed(INCIDENTS, causeEventId)}:incident`).slice(0, 32)}`;
}

/** What is recorded because of a cause: the incident, then the alert; nothing where it was opened before. */
export function openIncident(state: IncidentState, cause: Cause, severity: Severity): readonly DomainEvent[] {
  if (state !== null) return [];
  const { event_id, type, stream } = cause;
  const facts = { incident_id: incidentIdOf(event_id), severity, cause_event_id: event_id };
  return [
    incidentEvent('INCIDENT_CREATED', { ...facts, cause_type: type, cause_stream: stream }),
    incidentEvent('ADMIN_ALERT', facts),
  ];
}

/** What is recorded where an incident is worse than it was: that, then the alert; nothing where it is as bad or over. */
export function escalateIncident(state: IncidentState, severity: Severity): readonly DomainEvent[] {
  if (state === null || state.closed_at !== null || state.severity === severity) return [];
  const { incident_id, cause_event_id } = state;
  const facts = { incident_id, severity, cause_event_id };
  return [incidentEvent('INCIDENT_ESCALATED', facts), incidentEvent('ADMIN_ALERT', facts)];
}

/** @param recoveryEventId tells that what it was about is over; nothing where there is no incident, or it is closed */
export function closeIncident(
  state: IncidentState,
  recoveryEventId: string,
  closed_at: string,
): readonly DomainEvent[] {
  if (state === null || state.closed_at !== null) return [];
  const { incident_id } = state;
  return [incidentEvent('INCIDENT_CLOSED', { incident_id, cause_event_id: recoveryEventId, closed_at })];
}

/** Puts what the cause of an incident led to under the same incident, once each. */
export function linkToIncident({ incident_id, links }: Incident, link: IncidentLink): readonly DomainEvent[] {
  const isKnown = links.some(({ event_id }) => event_id === link.event_id);
  if (isKnown || links.length >= MAX_LINKS) return [];
  return [incidentEvent('INCIDENT_LINKED', { incident_id, links: [...links, link] })];
}

/** @throws MaceError NOT_FOUND, CONFLICT where somebody has acknowledged it */
export function decideAck(state: IncidentState, ack: IncidentAck): readonly DomainEvent[] {
  if (state === null) throw new MaceError('NOT_FOUND', `no incident ${ack.incident_id.slice(0, 60)}`);
  if (state.ack !== null) {
    throw new MaceError('CONFLICT', `${ack.incident_id} was acknowledged by ${state.ack.acknowledged_by}`);
  }
  return [incidentEvent('INCIDENT_ACK', ack)];
}
