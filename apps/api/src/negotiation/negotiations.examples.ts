import { CRITIC_HEALTHS } from '#lib/negotiation';

/** Examples of a negotiation, for the documentation and the forms that follow from them. */

const LISTED = {
  artifact_id: 'plan-7',
  artifact_type: 'PLAN',
  negotiation_room_id: 'room-1',
  producer_id: 'planner',
  producer_principal: 'user_planner',
  requested_critics: ['ann', 'ben'],
  status: 'decided',
  outcome: 'APPROVED',
  received_at: '2026-01-01T12:00:00.000Z',
  due_at: '2026-01-01T12:10:00.000Z',
  closes_at: null,
  position: 42,
  log_position: '42',
};

const VOTE = {
  critic_id: 'ann',
  score: 8,
  confidence: 0.9,
  passed: true,
  strengths: ['every step can be undone'],
  weaknesses: [],
  recommendations: ['name who is on call'],
  voted_at: '2026-01-01T12:01:00.000Z',
};

const POLICY = {
  policy_version: 'mace-negotiation-1',
  min_score: 7,
  min_confidence: 0.7,
  min_pass_ratio: 0.8,
  max_std_dev: 2,
  escalate_below_confidence: 0.3,
  escalate_above_std_dev: 3,
  aggregation: 'confidence_weighted',
};

export const NEGOTIATION_PAGE = { items: [LISTED], next_cursor: null, position: '43' };

export const NEGOTIATION = {
  artifact_id: 'plan-7',
  artifact_type: 'PLAN',
  artifact_content_type: 'text/markdown',
  artifact_ref: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  artifact: 'IyBQbGFu',
  negotiation_room_id: 'room-1',
  producer_id: 'planner',
  requested_critics: ['ann', 'ben'],
  quorum_policy: { rule: { minimum_votes: 1 }, on_failure: 'FAIL_CLOSED' },
  quorum_threshold: 1,
  policy: POLICY,
  created_at: '2026-01-01T12:00:00.000Z',
  received_at: '2026-01-01T12:00:00.000Z',
  due_at: '2026-01-01T12:10:00.000Z',
  status: 'decided',
  votes: [VOTE],
  escalation: null,
  decision: {
    artifact_id: 'plan-7',
    outcome: 'APPROVED',
    escalation_reason: null,
    reason: 'score, confidence, passes and agreement suffice',
    votes: [VOTE],
    late_votes: [{ vote: { ...VOTE, critic_id: 'ben' }, received_at: '2026-01-01T12:11:00.000Z' }],
    aggregated_score: { mean: 8, min_score: 8, max_score: 8, std_dev: 0, weighted_mean: 8, vote_count: 1 },
    policy: POLICY,
    votes_received: 1,
    votes_expected: 2,
    quorum_threshold: 1,
    quorum_met: true,
    collection_timeout_reached: true,
    unavailable_critics: ['ben'],
    decided_at: '2026-01-01T12:10:00.000Z',
  },
  ruling: null,
  version: 5,
  redacted: false,
};

export const CRITIC_PAGE = {
  items: [
    {
      critic_id: 'ann',
      registered_at: '2026-01-01T12:00:00.000Z',
      state: 4,
      heard_at: '2026-01-01T12:04:30.000Z',
      health: 'healthy',
    },
  ],
  next_cursor: null,
  position: '43',
};

const TEXT_OR_NULL = { type: ['string', 'null'] };
/** What a HitlService ruled on an escalated decision. */
const RULING_OR_NULL = {
  type: ['object', 'null'],
  properties: {
    decision_event_id: { type: 'string' },
    reason_type: { type: 'string', enum: ['DEBATE_DEADLOCK', 'TASK_ESCALATION', 'CONFLICT'] },
    ruled_at: { type: 'string', format: 'date-time' },
    action: TEXT_OR_NULL,
    rationale: TEXT_OR_NULL,
  },
  required: ['decision_event_id', 'reason_type', 'ruled_at', 'action', 'rationale'],
};
const WORDS = { type: 'array', items: { type: 'string' } };
const TIME = { type: 'string', format: 'date-time' };
/** Senior critics that were asked before people, and the decision that was not taken because of it. */
const ESCALATION_OR_NULL = {
  type: ['object', 'null'],
  properties: {
    critics: WORDS,
    opened_at: TIME,
    due_at: TIME,
    before: {
      type: 'object',
      properties: {
        outcome: { type: 'string', enum: ['ESCALATED_TO_HITL'] },
        escalation_reason: RULING_OR_NULL.properties.reason_type,
        reason: { type: 'string' },
        voters: WORDS,
        votes_received: { type: 'number' },
        votes_expected: { type: 'number' },
        quorum_threshold: { type: 'number' },
        quorum_met: { type: 'boolean' },
      },
    },
  },
  required: ['critics', 'opened_at', 'due_at', 'before'],
};
/** Options of the room's policy, absent where they are off. */
const OPTION_FORMS = {
  'policy.weights?': { type: 'object', additionalProperties: { type: 'number', minimum: 0, maximum: 10 } },
  'policy.early_decision?': { type: 'boolean' },
  'policy.escalation?': WORDS,
  'policy.dynamic_quorum?': {
    type: 'object',
    properties: { floor: { type: 'integer' } },
    required: ['floor'],
    additionalProperties: false,
  },
  'options?': { type: 'object', description: 'What the options of the policy came to for the quorum.' },
};

export const CRITIC_FORMS = {
  next_cursor: TEXT_OR_NULL,
  'items.state': { type: ['integer', 'null'] },
  'items.health': { type: 'string', enum: CRITIC_HEALTHS as string[] },
};
export const LIST_FORMS = { 'items.outcome': TEXT_OR_NULL, 'items.closes_at': TEXT_OR_NULL };
export const NEGOTIATION_FORMS = {
  artifact: TEXT_OR_NULL,
  quorum_policy: { type: 'object' },
  decision: { type: ['object', 'null'] },
  ruling: RULING_OR_NULL,
  escalation: ESCALATION_OR_NULL,
  ...OPTION_FORMS,
  'votes.strengths': WORDS,
  'votes.weaknesses': WORDS,
  'votes.recommendations': WORDS,
  'votes.voted_at': TEXT_OR_NULL,
};
