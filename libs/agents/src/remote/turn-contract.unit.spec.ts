import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';

import { FIRST_TURN, granted } from '../testing/granted.js';
import { replyIn, turnBody } from './turn-contract.js';

/** Both schemas of docs/agents say what the code says. */

const ajv = new Ajv({ strict: false });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join('docs', 'agents', `${name}.schema.json`), 'utf8')) as object);
const TOLD = { key: 'world/fact/tide/value', revision: 2, value: 'at six', timestamp: '2026-01-01T00:00:00.000Z' };
const ASKED = { user_id: 'user_ann', person: 'p', memory: [TOLD] };
const SAID = { outcome: 'answer', text: 'at six' };

it('a turn is sent in the form that its schema gives', () => {
  const { signal } = new AbortController();
  const asked = { query_text: 'When?', user_id: 'user_ann', depth: 1, token_budget: 512 };
  const request = { ...asked, turn: FIRST_TURN, suggested_changes: ['place'], effects: granted(), signal };
  const isSent = schemaOf('request');
  expect([isSent(JSON.parse(turnBody('tides_agent', request, ASKED))), isSent.errors]).toEqual([true, null]);
});

it.each<[boolean, unknown]>([
  [true, SAID],
  [true, { outcome: 'declined', text: 'not mine' }],
  [
    true,
    { ...SAID, confidence: 0, reasoning_trace: ['a'], tokens: 3, memory_write: { attribute: 'port', value: [1] } },
  ],
  [true, { ...SAID, evidence: [] }],
  [true, { ...SAID, evidence: [{ key: TOLD.key, revision: 2 }] }],
  [false, { ...SAID, evidence: [TOLD] }],
  [false, { ...SAID, evidence: [TOLD.key] }],
  [false, { ...SAID, memory_write: { attribute: 'a', value: null } }],
  [false, { outcome: 'answer' }],
  [false, { ...SAID, outcome: 'miss' }],
  [false, { ...SAID, text: null }],
  [false, { ...SAID, confidence: -0.1 }],
  [false, { ...SAID, confidence: '1' }],
  [false, { ...SAID, reasoning_trace: 'a' }],
  [false, { ...SAID, reasoning_trace: Array.from({ length: 101 }, () => 'a') }],
  [false, { ...SAID, tokens: 1.5 }],
  [false, { ...SAID, memory_write: null }],
  [false, { ...SAID, memory_write: { attribute: 'a/b', value: 1 } }],
  [false, { ...SAID, memory_write: { attribute: 'a', value: 1, key: 'b' } }],
  [false, { ...SAID, __proto: 1 }],
  [false, [SAID]],
])('an answer is taken just where its schema takes it: %s %j', (isTaken, said) => {
  expect(schemaOf('answer')(said)).toBe(isTaken);
  expect(replyIn(Buffer.from(JSON.stringify(said)), ASKED).kind !== 'failed').toBe(isTaken);
});

it.each([
  [true, 16_000],
  [false, 16_001],
])('texts are taken up to the length that the schema gives: %s at %i', (isTaken, length) => {
  const text = 'a'.repeat(length);
  for (const said of [
    { ...SAID, text },
    { outcome: 'declined', text },
    { ...SAID, memory_write: { attribute: 'a', value: text } },
  ]) {
    expect(schemaOf('answer')(said)).toBe(isTaken);
    expect(replyIn(Buffer.from(JSON.stringify(said)), ASKED).kind !== 'failed').toBe(isTaken);
  }
});

it.each<[string, object, string]>([
  ['a text that no log holds', { text: '\u{1f30a}'.repeat(8_001) }, 'text: a text of at most 16000 characters'],
  ...[['a'.repeat(9_000), 'b'.repeat(9_000)], '\ud800', { $enc: 'maybe' }, 0.1234567891, nested(201)].map(
    (value): [string, object, string] => [
      'a value that memory does not take',
      { memory_write: { attribute: 'port', value } },
      'memory_write: {attribute, value}, each as memory takes it, at most 16384 bytes',
    ],
  ),
])('an answer is refused where it has %s, and the reason names the member and its form', (_, more, reason) => {
  expect(replyIn(Buffer.from(JSON.stringify({ ...SAID, ...more })), ASKED)).toEqual({
    kind: 'failed',
    reason: `the agent's answer: ${reason}`,
    error_class: 'RemoteNotSchema',
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)];
}
