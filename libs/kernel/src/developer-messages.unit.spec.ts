import { DEVELOPER_MESSAGES, developerMessage } from './developer-messages.js';
import { ERROR_CATALOGUE, failure, RateLimitedError } from './errors.js';

/** Codes that no envelope has: one stands in logs alone, the others in the result of a replay. */
const WITHOUT_ENVELOPE = ['CACHE_ERROR', 'REPLAY_DIVERGENCE', 'RESULT_MISMATCH'];

describe('the table of what developers are told', () => {
  it('has a row for every code that an envelope can have, and no other', () => {
    const codes = Object.keys(ERROR_CATALOGUE).filter((code) => !WITHOUT_ENVELOPE.includes(code));
    expect(Object.keys(DEVELOPER_MESSAGES).sort()).toEqual(codes.sort());
  });

  it('has placeholders that are names, and nothing else in braces', () => {
    const templates = Object.values(DEVELOPER_MESSAGES).flatMap((situations) => Object.values<string>(situations));
    for (const template of templates) expect(template.replaceAll(/\{[a-z_]+\}/g, '')).not.toMatch(/[{}]/);
  });

  it('puts each value in the place of its name', () => {
    expect(developerMessage('SEM_NOT_FOUND', 'missing', { key: 'world/fact/pi/value' })).toBe(
      'SEM lookup for key world/fact/pi/value returned empty.',
    );
    expect(developerMessage('SEM_WRITE_FAIL', 'not_stored', { key: 'a/b/c/d', attempts: 2, why: '' })).toBe(
      'SEM write for key a/b/c/d failed after 2 attempt(s).',
    );
  });

  it('takes a value for a value, whatever stands in it', () => {
    const agent_id = 'a {reason} $& agent';
    expect(developerMessage('ROUTER_NO_MATCH', 'declined', { agent_id, reason: 'r' })).toBe(`${agent_id} declined: r`);
  });

  it('makes the failures that are thrown', () => {
    const {
      code,
      developerMessage: told,
      meta,
    } = failure('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: 's' }, { snapshot_id: 's' });
    expect([code, told, meta]).toEqual(['MISSING_SNAPSHOT', 'snapshot s is not stored', { snapshot_id: 's' }]);
    expect(new RateLimitedError('too many', 1500).developerMessage).toBe('too many; again in 2 s');
  });
});

it('tells people to try again later only where a later try can succeed without anybody’s doing', () => {
  const later = Object.entries(ERROR_CATALOGUE).flatMap(([code, { user_message }]) =>
    user_message.includes('Try again later') ? [code] : [],
  );
  expect(later.sort()).toEqual(['DATA_UNAVAILABLE', 'LLM_SERVICE_DOWN']);
});
