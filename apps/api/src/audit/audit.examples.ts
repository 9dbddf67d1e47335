import { AUDIT_KINDS } from '#lib/audit';

/** Examples of the documentation. */

const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const HASH = '9b0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9ea';

export const AUDIT_EVENT = {
  event_id: EVENT_ID,
  stream: 'sem-user/profile/user_tuff/favorite_color',
  revision: 0,
  position: '42',
  type: 'SEM_PUT',
  schema_version: 1,
  sequence_index: 0,
  timestamp_seeded: '2025-03-01T12:00:00.000Z',
  recorded_at: '2026-11-21T12:00:00.000Z',
  recorded_at_is: 'signed',
  actor: { id: 'user_tuff', role: 'user' },
  signed_by: 'user_tuff',
  kid: 'event-hmac.1.0a1b2c',
  job_seed: 'cmd:0123456789abcdef0123456789abcdef',
  job_id: null,
  trace_id: 'trace-0123456789abcdef',
  causation_id: null,
  prev_hash: '0'.repeat(64),
  hash: HASH,
  redacted: true,
  data: { key: 'user/profile/user_tuff/favorite_color', value: '[redacted]', source: 'api', applied: true },
};

export const AUDIT_PAGE = { items: [AUDIT_EVENT], next_cursor: null, position: '43' };
export const STORED_PAGE = {
  ...AUDIT_PAGE,
  items: [{ ...AUDIT_EVENT, canonical: '{"data":{},"metadata":{},"stream":"sem-…","type":"SEM_PUT"}' }],
};

const TEXT_OR_NULL = { type: ['string', 'null'] };
export const AUDIT_FORMS = {
  job_id: TEXT_OR_NULL,
  causation_id: TEXT_OR_NULL,
  data: { type: 'object' },
};
export const AUDIT_PAGE_FORMS = {
  'items.job_id': TEXT_OR_NULL,
  'items.causation_id': TEXT_OR_NULL,
  'items.data': { type: 'object' },
};

export const EVIDENCE = {
  evidence_ref: HASH,
  event_type: 'POLICY_VIOLATION',
  kept_at: '2026-11-21T12:00:00.000Z',
  kept_at_is: 'signed',
  job_id: 'job:bfb1808141396b618258ab032021660b',
  user_id: 'user_tuff',
  erased: false,
  missing: false,
  withheld: false,
  record: { event_type: 'POLICY_VIOLATION', action: 'sem.write', target: { key: 'user/profile/user_tuff/x' } },
};
export const ERASED_EVIDENCE = { ...EVIDENCE, erased: true, record: null };
export const EVIDENCE_FORMS = {
  job_id: TEXT_OR_NULL,
  user_id: TEXT_OR_NULL,
  record: { type: ['object', 'null'] },
};

export const TRAIL_PAGE = {
  items: [
    {
      event_id: EVENT_ID,
      kind: 'access',
      type: 'admin_access_event',
      actor_id: 'user_audrey',
      actor_role: 'auditor',
      stream: 'access-user_audrey',
      revision: 3,
      recorded_at: '2026-11-21T12:00:00.000Z',
      position: '42',
    },
  ],
  next_cursor: null,
  position: '43',
};
export const TRAIL_FORMS = {
  'items.kind': { type: 'string', enum: [...AUDIT_KINDS] },
  'items.recorded_at': TEXT_OR_NULL,
};
