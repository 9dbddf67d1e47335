/** Examples of the documentation. */

const WELL = { parked: 0, rebuilding: null };

export const PROJECTIONS = {
  items: [
    { name: 'sem', position: '1532', head: '1575', lag: { events: 43, seconds: 0.262 }, state: 'live', ...WELL },
    { name: 'jobs', position: '1572', head: '1575', lag: { events: 3, seconds: 0.097 }, state: 'live', ...WELL },
    {
      name: 'actionrequests',
      position: '1531',
      head: '1575',
      lag: { events: 44, seconds: 0.38 },
      state: 'live',
      parked: 1,
      rebuilding: null,
    },
    { name: 'selfrep', position: '1557', head: '1575', lag: { events: 18, seconds: 0.171 }, state: 'live', ...WELL },
  ],
  next_cursor: null,
  position: '1575',
};

export const PROJECTION_FORMS = {
  'items.lag.at_least?': { type: 'boolean' },
  'items.state': {
    type: 'string',
    enum: ['starting', 'standby', 'catching_up', 'live', 'retrying', 'halted', 'stopped'],
  },
  'items.rebuilding': { type: ['string', 'null'] },
  'items.standby?': { type: 'boolean' },
  'items.error?': { type: 'object' },
};

export const RERUN_DONE = {
  rerun_id: 'rr-0001119df8e8d19b635b0a21658a2814',
  projection: 'sem',
  state: 'done',
  progress: { processed: 1532, total: 1532, events: 442, rate: 57878, eta_seconds: 0 },
  processed: 442,
  digest: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
  live_digest: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
  verdict: 'MATCH',
  result: {
    projection: 'sem',
    from: '0',
    to: '1532',
    processed: 442,
    before: 0,
    from_digest: null,
    scratch_digest: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
    live_digest: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
    equal: true,
    documents: { scratch: 442, live: 442 },
    differing: [],
    seconds: 0.22315196900000045,
    comparable: true,
  },
  reason: null,
};

export const RERUN_OF_STREAM = {
  ...RERUN_DONE,
  processed: 3,
  result: {
    ...RERUN_DONE.result,
    stream: { name: 'sem-user/user_tuff/preference/favorite_color', from_revision: 2, to_revision: 4 },
    processed: 3,
    before: 2,
    from_digest: 'f1b5a4b3a2f9f7f5c94e0b8b70ab0f9a7a5c9a3a2c3c39f8e9f6a1d2f0c5b7e4',
    documents: { scratch: 1, live: 1 },
  },
};

export const RERUN_BEGUN = {
  ...RERUN_DONE,
  state: 'running',
  progress: null,
  processed: 0,
  digest: null,
  live_digest: null,
  verdict: null,
  result: null,
};

export const RERUN_FORMS = {
  state: { type: 'string', enum: ['running', 'done', 'failed', 'interrupted'] },
  digest: { type: ['string', 'null'] },
  live_digest: { type: ['string', 'null'] },
  verdict: { type: ['string', 'null'], enum: ['MATCH', 'MISMATCH', 'NOT_COMPARABLE', null] },
  'result.stream?': {
    type: 'object',
    properties: {
      name: { type: 'string' },
      from_revision: { type: 'integer' },
      to_revision: { type: ['integer', 'null'] },
    },
    required: ['name', 'from_revision', 'to_revision'],
  },
  'progress.eta_seconds': { type: ['number', 'null'] },
  'result.live_digest': { type: ['string', 'null'] },
  'result.from_digest': { type: ['string', 'null'] },
  'result.differing': {
    type: ['array', 'null'],
    items: {
      type: 'object',
      properties: {
        collection: { type: 'string' },
        id: { type: 'string' },
        live: { type: ['string', 'null'] },
        scratch: { type: ['string', 'null'] },
      },
      required: ['collection', 'id', 'live', 'scratch'],
    },
  },
  'result.documents.live': { type: ['number', 'null'] },
  'result.reason?': { type: 'string' },
  reason: { type: ['string', 'null'] },
};
