import type { JsonObject } from '#lib/kernel';

/** Examples of the documentation: a question about a stored colour, its job and what was recorded of it. */

export const JOB_ID = 'job:bfb1808141396b618258ab032021660b';
export const LOG_ID = '7a599aaabc686ca57fad16e7649a7084f3bb452336091832f99b330088894ca9';
const SNAPSHOTS = {
  router: 'fde2c99061068db99e78045c9e968034ee6804f2a7d8df9192e863deb5c734ca',
  brainstate: '72d3a539dce4b7bf646f4f4ec819ad73940debe3e4b7c871999fdedcc66fb5f8',
  selfrep: 'ba342d0c076b5c0394712ead2c5086145402e10ffcf5567cdccb4794d0f1295d',
  governance: '46de8d7f7785f5e5744aef6e52fc4d249f11d4638875d744986b9d6df1d59f04',
  privacy: '5613aec34647ea799f9d07fc215fb0ab1a86f9e9d27932de6096eb82804f59da',
  safety: 'c38e0cd6a1d42f744e0f6b829d817ec5a83eb93237c69cb90810dcf11a23ebb1',
};

/** Forms that the examples of a job do not show. */
export const JOB_FORMS: Readonly<Record<string, JsonObject>> = {
  status: { type: 'string', enum: ['running', 'completed', 'blocked', 'failed'] },
  notices: { type: 'array', items: { $ref: '#/components/schemas/ErrorEnvelope' } },
  'error?': { $ref: '#/components/schemas/ErrorEnvelope' },
  snapshots: { type: 'object', additionalProperties: { type: 'string' } },
  'review?': {
    type: 'object',
    properties: {
      amendment_id: { type: 'string' },
      author_role: { type: 'string', enum: ['admin', 'council', 'emergency'] },
      changes: { type: 'object' },
      at: { type: 'string' },
    },
    required: ['amendment_id', 'author_role', 'changes', 'at'],
  },
};

export const JOB = {
  job_id: JOB_ID,
  job_seed: 'cmd:5c9cb3d79acd5c16275ab0a20925e6c7',
  created_at: '2026-11-21T12:56:19.826Z',
  trace_id: 'trace-6c4def45dc3b57f7',
  status: 'completed',
  user_message: 'Your favorite color is blue.',
  final_answer: 'Your favorite color is blue.',
  final_confidence: 1,
  agent_id: 'profile_agent',
  route_reason: 'profile_lookup',
  depth: 1,
  notices: [],
  replayable: true,
  log_id: LOG_ID,
  snapshots: SNAPSHOTS,
};

export const FAILED_JOB = {
  job_id: 'job:6cec98554378892a7bb9267cafc54d1c',
  job_seed: 'cmd:dfa748d4e89268b9a924f03961155f42',
  created_at: '2026-11-21T12:56:19.912Z',
  trace_id: 'trace-ac4c7e8c61402a42',
  status: 'failed',
  user_message: 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
  final_answer: null,
  final_confidence: 0,
  agent_id: 'profile_agent',
  route_reason: 'profile_lookup',
  depth: 1,
  notices: [],
  error: {
    developer_message: 'SEM lookup for key user/profile/user_tuff/favorite_food returned empty.',
    error_code: 'SEM_NOT_FOUND',
    meta: {
      query_id: 'q-d5ec6252f3dc8c46c68b4c634fbe2077',
      timestamp: '2026-11-21T12:56:19.912Z',
      trace_id: 'trace-ac4c7e8c61402a42',
      job_id: 'job:6cec98554378892a7bb9267cafc54d1c',
      log_id: '5ec9eded51e77becbe4ea5af28090d7355e3ce298dafa26277d9675b589370d9',
    },
    severity: 'info',
    status: 400,
    user_message: 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
  },
  replayable: true,
  log_id: '5ec9eded51e77becbe4ea5af28090d7355e3ce298dafa26277d9675b589370d9',
  snapshots: SNAPSHOTS,
};

