import {
  ERROR_CATALOGUE,
  errorEnvelope,
  goldenMessage,
  isErrorCode,
  MaceError,
  shownName,
  type ErrorCode,
} from './errors.js';

/** Code, status, severity and exact sentence as the specification's table of failures gives them. */
const SENTENCES: readonly [ErrorCode, number, string, string][] = [
  [
    'SEM_NOT_FOUND',
    400,
    'info',
    'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
  ],
  ['SEM_WRITE_FAIL', 500, 'warning', 'I tried to save that but my memory failed. I might not remember this next time.'],
  ['ROUTER_NO_MATCH', 400, 'info', 'I don’t have a module for that type of request yet.'],
  [
    'AGENT_TIMEOUT',
    504,
    'warning',
    'One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.',
  ],
  [
    'AGENT_ERROR',
    500,
    'error',
    'A module failed while processing your request. I can try a partial result or you can try again.',
  ],
  ['LLM_SERVICE_DOWN', 503, 'critical', 'I can’t reach my language engine right now. Try again later.'],
  [
    'COUNCIL_DEADLOCK',
    409,
    'warning',
    'I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?',
  ],
  [
    'LOW_CONFIDENCE',
    200,
    'warning',
    'I’m not confident about this answer. Would you like me to double-check or get a human to review?',
  ],
  [
    'REPAIR_LIMIT_EXCEEDED',
    503,
    'error',
    'I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?',
  ],
  ['INVALID_INPUT', 400, 'info', 'Your request looks malformed or too large. Please shorten it or fix the format.'],
  ['PRIVACY_BLOCKED', 403, 'warning', 'I can’t store or repeat that kind of sensitive personal information.'],
  ['LOG_INVALID', 400, 'error', 'There was an internal integrity issue; request flagged for review.'],
  ['STORAGE_FULL', 507, 'critical', 'My memory is full right now; I can’t store new information.'],
  ['PERMISSION_DENIED', 403, 'warning', 'You don’t have permission to do that.'],
  ['INTEGRITY_FAILURE', 409, 'critical', 'I’m temporarily unable to trust my past data; ops team will check.'],
];

/** Rows for which the specification leaves the sentence to us. */
const OUR_WORDS: readonly [ErrorCode, number, string][] = [
  ['CACHE_ERROR', 500, 'warning'],
  ['ROUTER_NO_SNAPSHOT', 503, 'error'],
  ['DATA_UNAVAILABLE', 503, 'error'],
  ['IDEMPOTENCY_KEY_REUSED', 422, 'info'],
  ['UNAUTHENTICATED', 401, 'warning'],
  ['NOT_FOUND', 404, 'info'],
  ['CONFLICT', 409, 'info'],
  ['JOB_SEED_CONFLICT', 409, 'info'],
  ['IMMUTABLE_FIELD', 409, 'info'],
  ['RATE_LIMITED', 429, 'info'],
  ['PRECONDITION_FAILED', 412, 'info'],
  ['MISSING_SNAPSHOT', 409, 'error'],
  ['MISSING_PERSISTED_AGENT_OUTPUT', 409, 'error'],
  ['RESULT_MISMATCH', 409, 'error'],
  ['REPLAY_DIVERGENCE', 409, 'error'],
  ['FORCE_CONTINUE_REQUIRED', 409, 'error'],
  ['REPLAY_TIMEOUT', 409, 'error'],
  ['WAIT_TIMEOUT', 409, 'error'],
];

describe('error catalogue', () => {
  test.each(SENTENCES)('%s is %i, %s, and says exactly its sentence', (code, status, severity, user_message) => {
    expect(ERROR_CATALOGUE[code]).toEqual({ status, severity, user_message });
  });

  test.each(OUR_WORDS)('%s is %i, %s, and says one or two sentences', (code, status, severity) => {
    expect(ERROR_CATALOGUE[code]).toMatchObject({ status, severity });
    expect(goldenMessage(code)).toMatch(/^[A-Z].{15,}\.$/);
  });

  test('there is no code beside those of the specification', () => {
    const specified = [...SENTENCES, ...OUR_WORDS].map(([code]) => code);
    expect(Object.keys(ERROR_CATALOGUE).sort()).toEqual([...specified].sort());
  });

  test('no message has a typewriter apostrophe, and no two codes say the same', () => {
    const messages = Object.values(ERROR_CATALOGUE).map(({ user_message }) => user_message);
    expect(messages.filter((message) => message.includes("'"))).toEqual([]);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test('a code is known by its own name only, not by what every object has', () => {
    expect(isErrorCode('NOT_FOUND')).toBe(true);
    expect(isErrorCode('toString')).toBe(false);
    expect(isErrorCode('__proto__')).toBe(false);
  });
});

describe('errors', () => {
  test('an error knows its code, status, developer message and meta', () => {
    const error = new MaceError('CONFLICT', 'expected version 3, found 4', { job_id: 'job:1' });
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409, meta: { job_id: 'job:1' } });
    expect(error.message).toBe('CONFLICT: expected version 3, found 4');
    expect(error).toBeInstanceOf(Error);
  });

  test('the envelope has exactly the fields of the specification', () => {
    expect(errorEnvelope('NOT_FOUND', 'no such job', { query_id: 'q-1' })).toEqual({
      error_code: 'NOT_FOUND',
      status: 404,
      severity: 'info',
      user_message: goldenMessage('NOT_FOUND'),
      developer_message: 'no such job',
      meta: { query_id: 'q-1' },
    });
  });
});

describe('a name that others gave', () => {
  it.each(['colour', 'stage0s', '__proto__', 'min_score2'])('is repeated where it is a word: %s', (name) => {
    expect(shownName(name)).toBe(name);
  });

  it.each(['536-22-8145', 'GB33BUKB20201555555555', 'AB123456C', 'zeb@quux.org', '', 'x'.repeat(65), 'two words'])(
    'is not repeated where it could be an identifier: %j',
    (name) => {
      expect(shownName(name)).toBe('(a name of another form)');
    },
  );
});
