import { statfsSync } from 'node:fs';
import { join } from 'node:path';

import type { PermissionName } from '#lib/access';
import { type ArtifactStore, type EventStore, FolderRoom, PrincipalUsage } from '#lib/event-store';
import type { DataFolder } from '#lib/sqlite';

import { outageLog } from './edge/outage-log.js';
import type { Logger } from './edge/log.js';
import type { Config } from './platform.config.js';
import { fileBytes } from './stored-bytes.js';

/**
 * The closed list of what may use the reserve of a full store (docs/decisions/0033): what takes a right away, makes an
 * error known or undoes it, or is owed to a person by law, and what a start cannot do without. Each is short, and none can be
 * caused without end by somebody who holds no office.
 */
export const PROTECTING_EVENTS: ReadonlySet<string> = new Set([
  // Who may act, and that somebody looked.
  ...['PRINCIPAL_REGISTERED', 'PRINCIPAL_REMOVED', 'TOKEN_REVOKED', 'PII_CONSENT_REVOKE', 'KEY_ROTATED'],
  ...['OTP_ACCEPTED', 'OTP_REFUSED', 'OTP_REUSED', 'OTP_LOCKED', 'admin_access_event'],
  // What is wrong, and who looks after it.
  ...[
    'SERVICE_UNAVAILABLE',
    'CACHE_ERROR',
    'STORAGE_FULL',
    'PROCESS_CRASHED',
    'INTEGRITY_FAILURE',
    'SECURITY_INCIDENT',
    'POLICY_VIOLATION',
  ],
  ...[
    'INCIDENT_CREATED',
    'INCIDENT_LINKED',
    'INCIDENT_ACK',
    'INCIDENT_ESCALATED',
    'INCIDENT_CLOSED',
    'ADMIN_ALERT',
    'QUORUM_FAILED',
    'MEMORY_FAILING',
    'PII_ALERT',
    'LOG_REVERIFIED',
    'MODULE_RECOVERED',
  ],
  ...['FORENSIC_KEPT', 'INTEGRITY_CHECK_SUMMARY'],
  // What must not go on.
  ...['FORCE_HALT_REPLAY', 'FORCE_HALT_CLEAR', 'NODE_OFFLINE', 'MODULE_STATUS_CHANGED', 'DEPENDENCY_HEALTH_CHANGED'],
  ...['MODULE_QUARANTINED', 'MODULE_RESTORED'],
  // What is owed to people.
  ...['DSR_REQUEST', 'DSR_DELETE_REQUEST', 'DSR_APPROVED', 'DSR_REFUSED', 'DSR_EXPORTED'],
  ...['LEGAL_HOLD_PLACED', 'LEGAL_HOLD_LIFTED'],
  ...['ERASURE_REQUESTED', 'SUBJECT_KEYS_DESTROYED', 'SUBJECT_ERASED', 'FORENSIC_ERASED', 'sem_delete'],
  // By what people decide on all that.
  ...['ACTION_REQUESTED', 'ACTION_VOTE', 'ACTION_APPROVED', 'ACTION_REJECTED', 'ACTION_EXPIRED', 'ACTION_EXECUTED'],
  ...['ACTION_FAILED', 'EMERGENCY_SIGNED', 'EMERGENCY_OVERRIDE', 'EMERGENCY_REVIEWED'],
  // Without which no process starts.
  ...['RELEASE_RECORDED', 'LOG_RESTORED', 'SNAPSHOT_CREATED', 'POLICY_CHANGED'],
]);

/** What a key of these is bound with may use the reserve too: without the binding the command could not be done. */
export const PROTECTING_PERMISSIONS: ReadonlySet<PermissionName | 'public'> = new Set<PermissionName>([
  ...(['auth.revoke', 'auth.step-up', 'incidents.ack', 'events.failure', 'consents.own', 'sem.delete'] as const),
  ...(['dsr.request', 'dsr.approve', 'dsr.refuse', 'dsr.export', 'dsr.hold', 'dsr.lift-hold'] as const),
  ...(['modules.quarantine', 'modules.restore'] as const),
  ...([
    'principals.register',
    'principals.remove',
    'replay.clear-halt',
    'actionrequest.vote',
    'actionrequest.approve',
    'superadmin.override',
  ] as const),
]);

/** The room of a folder and what counts in it. */
export interface Room {
  readonly room: FolderRoom;
  readonly usage: PrincipalUsage;
}

/** @param onChange told once when room runs out, with the limit, and once when there is room again (null) */
export function openRoom(
  { storageQuotaBytes: quotaBytes, principalQuotaBytes: principalBytes, eventStore: kind }: Config,
  folder: DataFolder,
  { eventStore, artifacts }: { readonly eventStore: EventStore; readonly artifacts: ArtifactStore },
  log: Logger,
  onChange: (full: string | null) => void,
): Room {
  const onFault = outageLog(log, {
    fault: 'what each principal occupies could not be counted or kept, and is counted again at the next start',
    over: 'what each principal occupies is kept again',
    level: 'warn',
  });
  const usage = new PrincipalUsage(join(folder.path, 'usage.json'), onFault);
  const isEmbedded = kind === 'embedded';
  if (isEmbedded) usage.countFrom(eventStore);
  else usage.countOwn();
  const room = new FolderRoom({
    quotaBytes,
    principalBytes,
    usage,
    protecting: PROTECTING_EVENTS,
    used: () => (eventStore.localBytes?.() ?? 0) + (artifacts.localBytes ?? 0) + fileBytes(folder.path, 'events.db'),
    // Where events lie elsewhere they need nothing of this disk.
    free: () => {
      if (!isEmbedded) return Infinity;
      const { bavail, bsize } = statfsSync(folder.path);
      return bavail * bsize;
    },
    onChange,
  });
  return { room, usage };
}
