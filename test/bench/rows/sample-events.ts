import type { DomainEvent, Provenance } from '#lib/kernel';

/** Events of a job as they really are: stored they have 600 to 900 bytes, as most of a job's events have. */

export const PLAIN_EVENT: DomainEvent = {
  type: 'QCP_CLASSIFIED',
  data: {
    intent_tags: ['math', 'calculation'],
    depth_level: 2,
    urgency: 0.25,
    features: { words: 9, has_number: true, has_operator: true, question: true, language: 'en' },
  },
};

/** One personal field: what it says is encrypted under the user's data key. */
export const PERSONAL_EVENT: DomainEvent = {
  type: 'AGENT_EXCEPTION',
  data: {
    iteration: 1,
    attempt: 1,
    agent_id: 'knowledge_agent',
    node_id: 'knowledge_agent_v1',
    user_id: 'user_tuff',
    reason: 'TypeError',
  },
};

export function provenanceOf(caller: number, nth: number): Provenance {
  return {
    jobSeed: `cmd:bench-${caller}`,
    sequenceIndex: nth,
    actor: { id: `user_${caller}`, role: 'user' },
    jobId: 'job:0f5b1c0b6b7a4a0d9e5f3c2b1a098765',
    traceId: 'trace-0123456789abcdef',
    causationId: '5'.repeat(64),
  };
}

/** What canonical JSON is made of, all day: the data of a job's larger events, texts beyond ASCII, a read model's row. */
export const SAMPLE_VALUES: readonly unknown[] = [
  PLAIN_EVENT.data,
  {
    iteration: 1,
    user_id: 'user_tuff',
    agent_id: 'profile_agent',
    node_id: 'profile_agent_v1',
    route_reason: 'stage0_profile',
    depth: 1,
    token_budget: 512,
    excluded: [],
    route_trace: [
      { rule: 'profile_lookup', matched: true, score: 0.912345678 },
      { rule: 'arithmetic', matched: false, score: 0.034 },
      { rule: 'fallback_generic', matched: false, score: 0.1 },
    ],
    query_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  {
    iteration: 1,
    attempt: 1,
    agent_id: 'math_agent',
    node_id: 'math_agent_v1',
    user_id: 'user_tuff',
    outcome: 'answer',
    confidence: 1,
    tokens: 11,
    time_ms: 1.284,
    text: '∫ x² dx = x³/3 + C, and the derivative of the right side is "x²" again.',
    reasoning_trace: ['read the integrand x^2', 'power rule: x^(n+1)/(n+1)', 'checked at 8 points, largest error 0'],
    evidence: [
      {
        key: 'user/profile/user_tuff/favorite_color',
        revision: 3,
        value: 'blue',
        timestamp: '2025-06-01T12:00:00.000Z',
      },
    ],
    memory_write: null,
    detail: '',
  },
  {
    iteration: 1,
    candidate_event_id: '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
    outcome: 'approved',
    council_score: 0.933333333,
    approvals: 3,
    rejections: 0,
    votes: [
      'a3f5b1c0b6b7a4a0d9e5f3c2b1a09876a3f5b1c0b6b7a4a0d9e5f3c2b1a09876',
      'b3f5b1c0b6b7a4a0d9e5f3c2b1a09876a3f5b1c0b6b7a4a0d9e5f3c2b1a09876',
      'c3f5b1c0b6b7a4a0d9e5f3c2b1a09876a3f5b1c0b6b7a4a0d9e5f3c2b1a09876',
    ],
    final_confidence: 0.98,
    repair_loops: 0,
  },
  {
    key: 'user/profile/user_tuff/favorite_color',
    scope: 'user',
    entity_type: 'profile',
    entity_id: 'user_tuff',
    revision: 3,
    position: '184467',
    value: 'blue',
    deleted: false,
  },
];
