/** Examples of the documentation: a job that was proven again, and one that was not. */

export const MATCH = {
  replay_id: 'rp-13d524622837f21bf19204cd294719ef',
  job_id: 'job:bfb1808141396b618258ab032021660b',
  mode: 'audit',
  verdict: 'MATCH',
  authoritative: true,
  steps: [
    {
      step: 'signatures and hash chain',
      verdict: 'ok',
      checked: 13,
      detail: 'every event is signed and follows the one before',
    },
    {
      step: 'seal',
      verdict: 'ok',
      checked: 1,
      detail: 'the seal counts the 12 events before it and names the last by its hash',
    },
  ],
  divergence: null,
  error_code: null,
  status: 'done',
};

export const MISMATCH = {
  ...MATCH,
  verdict: 'MISMATCH',
  divergence: {
    error_code: 'RESULT_MISMATCH',
    event_number: 11,
    event_type: 'REFLECTIVE_LOG_WRITTEN',
    differences: [{ pointer: '/final_answer', recorded: '"blue"', computed: '"red"' }],
  },
};

export const REPLAY_FORMS = {
  verdict: { type: ['string', 'null'], enum: ['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH', null] },
  'divergence.differences.recorded': { type: ['string', 'null'] },
  'divergence.differences.computed': { type: ['string', 'null'] },
  error_code: { type: ['string', 'null'] },
};
