/** Examples of the documentation. */

const DIGEST = '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2';

export const REBUILD_READY = {
  rebuild_id: 'rb-0001119df8e8d19b635b0a21658a2814',
  projection: 'sem',
  generation: 'v1_0001119df8e8d19b',
  state: 'ready',
  processed: 1532,
  total: 1532,
  events: 442,
  rate: 57878,
  eta_seconds: null,
  position: '1532',
  live_digest: DIGEST,
  rebuilt_digest: DIGEST,
  equal: true,
  begun_by: 'user_olga',
  reason: 'after the repair of the disk',
  failure: null,
};

const NOT_COMPARED = { position: null, live_digest: null, rebuilt_digest: null, equal: null };

export const REBUILD_RUNNING = {
  ...REBUILD_READY,
  ...NOT_COMPARED,
  state: 'running',
  processed: 512,
  events: 148,
  eta_seconds: 1,
};

export const REBUILD_SWAPPED = { ...REBUILD_READY, state: 'swapped', rate: 0 };
export const REBUILD_SWAPPING = { ...REBUILD_SWAPPED, state: 'swapping' };
export const REBUILD_ROLLED_BACK = { ...REBUILD_SWAPPED, state: 'rolled_back' };
export const REBUILD_CANCELLED = {
  ...REBUILD_RUNNING,
  state: 'cancelled',
  rate: 0,
  eta_seconds: null,
  failure: 'not needed any more',
};

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const REBUILD_FORMS = {
  state: {
    type: 'string',
    enum: ['running', 'ready', 'failed', 'cancelled', 'swapping', 'swapped', 'rolling_back', 'rolled_back'],
  },
  events: { type: ['number', 'null'], description: 'Null where the documents were dropped.' },
  eta_seconds: { type: ['number', 'null'] },
  position: TEXT_OR_NULL,
  live_digest: TEXT_OR_NULL,
  rebuilt_digest: TEXT_OR_NULL,
  equal: { type: ['boolean', 'null'] },
  reason: TEXT_OR_NULL,
  failure: TEXT_OR_NULL,
};