/** A deadlock that the council decided afterwards. */
export const REVIEWED_JOB = {
  ...FAILED_JOB,
  review: {
    amendment_id: 'am-0123456789abcdef0123456789abcdef',
    author_role: 'council',
    changes: { ruling: 'approved', request_id: 'ar-0123456789abcdef0123456789abcdef', final_answer: 'It is pizza.' },
    at: '2026-11-21T14:00:00.000Z',
  },
};

/** Asked for again under its key, after the person whose job it was is erased: with the rest its error is gone. */
export const ERASED_FAILURE = { ...withoutError(FAILED_JOB), user_message: '[erased]' };

function withoutError({ error: _, ...rest }: typeof FAILED_JOB): Omit<typeof FAILED_JOB, 'error'> {
  return rest;
}

export const UNDERWAY = { job_id: JOB_ID, status: 'running' };

export const RUNNING_JOB = {
  ...JOB,
  status: 'running',
  user_message: null,
  final_answer: null,
  final_confidence: 0,
  agent_id: null,
  route_reason: null,
  depth: 0,
  replayable: false,
  log_id: null,
  snapshots: {},
};

export const JOB_PAGE = {
  items: [
    {
      agent_id: 'profile_agent',
      created_at: '2026-11-21T12:56:19.826Z',
      duration_ms: 21,
      ended_at: '2026-11-21T12:56:19.847Z',
      error_code: null,
      final_confidence: 1,
      job_id: JOB_ID,
      job_seed: 'cmd:5c9cb3d79acd5c16275ab0a20925e6c7',
      log_id: LOG_ID,
      position: 1533,
      log_position: '1533',
      replayable: true,
      route_reason: 'profile_lookup',
      sealed: true,
      status: 'completed',
      user_id: 'user_tuff',
    },
  ],
  next_cursor: null,
  position: '1557',
};

export const JOB_COUNTS = {
  from_time: '2026-11-21T12:00:00.000Z',
  to_time: '2026-11-21T13:00:00.000Z',
  step: 3600,
  counts: [
    {
      time: '2026-11-21T12:00:00.000Z',
      begun: 12,
      completed: 10,
      blocked: 0,
      failed: 1,
      errors: [{ error_code: 'AGENT_TIMEOUT', jobs: 1 }],
      duration_ms: { mean: 31.5, median: 22.5, p95: 87.5 },
    },
  ],
  position: '1557',
};

export const COUNT_FORMS: Readonly<Record<string, JsonObject>> = {
  'counts.errors.error_code': { type: ['string', 'null'] },
  'counts.duration_ms': {
    type: ['object', 'null'],
    description: 'From request to end; null where no job ended.',
    required: ['mean', 'median', 'p95'],
    properties: { mean: { type: 'number' }, median: { type: 'number' }, p95: { type: 'number' } },
  },
};

/** Of a job that still runs. */
export const ROW_FORMS: Readonly<Record<string, JsonObject>> = {
  'items.ended_at': { type: ['string', 'null'] },
  'items.duration_ms': { type: ['number', 'null'], description: 'From the request to the end.' },
  'items.error_code': { type: ['string', 'null'] },
  'items.replayable': { type: ['boolean', 'null'] },
  'items.agent_id': { type: ['string', 'null'] },
  'items.route_reason': { type: ['string', 'null'] },
  'items.log_id': { type: ['string', 'null'] },
};

