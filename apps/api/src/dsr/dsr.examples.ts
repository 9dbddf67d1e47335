import { DSR_STATUSES } from '#lib/dsr';
import type { JsonObject } from '#lib/kernel';

const HASH = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const TEXT_OR_NULL = { type: ['string', 'null'] };

export const DSR_ID_EXAMPLE = 'dr-0123456789abcdef0123456789abcdef';

/** A request to delete that waits for somebody's approval. */
export const WAITING_DSR = {
  dsr_id: DSR_ID_EXAMPLE,
  kind: 'delete',
  user_id: 'user_tuff',
  status: 'waiting_for_approval',
  requested_by: 'user_tuff',
  requested_at: '2026-11-21T12:00:00.000Z',
  due_at: '2026-12-21T12:00:00.000Z',
  identity_method: 'otp',
  document_ref: null,
  reason: null,
  approved_by: null,
  approved_at: null,
  refused_by: null,
  refused_at: null,
  refusal_reason: null,
  erasure_requested_at: null,
  keys_destroyed_at: null,
  erased_at: null,
  deletion_manifest: null,
  manifest_hash: null,
};

export const APPROVED_DSR = {
  ...WAITING_DSR,
  status: 'approved',
  approved_by: 'user_ada',
  approved_at: '2026-11-21T12:05:00.000Z',
};

export const REFUSED_DSR = {
  ...WAITING_DSR,
  status: 'refused',
  refused_by: 'user_ada',
  refused_at: '2026-11-22T12:05:00.000Z',
  refusal_reason: 'Your invoices are kept for ten years, as the law asks.',
};

/** A row of the queue. */
export const QUEUED_DSR = {
  dsr_id: DSR_ID_EXAMPLE,
  kind: 'delete',
  user_id: 'user_tuff',
  status: 'waiting_for_approval',
  requested_by: 'user_tuff',
  requested_at: '2026-11-21T12:00:00.000Z',
  due_at: '2026-12-21T12:00:00.000Z',
  decided_by: null,
  decided_at: null,
  position: '42',
};

export const ERASED_DSR = {
  ...APPROVED_DSR,
  status: 'erased',
  erasure_requested_at: '2026-11-21T12:05:00.100Z',
  keys_destroyed_at: '2026-11-21T12:05:00.200Z',
  erased_at: '2026-11-21T12:05:30.300Z',
  deletion_manifest: {
    dsr_id: DSR_ID_EXAMPLE,
    user_id: 'user_tuff',
    sem_keys: [{ key: 'user/profile/user_tuff/favorite_color', event_id: HASH }],
    data_keys: ['user_tuff.1.0a1b2c3d'],
    events: { count: 6, by_type: { SEM_PUT: 1, JOB_ACCEPTED: 1 }, hash: HASH, list: HASH },
    forensic: [{ evidence_ref: HASH, fate: 'kept', legal_hold: 'lh-0123456789abcdef0123456789abcdef' }],
    places: [{ kind: 'read_model', name: 'sem', found: 0, fate: 'unreadable' }],
    jobs_closed: [],
  },
  manifest_hash: HASH,
};

const STATUS = { type: 'string', enum: [...DSR_STATUSES] };
const KIND = { type: 'string', enum: ['export', 'delete'] };

export const QUEUE_FORMS: Readonly<Record<string, JsonObject>> = {
  'items.status': STATUS,
  'items.kind': KIND,
  'items.due_at': TEXT_OR_NULL,
  'items.decided_by': TEXT_OR_NULL,
  'items.decided_at': TEXT_OR_NULL,
};

/** What the examples leave open. */
export const DSR_FORMS: Readonly<Record<string, JsonObject>> = {
  status: STATUS,
  kind: KIND,
  due_at: TEXT_OR_NULL,
  refused_by: TEXT_OR_NULL,
  refused_at: TEXT_OR_NULL,
  refusal_reason: TEXT_OR_NULL,
  identity_method: { type: 'string', enum: ['otp', 'document'] },
  document_ref: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
  approved_by: TEXT_OR_NULL,
  approved_at: TEXT_OR_NULL,
  erasure_requested_at: TEXT_OR_NULL,
  keys_destroyed_at: TEXT_OR_NULL,
  erased_at: TEXT_OR_NULL,
  manifest_hash: TEXT_OR_NULL,
  deletion_manifest: { type: ['object', 'null'] },
};

export const EXPORTED = {
  dsr_id: DSR_ID_EXAMPLE,
  digest: HASH,
  package: {
    format: 'mace-export/1',
    dsr_id: DSR_ID_EXAMPLE,
    user_id: 'user_tuff',
    as_of: '42',
    memory: {
      'user/profile/user_tuff/favorite_color': [
        { revision: 0, content: { value: 'blue', source: 'user', timestamp: '2026-11-20T08:00:00.000Z' } },
      ],
    },
    records: [
      {
        type: 'JOB_ACCEPTED',
        event_id: HASH,
        position: '17',
        data: { job_id: 'job:0123456789abcdef0123456789abcdef', query_text: 'What is my favorite color?' },
      },
    ],
  },
};

export const HOLD = {
  hold_id: 'lh-0123456789abcdef0123456789abcdef',
  evidence_ref: HASH,
  reason: 'preservation order 12/2026',
  placed_by: 'user_ada',
  placed_at: '2026-11-21T12:00:00.000Z',
};

/** A hold as lists show it. */
export const LISTED_HOLD = { ...HOLD, lifted_by: null, lifted_at: null, lifted_because: null };

export const LIFTED_HOLD = {
  ...HOLD,
  lifted_by: 'user_ada',
  lifted_at: '2026-12-01T12:00:00.000Z',
  lifted_because: 'the proceedings have ended',
};

export const HOLD_FORMS: Readonly<Record<string, JsonObject>> = {
  lifted_by: TEXT_OR_NULL,
  lifted_at: TEXT_OR_NULL,
  lifted_because: TEXT_OR_NULL,
};
