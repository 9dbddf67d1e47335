import type { ErrorCode, JsonObject } from '#lib/kernel';

/** Examples of the documentation. */
export const PENDING = {
  request_id: 'ar-0123456789abcdef0123456789abcdef',
  kind: 'sem_put',
  status: 'pending',
  risk_class: 'high',
  required_approval_type: 'council_quorum',
  origin: 'agent:user_solver',
  requested_by: 'user_solver',
  payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
  justification: 'named in three answers of today',
  evidence: ['ep:3f2a'],
  proposal_digest: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  proposal: {
    request_id: 'ar-0123456789abcdef0123456789abcdef',
    payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
    justification: 'named in three answers of today',
    evidence: ['ep:3f2a'],
    origin: 'agent:user_solver',
    requested_by: 'user_solver',
    nonce: '0123456789abcdef',
  },
  created_at: '2026-01-01T12:00:00.000Z',
  due_at: '2026-01-02T12:00:00.000Z',
  timestamp_seeded: '2025-06-01T12:00:00.000Z',
  council_quorum: 3,
  tally: { approve: 0, reject: 0, abstain: 0 },
  votes: [],
  decision: null,
  execution: null,
  emergency: null,
  event_id: '7a599aaabc686ca57fad16e7649a7084f3bb452336091832f99b330088894ca9',
  version: 1,
};

export const DECIDED = { ...PENDING, status: 'approved', tally: { approve: 3, reject: 0, abstain: 0 }, version: 5 };

/** Of a request in a list: what was said stays with the request itself. */
export const LISTED = {
  request_id: PENDING.request_id,
  kind: PENDING.kind,
  status: PENDING.status,
  risk_class: PENDING.risk_class,
  required_approval_type: PENDING.required_approval_type,
  origin: PENDING.origin,
  requested_by: PENDING.requested_by,
  proposal_digest: PENDING.proposal_digest,
  created_at: PENDING.created_at,
  due_at: PENDING.due_at,
  council_quorum: PENDING.council_quorum,
  tally: PENDING.tally,
  position: 42,
  log_position: '42',
  closes_at: PENDING.due_at,
};

export const LISTED_FORMS: Readonly<Record<string, JsonObject>> = {
  'items.closes_at': { type: ['string', 'null'], description: 'Null once nothing is open.' },
  'items.payload?': { type: 'object', description: 'Of what the Negotiation Room brings before people.' },
  'items.review_tally?': { type: 'object', description: 'Of an emergency whose review has begun.' },
  'items.review?': { type: ['string', 'null'], description: 'What the review of an emergency came to.' },
  'items.execution?': { type: 'object', description: 'Why an approved request could not be executed.' },
};

/** Forms of a request that the examples do not show. */
export const REQUEST_FORMS: Readonly<Record<string, JsonObject>> = {
  payload: { type: 'object' },
  // What was erased reads as a text.
  justification: {},
  evidence: {},
  proposal: { type: ['object', 'null'] },
  votes: {
    type: 'array',
    items: {
      type: 'object',
      required: ['voter', 'phase', 'vote', 'reason', 'voted_at', 'event_id'],
      properties: {
        voter: { type: 'string' },
        phase: { type: 'string' },
        vote: { type: 'string', enum: ['approve', 'reject', 'abstain'] },
        reason: {},
        voted_at: { type: 'string' },
        event_id: { type: 'string' },
      },
    },
  },
  decision: { type: ['object', 'null'] },
  execution: { type: ['object', 'null'] },
  emergency: { type: ['object', 'null'] },
};

/** Of one request that is read: with the job that people are asked to review. */
export const READ_REQUEST_FORMS: Readonly<Record<string, JsonObject>> = {
  ...REQUEST_FORMS,
  'under_review?': {
    type: 'object',
    description: 'Of a request for the review of a job, for whoever sees all of it: what the review is about.',
    required: ['job_id', 'question', 'final_answer', 'comment', 'answers', 'votes'],
    properties: {
      job_id: { type: 'string' },
      question: { type: 'string' },
      final_answer: { type: ['string', 'null'] },
      comment: { type: ['string', 'null'], description: 'The owner’s own words.' },
      answers: {
        type: 'array',
        items: {
          type: 'object',
          required: ['event_id', 'agent_id', 'text', 'confidence'],
          properties: {
            event_id: { type: 'string' },
            agent_id: { type: 'string' },
            text: { type: 'string' },
            confidence: { type: 'number' },
          },
        },
      },
      votes: {
        type: 'array',
        items: {
          type: 'object',
          required: [
            'event_id',
            'candidate_event_id',
            'council_agent_id',
            'approve',
            'scores',
            'note',
            'suggested_changes',
          ],
          properties: {
            event_id: { type: 'string' },
            candidate_event_id: { type: 'string' },
            council_agent_id: { type: 'string' },
            approve: { type: 'boolean' },
            scores: { type: 'object' },
            note: { type: 'string' },
            suggested_changes: { type: 'string' },
          },
        },
      },
    },
  },
};

export const REQUEST_ERRORS: readonly ErrorCode[] = ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED', 'STORAGE_FULL'];

export const GOVERNANCE_EVENT = {
  event_id: PENDING.event_id,
  type: 'ACTION_REQUESTED',
  stream: `actionrequest-${PENDING.request_id}`,
  revision: 0,
  position: '42',
  timestamp_seeded: PENDING.timestamp_seeded,
  recorded_at: PENDING.created_at,
  recorded_at_is: 'signed',
  signed_by: 'user_solver',
  data: { request_id: PENDING.request_id, action: 'sem_put' },
};
