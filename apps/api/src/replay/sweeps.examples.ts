/** Examples of the documentation. */

export const SWEPT = {
  sweep_id: 'rs-0123456789abcdef0123456789abcdef',
  state: 'done',
  mode: 'audit',
  from: '0',
  to: '64210',
  threads: 2,
  requested_by: 'user_ann',
  started_at: '2026-01-05T10:00:00.000Z',
  ended_at: '2026-01-05T10:00:02.000Z',
  processed: 4810,
  total: 4810,
  rate: 2405,
  eta_seconds: 0,
  position: '64210',
  counts: { MATCH: 4790, MATCH_WITH_ERASED_INPUTS: 20 },
  unmatched: [],
  unmatched_total: 0,
  authoritative: true,
  summary_event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  reason: null,
};

export const SWEEPING = {
  ...SWEPT,
  state: 'running',
  ended_at: null,
  processed: 2405,
  eta_seconds: 1,
  position: '32101',
  counts: { MATCH: 2405 },
  summary_event_id: null,
};

export const UNMATCHED = {
  ...SWEPT,
  counts: { MATCH: 4788, MATCH_WITH_ERASED_INPUTS: 20, MISMATCH: 1, INTEGRITY_FAILURE: 1 },
  unmatched: [
    {
      job_id: 'job:bfb1808141396b618258ab032021660b',
      verdict: 'MISMATCH',
      error_code: 'REPLAY_DIVERGENCE',
      replay_id: 'rp-0123456789abcdef0123456789abcdef',
    },
    {
      job_id: 'job:0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      verdict: null,
      error_code: 'INTEGRITY_FAILURE',
      replay_id: 'rp-fedcba9876543210fedcba9876543210',
    },
  ],
  unmatched_total: 2,
};

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const SWEEP_FORMS = {
  state: { type: 'string', enum: ['running', 'done', 'cancelled', 'interrupted', 'failed'] },
  mode: { type: 'string', enum: ['audit'] },
  ended_at: TEXT_OR_NULL,
  eta_seconds: { type: ['number', 'null'] },
  counts: { type: 'object', additionalProperties: { type: 'integer' } },
  'unmatched.verdict': TEXT_OR_NULL,
  summary_event_id: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
};
