import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

export const AUDIT_KINDS = [
  'access',
  'identity',
  'key',
  'governance',
  'integrity',
  'incident',
  'replay',
  'read_model',
  'person',
  'module',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * What an audit asks after, by kind: what somebody did with a right, what was refused, and what was found. None of the
 * events that a plain job, a read or a write of memory consists of (docs/decisions/0034).
 */
const KIND_OF: Readonly<Record<string, AuditKind>> = Object.fromEntries(
  Object.entries({
    access: ['admin_access_event', 'ACCESS_DENIED', 'OTP_REFUSED', 'OTP_REUSED', 'OTP_LOCKED'],
    identity: [
      'PRINCIPAL_REGISTERED',
      'PRINCIPAL_REMOVED',
      'OTP_INVITED',
      'OTP_ENROLLED',
      'OTP_ACCEPTED',
      'TOKEN_REVOKED',
    ],
    key: ['KEY_ROTATED'],
    governance: [
      'ACTION_REQUESTED',
      'ACTION_VOTE',
      'ACTION_APPROVED',
      'ACTION_REJECTED',
      'ACTION_EXPIRED',
      'ACTION_EXECUTED',
      'ACTION_FAILED',
      'EMERGENCY_OVERRIDE',
      'EMERGENCY_SIGNED',
      'EMERGENCY_REVIEWED',
      'POLICY_CHANGED',
      'HITL_RULED',
    ],
    integrity: [
      'INTEGRITY_FAILURE',
      'INTEGRITY_CHECK_SUMMARY',
      'LOG_REVERIFIED',
      'FORCE_HALT_REPLAY',
      'FORCE_HALT_CLEAR',
      'LOG_RESTORED',
      'LOG_MIGRATED',
    ],
    incident: ['SECURITY_INCIDENT', 'POLICY_VIOLATION', 'INCIDENT_CREATED', 'INCIDENT_ESCALATED', 'INCIDENT_ACK'],
    replay: ['REPLAY_REQUEST', 'FORCE_CONTINUE', 'REPLAY_DIVERGENCE', 'REPLAY_SWEEP_REQUEST', 'REPLAY_SWEEP_SUMMARY'],
    read_model: [
      'PROJECTION_RERUN_BEGUN',
      'PROJECTION_RERUN',
      'PROJECTION_REBUILD_BEGUN',
      'PROJECTION_REBUILD_ENDED',
      'PROJECTION_SWAPPED',
      'PROJECTION_ROLLED_BACK',
      'PROJECTION_EVENT_PARKED',
      'PROJECTION_EVENT_REPLAYED',
      'PROJECTION_EVENT_DISCARDED',
      'PROJECTION_EVENT_SKIPPED',
    ],
    person: [
      'PII_CONSENT',
      'PII_CONSENT_REVOKE',
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'DSR_REFUSED',
      'DSR_EXPORTED',
      'LEGAL_HOLD_PLACED',
      'LEGAL_HOLD_LIFTED',
      'ERASURE_REQUESTED',
      'SUBJECT_KEYS_DESTROYED',
      'SUBJECT_ERASED',
      'FORENSIC_ERASED',
    ],
    module: ['MODULE_REGISTERED', 'MODULE_CHANGED', 'MODULE_QUARANTINED', 'MODULE_RESTORED'],
  } satisfies Record<AuditKind, readonly string[]>).flatMap(([kind, types]) =>
    types.map((type) => [type, kind as AuditKind]),
  ),
);

/** One document an audited event: who did it and where it stands. What it says is read from the log, and verified. */
export interface AuditTrailRow {
  readonly event_id: string;
  readonly kind: AuditKind;
  readonly type: string;
  /** Normal form of the principal; `system` where nobody asked for it. */
  readonly actor_id: string;
  readonly actor_role: string;
  readonly stream: string;
  readonly revision: number;
  /** ISO 8601; null where release 0.1 recorded it, whose events say no time. */
  readonly recorded_at: string | null;
  readonly position: number;
}

export const AUDIT_COLLECTION: CollectionDefinition = {
  name: 'trail',
  indexes: ['kind', 'type', 'actor_id', 'position'],
};

/** The trail of what was done with rights, across all streams. No personal field is in it. */
export const auditProjection: Projection = {
  name: 'audit',
  version: 1,
  collections: [AUDIT_COLLECTION],
  types: Object.keys(KIND_OF),
  project({ type, stream, revision, position, metadata }: ProjectedEvent): readonly Change[] {
    const row: AuditTrailRow = {
      event_id: metadata.event_id,
      kind: KIND_OF[type]!,
      type,
      actor_id: metadata.actor.id,
      actor_role: metadata.actor.role,
      stream,
      revision,
      recorded_at: metadata.recorded_at ?? null,
      position: Number(position),
    };
    const body = { ...row } as unknown as JsonObject;
    return [{ op: 'put', collection: AUDIT_COLLECTION.name, id: metadata.event_id, body }];
  },
};