export const EVENT_PAGE: JsonObject = {
  items: [
    {
      stream: 'job-job:bfb1808141396b618258ab032021660b',
      revision: 0,
      position: '1533',
      event_id: '1ca1e41de422b11d7d63c0f1e40e40ab950b621a9507e9a2ffa04251d30e2a70',
      type: 'JOB_ACCEPTED',
      sequence_index: 0,
      timestamp_seeded: '2025-10-10T21:15:43.000Z',
      recorded_at: '2026-11-21T12:56:19.831Z',
      recorded_at_is: 'signed',
      actor: { id: 'user_tuff', role: 'user' },
      signed_by: 'user_tuff',
      causation_id: null,
      hash: 'ef5a4ac975fb645184c9158f2f8dc05272cc24eaf2fb2e0b799ff5fd58586b43',
      data: {
        blocked: false,
        context_tags: {},
        created_at: '2026-11-21T12:56:19.826Z',
        job_id: JOB_ID,
        persist_agent_outputs: true,
        pii_findings: [],
        priority: 0.5,
        query_id: 'q-d0f01c412ed3b51034c17110c5f5a78f',
        query_text: 'What is my favorite color?',
        query_text_hash: '6647236a3d7f7d796401fbbe96d630f269d1beb3185d76b092f3125c25cd514d',
        source: 'user_request',
        user_id: 'user_tuff',
      },
    },
    {
      stream: 'job-job:bfb1808141396b618258ab032021660b',
      revision: 1,
      position: '1534',
      event_id: '82e1ac7ec20c2ae0fa5009d2033f31f52e2eac620052fc79d8fbdc2dd89dc26c',
      type: 'SNAPSHOTS_PINNED',
      sequence_index: 1,
      timestamp_seeded: '2025-10-10T21:15:43.001Z',
      recorded_at: '2026-11-21T12:56:19.831Z',
      recorded_at_is: 'signed',
      actor: { id: 'user_tuff', role: 'user' },
      signed_by: 'user_tuff',
      causation_id: '1ca1e41de422b11d7d63c0f1e40e40ab950b621a9507e9a2ffa04251d30e2a70',
      hash: '14c1bfd2220df23fe446e5fa2916b88d4d35fa19be0428f466fb6e8b5c45eda5',
      data: { detector_version: '1', engine_version: 1, snapshots: SNAPSHOTS, system_version: 'mace-0.0.1' },
    },
  ],
  next_cursor: '3',
  position: '1575',
};

export const EVENT_FORMS: Readonly<Record<string, JsonObject>> = {
  'items.causation_id': { type: ['string', 'null'] },
  'items.data': { type: 'object' },
};

const CRITICS = [
  {
    event_id: '1523f6d214cf56f2f5f92070fc83e6be9914d8da5178082aebb2fedf2af5c173',
    council_agent_id: 'council_factuality_v1',
    approve: true,
    scores: { coherence: 1, factuality: 1, safety: 1 },
    note: 'every piece of evidence was read again and holds',
    suggested_changes: '',
  },
];

