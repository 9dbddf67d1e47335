import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/** Events of `consent-{user_id}` (spec/privacy.md, "What happens"). */

export const CONSENT_SCOPES = ['job', 'persistent'] as const;
export type ConsentScope = (typeof CONSENT_SCOPES)[number];

/** A person lets one type of their personal data be stored: by one job or write, or for a time. */
export interface PiiConsent {
  readonly consent_id: string;
  readonly user_id: string;
  readonly pii_type: string;
  readonly scope: ConsentScope;
  /** What the person agreed to, in their words; of one given elsewhere the reason of who recorded it. */
  readonly consent_text: string;
  /** The job that a consent of scope `job` is for; of a persistent one a part of its id. */
  readonly job_seed?: string;
  /** The direct write that a consent of scope `job` is for: the Idempotency-Key it will carry. */
  readonly idempotency_key?: string;
  /** Of a persistent one, seconds from `granted_at`. */
  readonly ttl_seconds?: number;
  /** Real time, ISO 8601. */
  readonly granted_at: string;
  /** Of a persistent one; from then on it allows nothing, and what was stored under it is not read again. */
  readonly expires_at?: string;
  /** Of one that was given elsewhere: the admin who recorded it, whose reason is its text. Absent in version 1. */
  readonly recorded_by?: string;
  /** Of such a one, where it was given: the admin's reference to the document. */
  readonly document_ref?: string;
}

export interface PiiConsentRevoke {
  readonly consent_id: string;
  readonly user_id: string;
  readonly pii_type: string;
  readonly revoked_at: string;
}

/** The one direct write that a consent names by Idempotency-Key has come: it is for no other, whatever its key. */
export interface PiiConsentUse {
  readonly consent_id: string;
  readonly user_id: string;
  readonly pii_type: string;
  readonly write_seed: string;
}

/** In `access-{principal}`: a text was looked at and let pass, as it is or under these consents. */
export interface PiiChecked {
  readonly status: 'allowed';
  readonly detector_version: string;
  readonly consent_ids: readonly string[];
}

const ofUser = (data: JsonObject): string => data['user_id'] as string;

export const privacyEvents: readonly EventDefinition[] = [
  {
    type: 'PII_CONSENT',
    version: 2,
    upcasters: { 1: (data) => data },
    plain: [
      'consent_id',
      'user_id',
      'pii_type',
      'scope',
      'job_seed',
      'idempotency_key',
      'ttl_seconds',
      'granted_at',
      'expires_at',
      'recorded_by',
      'document_ref',
    ],
    personal: ['consent_text'],
    subject: ofUser,
  },
  { type: 'PII_CONSENT_REVOKE', version: 1, plain: ['consent_id', 'user_id', 'pii_type', 'revoked_at'] },
  { type: 'PII_CONSENT_USE', version: 1, plain: ['consent_id', 'user_id', 'pii_type', 'write_seed'] },
  { type: 'PII_CHECKED', version: 1, plain: ['status', 'detector_version', 'consent_ids'] },
];

interface PrivacyEventData {
  readonly PII_CONSENT: PiiConsent;
  readonly PII_CONSENT_REVOKE: PiiConsentRevoke;
  readonly PII_CONSENT_USE: PiiConsentUse;
  readonly PII_CHECKED: PiiChecked;
}

/** A domain event from typed data: the one cast between these types and JSON. */
export function privacyEvent<T extends keyof PrivacyEventData>(type: T, data: PrivacyEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function consentStream(userId: string): string {
  return `consent-${userId}`;
}
