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
  identity_method: 'otp',
  document_ref: null,
  reason: null,
  approved_by: null,
  approved_at: null,
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

/** What the examples leave open. */
export const DSR_FORMS: Readonly<Record<string, JsonObject>> = {
  status: { type: 'string', enum: ['ready', 'waiting_for_approval', 'approved', 'erasing', 'erased'] },
  kind: { type: 'string', enum: ['export', 'delete'] },
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
