/** Examples of the documentation: a job that was proven again, one that was not, and one that was looked at to its end. */

const DIFFERENCE = { pointer: '/data/depth', recorded: '2', computed: '1' };

export const MATCH = {
  replay_id: 'rp-13d524622837f21bf19204cd294719ef',
  job_id: 'job:bfb1808141396b618258ab032021660b',
  mode: 'audit',
  mocked: [],
  verdict: 'MATCH',
  authoritative: true,
  steps: [
    {
      step: 'signatures and hash chain',
      verdict: 'ok',
      checked: 13,
      detail: 'every event is signed and follows the one before',
      cost_us: 412,
    },
    {
      step: 'seal',
      verdict: 'ok',
      checked: 1,
      detail: 'the seal counts the 12 events before it and names the last by its hash',
      cost_us: 3,
    },
  ],
  divergence: null,
  further: [],
  divergences_total: 0,
  forced_by: null,
  error_code: null,
  requested_at: '2026-01-01T12:00:00.000Z',
  ended_at: '2026-01-01T12:00:01.000Z',
  status: 'done',
};

export const MISMATCH = {
  ...MATCH,
  verdict: 'MISMATCH',
  divergence: {
    error_code: 'REPLAY_DIVERGENCE',
    stream: 'job-job:bfb1808141396b618258ab032021660b',
    event_number: 3,
    event_type: 'ROUTER_DECISION',
    ...DIFFERENCE,
    recorded_hash: 'd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35',
    computed_hash: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
    differences: [DIFFERENCE],
    differences_total: 1,
    recorded_event: '{"data":{"depth":2},"sequence_index":3,"type":"ROUTER_DECISION"}',
    computed_event: '{"data":{"depth":1},"sequence_index":3,"type":"ROUTER_DECISION"}',
    causes: {
      recorded: [{ event_number: 3, event_type: 'ROUTER_DECISION', hash: 'ab34'.repeat(16) }],
      computed: [{ event_number: 3, event_type: 'ROUTER_DECISION', hash: '7f01'.repeat(16) }],
    },
    fault: null,
  },
  divergences_total: 1,
  error_code: 'REPLAY_DIVERGENCE',
};

export const FORCED = {
  ...MISMATCH,
  authoritative: false,
  further: [],
  forced_by: 'ar-5f2b0c7a9d3e41688e0f6ad1c2b39485',
};

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const REPLAY_FORMS = {
  verdict: { type: ['string', 'null'], enum: ['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH', null] },
  'divergence.recorded': TEXT_OR_NULL,
  'divergence.computed': TEXT_OR_NULL,
  'divergence.recorded_hash': TEXT_OR_NULL,
  'divergence.computed_hash': TEXT_OR_NULL,
  'divergence.recorded_event': TEXT_OR_NULL,
  'divergence.computed_event': TEXT_OR_NULL,
  'divergence.causes.recorded.hash': TEXT_OR_NULL,
  'divergence.causes.computed.hash': TEXT_OR_NULL,
  'divergence.fault': TEXT_OR_NULL,
  'divergence.differences.recorded': TEXT_OR_NULL,
  'divergence.differences.computed': TEXT_OR_NULL,
  further: { type: 'array', items: { type: 'object' } },
  mocked: { type: 'array', items: { type: 'string' } },
  forced_by: TEXT_OR_NULL,
  error_code: TEXT_OR_NULL,
  ended_at: {
    ...TEXT_OR_NULL,
    description: 'When its newest result was recorded; null where release 0.1 did so, whose events say no time.',
  },
};

export const LISTED = {
  replay_id: MATCH.replay_id,
  job_id: MATCH.job_id,
  mode: 'audit',
  actor_id: 'user_ann',
  requested_at: '2026-01-01T12:00:00.000Z',
  status: 'done',
  verdict: 'MATCH',
  authoritative: true,
  error_code: null,
  forced_by: null,
};

export const LIST_FORMS = {
  'items.status': { type: 'string', enum: ['running', 'done', 'refused'] },
  'items.verdict': REPLAY_FORMS.verdict,
  'items.error_code': TEXT_OR_NULL,
  'items.forced_by': TEXT_OR_NULL,
  next_cursor: TEXT_OR_NULL,
};
