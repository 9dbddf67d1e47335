import type { JsonObject } from '#lib/kernel';

export const CONSENT_ID = '5f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';

export const CONSENT = {
  consent_id: CONSENT_ID,
  pii_type: 'phone',
  scope: 'persistent',
  status: 'active',
  consent_text: 'MACE may remember my phone number.',
  job_seed: null,
  idempotency_key: null,
  ttl_seconds: 2592000,
  granted_at: '2026-01-01T12:00:00.000Z',
  expires_at: '2026-01-31T12:00:00.000Z',
  revoked_at: null,
  recorded_by: null,
  document_ref: null,
  event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
};
const TEXT_OR_NULL = { type: ['string', 'null'] };
/** What a consent may lack. */
export const CONSENT_FORMS: Readonly<Record<string, JsonObject>> = {
  job_seed: TEXT_OR_NULL,
  idempotency_key: TEXT_OR_NULL,
  ttl_seconds: { type: ['integer', 'null'] },
  expires_at: TEXT_OR_NULL,
  revoked_at: TEXT_OR_NULL,
  recorded_by: TEXT_OR_NULL,
  document_ref: TEXT_OR_NULL,
};
