import { MaceError, type DomainEvent, type JsonObject } from '#lib/kernel';

import {
  type DsrApproved,
  dsrEvent,
  type DsrKind,
  type DsrRefused,
  type DsrRequested,
  type ErasureRequested,
  type SubjectErased,
  type SubjectKeysDestroyed,
} from './dsr.events.js';
import { type DeletionManifest, manifestHash } from './manifest.js';

/** One data-subject request: who asked for what, who allowed it, how far it is. Pure. */

type Without<T> = Omit<T, 'dsr_id' | 'user_id'>;

export interface Dsr {
  readonly request: Omit<DsrRequested, 'reason'>;
  /** What the caller's repeated request is recognised by. */
  readonly digest: string | undefined;
  readonly approval: (Omit<DsrApproved, 'dsr_id'> & { readonly seed: string; readonly event_id: string }) | null;
  /** Why it was refused stays in the stream: it is personal. */
  readonly refusal: (Omit<Without<DsrRefused>, 'reason'> & { readonly seed: string }) | null;
  readonly erasure: Without<ErasureRequested> | null;
  readonly destruction: Without<SubjectKeysDestroyed> | null;
  readonly certificate: Without<SubjectErased> | null;
}
/** Null before the request. */
export type DsrState = Dsr | null;

export const DSR_STATUSES = ['ready', 'waiting_for_approval', 'approved', 'refused', 'erasing', 'erased'] as const;
export type DsrStatus = (typeof DSR_STATUSES)[number];

/** Within a month, as the law asks (GDPR, article 12(3)). */
const TERM_MS = 30 * 86_400_000;

/** Until when a deletion is to be decided on; null for an export, which waits for nobody. ISO 8601. */
export function dueAt(kind: DsrKind, requestedAt: string): string | null {
  return kind === 'export' ? null : new Date(Date.parse(requestedAt) + TERM_MS).toISOString();
}

interface Recorded {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: { readonly event_id: string; readonly job_seed: string; readonly request_digest?: string };
}

export function evolveDsr(state: DsrState, { type, data, metadata }: Recorded): DsrState {
  if (type === 'DSR_REQUEST') {
    const { reason: _, ...request } = data as unknown as DsrRequested;
    const none = { approval: null, refusal: null, erasure: null, destruction: null, certificate: null };
    return { request, digest: metadata.request_digest, ...none };
  }
  if (!state) return state;
  const { dsr_id: _, user_id: __, ...said } = data;
  switch (type) {
    case 'DSR_APPROVED': {
      const { approved_by, approved_at } = said as unknown as DsrApproved;
      return {
        ...state,
        approval: { approved_by, approved_at, seed: metadata.job_seed, event_id: metadata.event_id },
      };
    }
    case 'DSR_REFUSED': {
      const { refused_by, refused_at } = said as unknown as DsrRefused;
      return { ...state, refusal: { refused_by, refused_at, seed: metadata.job_seed } };
    }
    case 'ERASURE_REQUESTED':
      return { ...state, erasure: said as unknown as Without<ErasureRequested> };
    case 'SUBJECT_KEYS_DESTROYED':
      return { ...state, destruction: said as unknown as Without<SubjectKeysDestroyed> };
    case 'SUBJECT_ERASED':
      return { ...state, certificate: said as unknown as Without<SubjectErased> };
    default:
      return state;
  }
}

export function statusOf({ request, approval, refusal, erasure, certificate }: Dsr): DsrStatus {
  if (request.kind === 'export') return 'ready';
  if (refusal) return 'refused';
  if (certificate) return 'erased';
  if (erasure) return 'erasing';
  return approval ? 'approved' : 'waiting_for_approval';
}

/** The request, and for a deletion what queues it for a person's decision; nothing where it stands already. */
export function decideRequest(state: DsrState, request: DsrRequested): readonly DomainEvent[] {
  if (state) return [];
  const { dsr_id, user_id, kind } = request;
  const queued = kind === 'delete' ? [dsrEvent('DSR_DELETE_REQUEST', { dsr_id, user_id })] : [];
  return [dsrEvent('DSR_REQUEST', request), ...queued];
}

/**
 * @param seed of the command: the same one again changes nothing
 * @param isFolder whether it is who holds the data folder, and so every key in it: a second person would add nothing
 * @throws MaceError NOT_FOUND, CONFLICT; PERMISSION_DENIED for who filed the request, and for whom it is about
 */
export function decideApproval(
  state: DsrState,
  approval: DsrApproved,
  seed: string,
  isFolder = false,
): readonly DomainEvent[] {
  if (!state) throw new MaceError('NOT_FOUND', `no data-subject request ${approval.dsr_id}`);
  if (state.request.kind === 'export') throw new MaceError('CONFLICT', 'an export needs nobody’s approval');
  if (state.approval?.seed === seed) return [];
  refuseDecided(state);
  const { requested_by, user_id } = state.request;
  if (!isFolder && [requested_by, user_id].includes(approval.approved_by)) {
    throw new MaceError('PERMISSION_DENIED', 'nobody approves what they asked for, or what is about themselves');
  }
  return [dsrEvent('DSR_APPROVED', approval)];
}

/**
 * @param seed of the command: the same one again changes nothing
 * @throws MaceError NOT_FOUND, CONFLICT where it is decided on, or is an export
 */
export function decideRefusal(
  state: DsrState,
  refusal: Omit<DsrRefused, 'user_id'>,
  seed: string,
): readonly DomainEvent[] {
  if (!state) throw new MaceError('NOT_FOUND', `no data-subject request ${refusal.dsr_id}`);
  if (state.request.kind === 'export') throw new MaceError('CONFLICT', 'an export waits for nobody’s decision');
  if (state.refusal?.seed === seed) return [];
  refuseDecided(state);
  return [dsrEvent('DSR_REFUSED', { ...refusal, user_id: state.request.user_id })];
}

function refuseDecided({ request: { dsr_id }, approval, refusal }: Dsr): void {
  if (approval) throw new MaceError('CONFLICT', `${dsr_id} was approved by ${approval.approved_by}`);
  if (refusal) throw new MaceError('CONFLICT', `${dsr_id} was refused by ${refusal.refused_by}; another can be filed`);
}

/** Of an approved deletion, once. */
export function decideErasure(state: DsrState, kids: readonly string[], at: string): readonly DomainEvent[] {
  if (!state?.approval || state.erasure) return [];
  const { dsr_id, user_id } = state.request;
  return [dsrEvent('ERASURE_REQUESTED', { dsr_id, user_id, kids, requested_at: at })];
}

export function decideDestruction(state: DsrState, kids: readonly string[], at: string): readonly DomainEvent[] {
  if (!state?.erasure || state.destruction) return [];
  const { dsr_id, user_id } = state.request;
  return [dsrEvent('SUBJECT_KEYS_DESTROYED', { dsr_id, user_id, kids, destroyed_at: at })];
}

export function decideCertificate(state: DsrState, manifest: DeletionManifest, at: string): readonly DomainEvent[] {
  if (!state?.destruction || state.certificate) return [];
  const { dsr_id, user_id } = state.request;
  const hashed = { deletion_manifest: manifest, manifest_hash: manifestHash(manifest) };
  return [dsrEvent('SUBJECT_ERASED', { dsr_id, user_id, erased_at: at, ...hashed })];
}
