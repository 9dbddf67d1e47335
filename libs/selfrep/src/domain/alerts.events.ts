import { sha256Hex, type DomainEvent, type EventDefinition, type JsonObject, type Severity } from '#lib/kernel';

import type { NodeOffline, PolicyViolation } from './module.events.js';

/** Events of `incident-{incident_id}` (seed 000, "Alerts, ops & incidents"). */

export type AlertKind = 'module_offline' | 'policy_violation';

export interface IncidentCreated {
  readonly incident_id: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly node_id?: string;
  readonly job_id?: string;
  /** Ids of the events it is about. */
  readonly links: readonly string[];
}

export interface AdminAlert {
  readonly incident_id: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly node_id?: string;
  /** The event that raised it. */
  readonly event_id: string;
  readonly reason: string;
}

export const alertEvents: readonly EventDefinition[] = [
  { type: 'INCIDENT_CREATED', version: 1, plain: ['incident_id', 'kind', 'severity', 'node_id', 'job_id', 'links'] },
  { type: 'ADMIN_ALERT', version: 1, plain: ['incident_id', 'kind', 'severity', 'node_id', 'event_id', 'reason'] },
];

const SEVERITY: Readonly<Record<AlertKind, Severity>> = { module_offline: 'error', policy_violation: 'critical' };
const BY_VIOLATION = 'policy violation';

/** The one incident that an event of a module makes. */
export function incidentIdOf(causeEventId: string): string {
  return `inc-${sha256Hex(`${causeEventId}:incident`).slice(0, 32)}`;
}

export function incidentStream(incidentId: string): string {
  return `incident-${incidentId}`;
}

/** What admins are told of an event; null where another event of the same append tells them. */
export function alertOf(type: string, eventId: string, data: JsonObject): readonly [DomainEvent, DomainEvent] | null {
  if (type === 'NODE_OFFLINE') {
    const { node_id, reason } = data as unknown as NodeOffline;
    return reason === BY_VIOLATION ? null : alert('module_offline', eventId, { node_id }, reason);
  }
  const { node_id, job_id, action } = data as unknown as PolicyViolation;
  const reason = action === undefined ? 'a module broke its policy' : `action ${action} is not allowed`;
  return alert('policy_violation', eventId, { node_id, ...(job_id === undefined ? {} : { job_id }) }, reason);
}

function alert(
  kind: AlertKind,
  event_id: string,
  about: { readonly node_id: string; readonly job_id?: string },
  reason: string,
): readonly [DomainEvent, DomainEvent] {
  const common = { incident_id: incidentIdOf(event_id), kind, severity: SEVERITY[kind] };
  const incident: IncidentCreated = { ...common, ...about, links: [event_id] };
  const alerted: AdminAlert = { ...common, node_id: about.node_id, event_id, reason };
  return [
    { type: 'INCIDENT_CREATED', data: incident as unknown as JsonObject },
    { type: 'ADMIN_ALERT', data: alerted as unknown as JsonObject },
  ];
}