export const EXPLAINED = {
  job_id: JOB_ID,
  status: 'completed',
  asked_by: 'user_tuff',
  asked_at: '2026-11-21T12:56:19.826Z',
  question: 'What is my favorite color?',
  final_answer: 'Your favorite color is blue.',
  final_confidence: 1,
  error_code: null,
  user_message: 'Your favorite color is blue.',
  reason: null,
  classification: {
    depth_level: 0,
    features: { has_number: false, has_user: true, is_question: true, sentences: 1, speaks_of_self: true, words: 5 },
    intent_tags: ['profile', 'fact'],
    urgency: 'normal',
  },
  routing: [
    {
      event_id: '6cac993bf1239695de3bb00d5cd418aefb1681eb6739d0ecd9ff6355e0a9e5f1',
      iteration: 1,
      agent_id: 'profile_agent',
      route_reason: 'profile_lookup',
      candidates: [
        {
          agent_id: 'profile_agent',
          apt: 0.7,
          availability: 0.42,
          dependency_unhealthy: false,
          eligible: true,
          exploration: 0.087,
          final_score: 0.3027,
          goal_priority: 0,
          node_id: 'agent:profile_v1',
          status: 'degraded',
        },
      ],
      left_out: [],
    },
  ],
  turns: [
    {
      event_id: '366afca9cbab36b1d3db0bacf8091d0e87a4aadda44c75d35c79ddbb935ee485',
      agent_id: 'profile_agent',
      attempt: 1,
      outcome: 'answer',
      text: 'Your favorite color is blue.',
      confidence: 1,
      detail: '',
      error_class: null,
      reasoning_trace: ['read user/profile/user_tuff/favorite_color at revision 0'],
      evidence: [
        {
          key: 'user/profile/user_tuff/favorite_color',
          revision: 0,
          timestamp: '2026-11-21T12:56:19.608Z',
          value: 'blue',
        },
      ],
    },
  ],
  writes: [],
  council: [
    {
      event_id: 'a79643920ca3d0aac408dce0bfc2fa208f73a3f31e6aa3482f2a1669a462cb02',
      candidate_event_id: '366afca9cbab36b1d3db0bacf8091d0e87a4aadda44c75d35c79ddbb935ee485',
      outcome: 'approved',
      council_score: 1,
      score_threshold: 0.6,
      final_confidence: 1,
      tally: {
        approvals: 1,
        rejections: 0,
        votes_received: 1,
        votes_expected: 1,
        quorum_threshold: 1,
        quorum_met: true,
        unavailable_critics: ['council_safety_v1'],
        abstained: ['council_safety_v1'],
        weights: { council_factuality_v1: 1 },
      },
      votes: CRITICS,
    },
  ],
  notices: [],
  review: null,
  snapshots: SNAPSHOTS,
  text: [
    'job:bfb1808141396b618258ab032021660b: completed',
    'Asked by user_tuff, 2026-11-21T12:56:19.826Z: What is my favorite color?',
    'Answer: Your favorite color is blue. (confidence 1)',
    '',
    'How it came about, each step with the event that records it:',
    '  1. Taken as: profile, fact; depth 0  [82e1ac7ec20c]',
    '  2. Routed to profile_agent (profile_lookup)  [6cac993bf123]',
    '       score 0.3027: profile_agent, degraded, trust 0.7, availability 0.42',
    '  3. profile_agent answered, confidence 1: Your favorite color is blue.  [366afca9cbab]',
    '       reasoning: read user/profile/user_tuff/favorite_color at revision 0',
    '       read: user/profile/user_tuff/favorite_color, revision 0, written 2026-11-21T12:56:19.608Z: blue',
    '  4. The critics approved the answer, 1 to 0: score 1, final confidence 1  [a79643920ca3]',
    '       yes  council_factuality_v1 (factuality 1, coherence 1, safety 1): every piece of evidence was read again and holds',
    '',
    'Decided on these snapshots, as they were when the job began:',
    '  brainstate  72d3a539dce4b7bf646f4f4ec819ad73940debe3e4b7c871999fdedcc66fb5f8',
    '  governance  b07319bd9a44e90f123a7cf160ff8352750a9f68ca2b76e924de7ca86ccf117d',
    '  privacy     5613aec34647ea799f9d07fc215fb0ab1a86f9e9d27932de6096eb82804f59da',
    '  router      fde2c99061068db99e78045c9e968034ee6804f2a7d8df9192e863deb5c734ca',
    '  safety      c38e0cd6a1d42f744e0f6b829d817ec5a83eb93237c69cb90810dcf11a23ebb1',
    '  selfrep     ba342d0c076b5c0394712ead2c5086145402e10ffcf5567cdccb4794d0f1295d',
  ],
};

export const EXPLAINED_FORMS: Readonly<Record<string, JsonObject>> = {
  final_answer: { type: ['string', 'null'] },
  error_code: { type: ['string', 'null'] },
  user_message: { type: ['string', 'null'] },
  reason: { type: ['string', 'null'] },
  classification: { type: ['object', 'null'] },
  'routing.agent_id': { type: ['string', 'null'] },
  'routing.route_reason': { type: ['string', 'null'] },
  'routing.candidates': { type: 'array', items: { type: 'object' } },
  'routing.left_out': { type: 'array', items: { type: 'object' } },
  'turns.error_class': { type: ['string', 'null'] },
  'turns.evidence': { type: 'array', items: { type: 'object' } },
  writes: { type: 'array', items: { type: 'object' } },
  'council.score_threshold': { type: ['number', 'null'] },
  'council.tally.weights': { type: 'object', additionalProperties: { type: 'number' } },
  'council.votes': { type: 'array', items: { type: 'object' } },
  notices: { type: 'array', items: { type: 'object' } },
  review: { type: ['object', 'null'] },
  snapshots: { type: 'object', additionalProperties: { type: 'string' } },
};

export const REVIEW_ASKED = { job_id: JOB_ID, request_id: 'ar-0123456789abcdef0123456789abcdef' };

export const FEEDBACK = {
  job_id: JOB_ID,
  log_id: LOG_ID,
  upvote: true,
  event_id: '80a5a0f3fef1d3cae5ede62096f11e45019f2fed4208bca2ed4d68744b963a3b',
};
