import { type DomainEvent, type EventDefinition, isText, type JsonObject } from '#lib/kernel';

import type { DeletionManifest } from './manifest.js';

/** Events of `dsr-{dsr_id}` (spec/privacy.md, "Data-subject requests"). */

export type DsrKind = 'export' | 'delete';
/** `otp`: the subject's own one-time code; `document`: an admin saw a document. */
export type IdentityMethod = 'otp' | 'document';

/** Somebody asks for what is recorded of a person, or for its deletion, after the check of identity that it names. */
export interface DsrRequested {
  readonly dsr_id: string;
  readonly kind: DsrKind;
  /** Normal form of the person whose data it is. */
  readonly user_id: string;
  readonly requested_by: string;
  /** ISO 8601, real time, as in every event here. */
  readonly requested_at: string;
  readonly identity_method: IdentityMethod;
  readonly document_ref?: string;
  /** A personal field: what an admin wrote about the person. */
  readonly reason?: string;
}

/** A deletion waits for an admin or a member of the council. */
export interface DsrDeleteRequested {
  readonly dsr_id: string;
  readonly user_id: string;
}

export interface DsrApproved {
  readonly dsr_id: string;
  readonly approved_by: string;
  readonly approved_at: string;
}

/** A deletion is not carried out; it ends the request. */
export interface DsrRefused {
  readonly dsr_id: string;
  readonly user_id: string;
  readonly refused_by: string;
  readonly refused_at: string;
  /** A personal field: what the person is told of why. */
  readonly reason: string;
}

/** From here on no data key of the person is given to anybody; `kids` names those that will be destroyed. */
export interface ErasureRequested {
  readonly dsr_id: string;
  readonly user_id: string;
  readonly kids: readonly string[];
  readonly requested_at: string;
}

export interface SubjectKeysDestroyed {
  readonly dsr_id: string;
  readonly user_id: string;
  readonly kids: readonly string[];
  readonly destroyed_at: string;
}

/** No process can hold a key of the person any more: the certificate of the erasure. */
export interface SubjectErased {
  readonly dsr_id: string;
  readonly user_id: string;
  readonly erased_at: string;
  readonly deletion_manifest: DeletionManifest;
  /** sha256 of the canonical manifest. */
  readonly manifest_hash: string;
}

/** The person took the package away; once a time that it is given. */
export interface DsrExported {
  readonly dsr_id: string;
  readonly user_id: string;
  /** sha256 of the canonical package. */
  readonly digest: string;
  readonly exported_by: string;
  readonly exported_at: string;
}

/** In `system-legal-holds`: forensic evidence that an erasure must leave. */
export interface LegalHoldPlaced {
  readonly hold_id: string;
  readonly evidence_ref: string;
  readonly reason: string;
  readonly placed_by: string;
  readonly placed_at: string;
}

/** In `system-legal-holds`: the hold counts no more, and evidence that it kept of somebody who was erased goes. */
export interface LegalHoldLifted {
  readonly hold_id: string;
  readonly evidence_ref: string;
  readonly reason: string;
  readonly lifted_by: string;
  readonly lifted_at: string;
}

interface DsrEventData {
  readonly DSR_REQUEST: DsrRequested;
  readonly DSR_DELETE_REQUEST: DsrDeleteRequested;
  readonly DSR_APPROVED: DsrApproved;
  readonly DSR_REFUSED: DsrRefused;
  readonly ERASURE_REQUESTED: ErasureRequested;
  readonly SUBJECT_KEYS_DESTROYED: SubjectKeysDestroyed;
  readonly SUBJECT_ERASED: SubjectErased;
  readonly DSR_EXPORTED: DsrExported;
  readonly LEGAL_HOLD_PLACED: LegalHoldPlaced;
  readonly LEGAL_HOLD_LIFTED: LegalHoldLifted;
}

/** A domain event from typed data: the one cast between these types and JSON. */
export function dsrEvent<T extends keyof DsrEventData>(type: T, data: DsrEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export const dsrEvents: readonly EventDefinition[] = [
  {
    type: 'DSR_REQUEST',
    version: 1,
    plain: ['dsr_id', 'kind', 'user_id', 'requested_by', 'requested_at', 'identity_method', 'document_ref'],
    forms: { dsr_id: isText },
    personal: ['reason'],
    // Without a reason there is nothing to encrypt, and no key is made for somebody who has none.
    subject: (data) => (data['reason'] === undefined ? null : (data['user_id'] as string)),
  },
  { type: 'DSR_DELETE_REQUEST', version: 1, plain: ['dsr_id', 'user_id'] },
  { type: 'DSR_APPROVED', version: 1, plain: ['dsr_id', 'approved_by', 'approved_at'] },
  {
    type: 'DSR_REFUSED',
    version: 1,
    plain: ['dsr_id', 'user_id', 'refused_by', 'refused_at'],
    personal: ['reason'],
    subject: ({ user_id: userId }) => userId as string,
  },
  { type: 'ERASURE_REQUESTED', version: 1, plain: ['dsr_id', 'user_id', 'kids', 'requested_at'] },
  { type: 'SUBJECT_KEYS_DESTROYED', version: 1, plain: ['dsr_id', 'user_id', 'kids', 'destroyed_at'] },
  {
    type: 'SUBJECT_ERASED',
    version: 1,
    plain: ['dsr_id', 'user_id', 'erased_at', 'deletion_manifest', 'manifest_hash'],
  },
  { type: 'DSR_EXPORTED', version: 1, plain: ['dsr_id', 'user_id', 'digest', 'exported_by', 'exported_at'] },
  { type: 'LEGAL_HOLD_PLACED', version: 1, plain: ['hold_id', 'evidence_ref', 'reason', 'placed_by', 'placed_at'] },
  { type: 'LEGAL_HOLD_LIFTED', version: 1, plain: ['hold_id', 'evidence_ref', 'reason', 'lifted_by', 'lifted_at'] },
];

export const LEGAL_HOLDS_STREAM = 'system-legal-holds';

export function dsrStream(dsrId: string): string {
  return `dsr-${dsrId}`;
}

/** Form of a dsr_id. */
export const DSR_ID = /^dr-[0-9a-f]{32}$/;
