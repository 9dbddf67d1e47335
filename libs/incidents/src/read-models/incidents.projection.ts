import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import { LASTING_CAUSES } from '../domain/lasting-causes.js';
import type {
  IncidentAck,
  IncidentClosed,
  IncidentCreated,
  IncidentEscalated,
  IncidentLink,
  IncidentLinked,
  Severity,
} from '../domain/incidents.events.js';

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'closed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

export interface IncidentRow {
  readonly incident_id: string;
  /** What was said of it last. */
  readonly status: IncidentStatus;
  readonly severity: Severity;
  readonly cause: IncidentLink;
  /** When it was opened, ISO 8601; null where release 0.1 did so, whose events say no time. */
  readonly opened_at: string | null;
  /** When it was acknowledged; null also where it is open. */
  readonly acknowledged_at: string | null;
  /** What the cause led to, in its order. */
  readonly links: readonly IncidentLink[];
  readonly acknowledged_by: string | null;
  readonly note: string | null;
  /** When what it is about was over, real time; null until then. */
  readonly closed_at: string | null;
  /** Position of INCIDENT_CREATED: what lists sort by. */
  readonly position: number;
}

/** A write that memory refused; it is never carried out later. */
export interface FailedWriteRow {
  readonly key: string;
  readonly error_code: string;
  readonly attempts: number;
  readonly fault: string;
  /** When it was appended, ISO 8601; null where release 0.1 did so, whose events say no time. */
  readonly recorded_at: string | null;
  readonly event_id: string;
  /** Who asked for it: the job's stream or the person's. */
  readonly stream: string;
  readonly position: number;
}

/** Requests of one kind that were refused within a minute and left no other event. */
export interface RefusedRequestsRow {
  /** Whose they were; `address-` and a keyed digest where nobody was known. */
  readonly principal: string;
  /** `*` where several are counted together; so with `route`. */
  readonly error_code: string;
  readonly route: string;
  readonly count: number;
  readonly first_trace_id: string;
  readonly last_trace_id: string;
  /** Keyed digest of the body of the first; null where none was read. */
  readonly payload_hash: string | null;
  /** When they were appended, ISO 8601. */
  readonly recorded_at: string | null;
  readonly event_id: string;
  readonly stream: string;
  readonly position: number;
}

export const INCIDENTS_COLLECTION: CollectionDefinition = {
  name: 'incidents',
  indexes: ['status', 'severity', 'position'],
};

export const FAILED_WRITES_COLLECTION: CollectionDefinition = { name: 'failed_writes', indexes: ['key', 'position'] };

/** An incident that is over by itself, once no more comes of what caused it. */
export interface LastingIncident {
  readonly severity: Severity;
  readonly cause: IncidentLink;
  readonly opened_at: string | null;
}

/** Those of now, which are few: an incident leaves it when it is closed. */
export const LASTING_COLLECTION: CollectionDefinition = { name: 'lasting_incidents', indexes: ['position'] };

export const REFUSED_REQUESTS_COLLECTION: CollectionDefinition = {
  name: 'refused_requests',
  indexes: ['principal', 'position'],
};

const REFUSALS = 'refusals-';

/** Incidents, and the failed writes and refused requests that operators look after. */
export const incidentsProjection: Projection = {
  name: 'incidents',
  version: 4,
  collections: [INCIDENTS_COLLECTION, LASTING_COLLECTION, FAILED_WRITES_COLLECTION, REFUSED_REQUESTS_COLLECTION],
  types: [
    'INCIDENT_CREATED',
    'INCIDENT_ESCALATED',
    'INCIDENT_LINKED',
    'INCIDENT_ACK',
    'INCIDENT_CLOSED',
    'MEMORY_WRITE_FAIL',
    'REQUESTS_REFUSED',
  ],
  project(event: ProjectedEvent): readonly Change[] {
    if (event.type === 'MEMORY_WRITE_FAIL') return [failedWrite(event)];
    if (event.type === 'REQUESTS_REFUSED') return [refusedRequests(event)];
    const id = event.data['incident_id'] as string;
    return [
      { op: 'merge', collection: INCIDENTS_COLLECTION.name, id, fields: fieldsOf(event) },
      ...lastingChanges(event, id),
    ];
  },
};

function lastingChanges({ type, data, position, metadata }: ProjectedEvent, id: string): readonly Change[] {
  const collection = LASTING_COLLECTION.name;
  if (type === 'INCIDENT_CLOSED') return [{ op: 'delete', collection, id }];
  if (type !== 'INCIDENT_CREATED' || !LASTING_CAUSES.includes(data['cause_type'] as string)) return [];
  const { severity, cause } = opened(data as unknown as IncidentCreated, Number(position));
  const body = {
    severity: severity!,
    cause: cause!,
    opened_at: metadata.recorded_at ?? null,
    position: Number(position),
  };
  return [{ op: 'put', collection, id, body }];
}

function fieldsOf({ type, data, position, metadata }: ProjectedEvent): JsonObject {
  // Events of release 0.1 say no time.
  const { recorded_at = null } = metadata;
  switch (type) {
    case 'INCIDENT_CREATED':
      return { ...opened(data as unknown as IncidentCreated, Number(position)), opened_at: recorded_at };
    case 'INCIDENT_ESCALATED':
      return { severity: (data as unknown as IncidentEscalated).severity };
    case 'INCIDENT_CLOSED':
      return { status: 'closed', closed_at: (data as unknown as IncidentClosed).closed_at };
    case 'INCIDENT_LINKED':
      return { links: (data as unknown as IncidentLinked).links.map((link) => ({ ...link })) };
    default: {
      const { acknowledged_by, note } = data as unknown as IncidentAck;
      return { status: 'acknowledged', acknowledged_by, acknowledged_at: recorded_at, note };
    }
  }
}

function opened(created: IncidentCreated, position: number): JsonObject {
  const { incident_id, severity, cause_event_id: event_id, cause_type: type, cause_stream: stream } = created;
  return {
    incident_id,
    status: 'open',
    severity,
    cause: { event_id, type, stream },
    links: [],
    acknowledged_by: null,
    acknowledged_at: null,
    note: null,
    closed_at: null,
    position,
  };
}

function failedWrite({ data, metadata, stream, position }: ProjectedEvent): Change {
  const { key, error_code, attempts, fault } = data;
  const { event_id, recorded_at } = metadata;
  const body = {
    key: key ?? null,
    error_code: error_code ?? null,
    attempts: attempts ?? null,
    fault: fault ?? null,
    recorded_at: recorded_at ?? null,
    event_id,
    stream,
    position: Number(position),
  };
  return { op: 'put', collection: FAILED_WRITES_COLLECTION.name, id: event_id, body };
}

function refusedRequests({ data, metadata, stream, position }: ProjectedEvent): Change {
  const { error_code, route, count, first_trace_id, last_trace_id, payload_hash } = data;
  const { event_id, recorded_at } = metadata;
  const body = {
    principal: stream.slice(REFUSALS.length),
    error_code: error_code ?? null,
    route: route ?? null,
    count: count ?? null,
    first_trace_id: first_trace_id ?? null,
    last_trace_id: last_trace_id ?? null,
    payload_hash: payload_hash ?? null,
    recorded_at: recorded_at ?? null,
    event_id,
    stream,
    position: Number(position),
  };
  return { op: 'put', collection: REFUSED_REQUESTS_COLLECTION.name, id: event_id, body };
}
