import fc from 'fast-check';

import { checkReply } from './live-reply.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const PIECE = { key: KEY, revision: 0, value: 'blue', timestamp: '2026-01-01T00:00:00.000Z' };
const ANSWER = {
  kind: 'answer',
  text: 'It is blue.',
  confidence: 0.9,
  reasoning_trace: ['looked'],
  evidence: [PIECE],
  memory_write: { key: KEY, value: null },
  failures: [{ provider: '127.0.0.1:1', kind: 'auth' }],
};

const anyKey = (): boolean => true;

describe('the form of a reply', () => {
  it.each<[string, object]>([
    ['an answer', ANSWER],
    ['an answer with the least there is', { ...ANSWER, text: '', confidence: 0, evidence: [], memory_write: null }],
    ['an answer from what is stored under a consent', { ...ANSWER, evidence: [{ ...PIECE, consents: ['c'] }] }],
    ['a miss', { kind: 'miss', key: KEY }],
    ['a refusal', { kind: 'declined', reason: 'not mine' }],
    ['that an engine is out of reach', { kind: 'unavailable', reason: 'none', failures: [] }],
  ])('lets %s through, and nothing beside it', (_, reply) => {
    expect(checkReply(reply, anyKey)).toEqual({ reply });
    expect(checkReply({ ...reply, time_ms: -5, retry: 1, evidence_ref: 'x' }, anyKey)).toEqual({ reply });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'the reply is no object'],
    ['null', null, 'the reply is no object'],
    ['a list', [], 'the reply is no object'],
    ['no kind', {}, 'kind: allowed are answer, miss, declined and unavailable'],
    ...['weird', 'timeout', 'exception', 'violation', 'toString'].map((kind): [string, unknown, string] => [
      `the kind ${kind}`,
      { kind, action: 'sem.write', evidence_ref: null, reason: 'x' },
      'kind: allowed are answer, miss, declined and unavailable',
    ]),
    ['a miss of nothing', { kind: 'miss' }, 'key: not a text'],
    ['a refusal without a reason', { kind: 'declined' }, 'reason: not a text'],
    ['an engine out of reach for no reason', { kind: 'unavailable', reason: 7 }, 'reason: not a text'],
    ['failures that are none', { kind: 'unavailable', reason: '', failures: [null] }, 'failures[0]: not an object'],
    ['no text', { ...ANSWER, text: undefined }, 'text: not a text'],
    ['a number for a text', { ...ANSWER, text: 42 }, 'text: not a text'],
    ['confidence in words', { ...ANSWER, confidence: 'high' }, 'confidence: not a number from 0 to 1'],
    ['confidence over 1', { ...ANSWER, confidence: 2 }, 'confidence: not a number from 0 to 1'],
    ['confidence under 0', { ...ANSWER, confidence: -5 }, 'confidence: not a number from 0 to 1'],
    ['a trace that is no list', { ...ANSWER, reasoning_trace: 'x' }, 'reasoning_trace: not a list'],
    ['a step that is no text', { ...ANSWER, reasoning_trace: ['x', 1] }, 'reasoning_trace[1]: not a text'],
    ['evidence in words', { ...ANSWER, evidence: 'abc' }, 'evidence: not a list'],
    ['evidence of nothing', { ...ANSWER, evidence: [null] }, 'evidence[0]: not an object'],
    ['empty evidence', { ...ANSWER, evidence: [{}] }, 'evidence[0].revision: not a whole number from 0'],
    [
      'evidence of a revision before the first',
      { ...ANSWER, evidence: [PIECE, { ...PIECE, revision: -1 }] },
      'evidence[1].revision: not a whole number from 0',
    ],
    [
      'evidence under no key',
      { ...ANSWER, evidence: [{ ...PIECE, key: '../x' }] },
      'evidence[0].key: not a canonical key, scope/entity_type/entity_id/attribute',
    ],
    ['evidence of no value', { ...ANSWER, evidence: [{ ...PIECE, value: undefined }] }, 'evidence[0].value: missing'],
    ['evidence of no time', { ...ANSWER, evidence: [{ ...PIECE, timestamp: 3 }] }, 'evidence[0].timestamp: not a text'],
    [
      'evidence under a consent without a name',
      { ...ANSWER, evidence: [{ ...PIECE, consents: [null] }] },
      'evidence[0].consents[0]: not a text',
    ],
    ['a write in words', { ...ANSWER, memory_write: 'x' }, 'memory_write: not an object'],
    ['an empty write', { ...ANSWER, memory_write: {} }, 'memory_write.key: not a text'],
    [
      'a write under no key',
      { ...ANSWER, memory_write: { key: 'not a key', value: 1 } },
      'memory_write.key: not a canonical key, scope/entity_type/entity_id/attribute',
    ],
    ['a write of nothing', { ...ANSWER, memory_write: { key: KEY } }, 'memory_write.value: missing'],
    ['too long a text', { ...ANSWER, text: 'x'.repeat(16_001) }, 'its text has 16001 characters; at most 16000'],
  ])('refuses %s, and says what is wrong without quoting it', (_, given, fault) => {
    expect(checkReply(given, anyKey)).toEqual({ fault });
  });

  it('has a word for whatever an agent says', () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(ANSWER), undefined));
    const given = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { ...Object.fromEntries(Object.keys(ANSWER).map((name) => [name, member])), kind: fc.constant('answer') },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(given, (one) => {
        const checked = checkReply(one, anyKey);
        expect('fault' in checked ? typeof checked.fault : checkReply(checked.reply, anyKey)).toEqual(
          'fault' in checked ? 'string' : checked,
        );
      }),
    );
  });
});
