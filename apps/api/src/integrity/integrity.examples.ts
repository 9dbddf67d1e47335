/** Examples of the documentation. */

const COUNTS = {
  events: 1575,
  streams: 148,
  jobs: 94,
  sealed_jobs: 94,
  snapshots: 7,
  artifacts: 2,
  references: 376,
  erased_references: 0,
  unchecked_references: 0,
  times_out_of_order: 0,
  leaves: 1575,
};

export const VERIFIED = {
  verification_id: 'iv-0123456789abcdef0123456789abcdef',
  state: 'done',
  stream: null,
  requested_by: 'user_ann',
  started_at: '2026-01-05T10:00:00.000Z',
  ended_at: '2026-01-05T10:00:02.000Z',
  processed: 1575,
  total: 1575,
  rate: 41230,
  eta_seconds: 0,
  position: '1575',
  sound: true,
  faults: 0,
  found: [],
  counts: COUNTS,
  digest: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
  summary_event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  reason: null,
};

export const VERIFYING = {
  ...VERIFIED,
  state: 'running',
  ended_at: null,
  processed: 819,
  eta_seconds: 1,
  sound: null,
  digest: null,
  summary_event_id: null,
  counts: { ...COUNTS, events: 819, leaves: null },
};

export const UNSOUND = {
  ...VERIFIED,
  sound: false,
  faults: 1,
  found: [
    {
      detector: 'signature',
      stream: 'job-job:bfb1808141396b618258ab032021660b',
      revision: 11,
      position: '1204',
      reason: 'its signature does not verify',
    },
  ],
};

const TEXT_OR_NULL = { type: ['string', 'null'] };
const NUMBER_OR_NULL = { type: ['number', 'null'] };

export const VERIFICATION_FORMS = {
  state: { type: 'string', enum: ['running', 'done', 'interrupted', 'failed'] },
  stream: TEXT_OR_NULL,
  ended_at: TEXT_OR_NULL,
  eta_seconds: NUMBER_OR_NULL,
  sound: { type: ['boolean', 'null'] },
  'found.stream': TEXT_OR_NULL,
  'found.revision': NUMBER_OR_NULL,
  'found.position': TEXT_OR_NULL,
  'counts.leaves': NUMBER_OR_NULL,
  digest: TEXT_OR_NULL,
  summary_event_id: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
};
