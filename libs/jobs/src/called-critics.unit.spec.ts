import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';

import { type CallParts, type EngineAnswer } from '#lib/agents';
import { Critics, examine, type Question, type SafetyRules } from '#lib/council';

import { CalledCritics } from './called-critics.js';
import type { CalledRound } from './engine/effects.js';

/** What is made of what a called critic says; the call itself is `endpoint-call`'s. */

const RULES: SafetyRules = { max_answer_length: 500, max_note_length: 20, refused_phrases: [] };
const JOB = `job:${'0'.repeat(32)}`;
const TIME = '2026-01-01T12:00:00.000Z';
const candidate: Question['candidate'] = {
  query_text: 'What is my color?',
  agent_id: 'profile_agent',
  text: 'It is vermilion, says ann@firm.io.',
  confidence: 0.9,
  evidence: [
    { key: 'user/profile/user_tuff/color', revision: 3, value: 'vermilion', timestamp: TIME },
    { key: 'system/fact/tide/high', revision: 1, value: 'six', timestamp: TIME },
  ],
};
const checks = { evidence_holds: [true, true], recomputed: null, personal_data: [] };
const question: Question = { candidate, checks, rules: RULES, findings: examine(candidate, checks, RULES) };
const ajv = new Ajv({ strict: true });
/** Both schemas of docs/agents say what the code says. */
const [isRequest, isVote] = ['vote-request', 'vote-answer'].map((name) =>
  ajv.compile(JSON.parse(readFileSync(join('docs', 'agents', `${name}.schema.json`), 'utf8')) as object),
);
const VOTE = { scores: { factuality: 0.9, coherence: 1, safety: 1 }, approve: false, confidence: 0.7 };
const AT = { kind: 'http', url: 'https://critics.example/vote', secret_ref: 'MACE_AGENT_SECRET_TONE' } as const;
const ENGINE = { system: 'You mind the tone.', model: 'small' };

type Sent = Parameters<CallParts['caller']['call']>[0];

async function votesOf(
  seat: Partial<CalledRound['seats'][number]>,
  said: string,
  { status = 200, ...more }: { status?: number; engine?: Partial<EngineAnswer> | null; timeout_ms?: number } = {},
) {
  const sent: Sent[] = [];
  const asked: unknown[][] = [];
  const calls: CallParts = {
    caller: {
      call: async (one) => {
        sent.push(one);
        return { status, headers: {}, bytes: Buffer.from(said) };
      },
    },
    sign: () => ({ signature: 'of the house' }),
    secret: () => 's3cret42',
    clock: () => 0,
  };
  const completion = { text: said, finished: true, provider: 'p', model: 'small' };
  const language = {
    ask: async (...args: unknown[]) => {
      asked.push(args);
      return { completion, failures: [], ...more.engine };
    },
  };
  const called = new CalledCritics(calls, more.engine === null ? null : language).criticsOf({
    round: {
      seats: [{ critic_id: 'tone', weight: 1, ...seat }],
      node_id: 'agent:profile_v1',
      memory_write: { key: 'user/profile/user_tuff/pet', value: 'rex' },
    },
    candidate,
    job_id: JOB,
    timeout_ms: 1000,
    max_text: 20,
  });
  const critics = [seat.critic_id ?? 'tone'];
  const open = { abandoned: new AbortController().signal };
  const collected = await new Critics().collect({ question, critics, timeout_ms: 1000, called }, open);
  return { ...collected, sent, asked };
}

it('a critic at a URL is sent the answer without what is personal in it, signed and with its secret, and votes', async () => {
  const { votes, sent } = await votesOf({ endpoint: AT }, JSON.stringify({ ...VOTE, council_agent_id: 'ann' }));
  expect(votes).toEqual([{ ...VOTE, council_agent_id: 'tone', suggested_changes: '', note: '' }]);
  expect(sent[0]!.headers).toMatchObject({
    authorization: 'Bearer s3cret42',
    'mace-agent-contract': '1',
    signature: 'of the house',
  });
  const body = sent[0]!.body!.toString();
  expect(JSON.parse(body)).toMatchObject({
    job_id: JOB,
    critic_id: 'tone',
    kind: 'answer',
    question: 'What is my color?',
    agent_id: 'profile_agent',
    confidence: 0.9,
    evidence: [{ key: 'system/fact/tide/high', revision: 1, value: 'six' }],
    withheld_evidence: 1,
    criteria: ['factuality', 'coherence', 'safety'],
    limits: { timeout_ms: 1000, characters: 20 },
  });
  expect([isRequest!(JSON.parse(body)), isVote!(VOTE), isVote!({ ...VOTE, approve: 1 })]).toEqual([true, true, false]);
  expect(body).not.toMatch(/vermilion|ann@|tuff/);
});

it('a language engine votes under its prompt, told what a critic at a URL is told', async () => {
  const { votes, asked } = await votesOf({ prompt: ENGINE }, ` ${JSON.stringify({ ...VOTE, note: 'too curt' })}\n`);
  expect(votes).toMatchObject([{ council_agent_id: 'tone', approve: false, note: 'too curt' }]);
  const [[messages, tokens, , model]] = asked as [[{ role: string; content: string }[], number, unknown, string]];
  expect([tokens, model, messages.map(({ role }) => role)]).toEqual([1024, 'small', ['system', 'user']]);
  expect(messages[0]!.content).toMatch(/^You mind the tone\.\n/);
  expect(JSON.parse(messages[1]!.content)).toMatchObject({ kind: 'answer', withheld_evidence: 1 });
});

it('no personal data that a critic writes stands in its vote, and what stands for it makes no text too long', async () => {
  const words = { suggested_changes: 'Ask ann@firm.io now!', note: 'ann@firm.io' };
  const expected = { suggested_changes: 'Ask [redacted:email]', note: '[redacted:email]' };
  for (const seat of [{ endpoint: AT }, { prompt: ENGINE }])
    expect((await votesOf(seat, JSON.stringify({ ...VOTE, ...words }))).votes).toMatchObject([expected]);
});

const json = (more: object): string => JSON.stringify({ ...VOTE, ...more });
it.each<[string, Parameters<typeof votesOf>, string]>([
  ['is not there', [{ endpoint: AT }, '', { status: 503 }], 'failed: RemoteStatus503'],
  ['sends elsewhere', [{ endpoint: AT }, '', { status: 302 }], 'failed: RemoteStatus302'],
  ['says no JSON', [{ endpoint: AT }, 'NaN'], 'failed: RemoteNotJson'],
  ['says the secret', [{ endpoint: AT }, json({ note: 'It is s3cret42' })], 'failed: RemoteSecret'],
  ['says a list', [{ endpoint: AT }, '[]'], 'failed: RemoteNotSchema'],
  [
    'signs by no key or another',
    [{ endpoint: { ...AT, public_key: 'A'.repeat(43) } }, json({})],
    'failed: RemoteSignature',
  ],
  [
    'gives no scores',
    [{ endpoint: AT }, '{"approve":true}'],
    'malformed vote: scores.factuality: not a number from 0 to 1',
  ],
  [
    'writes too much',
    [{ endpoint: AT }, json({ note: 'x'.repeat(21) })],
    'malformed vote: note: not a text of at most 20 characters',
  ],
  [
    'answered itself',
    [{ critic_id: 'agent:profile_v1', endpoint: AT }, json({})],
    'nobody votes on an answer of their own, or to themself',
  ],
  ['is an engine that talks', [{ prompt: ENGINE }, `Sure! ${json({})}`], 'failed: RemoteNotJson'],
  [
    'is an engine that was cut off',
    [
      { prompt: ENGINE },
      '',
      { engine: { completion: { text: json({}), finished: false, provider: 'p', model: 'small' } } },
    ],
    'the vote of the language engine was cut off',
  ],
  [
    'is an engine out of service',
    [{ prompt: ENGINE }, '', { engine: { completion: null, failures: [{ provider: 'p', kind: 'timeout' }] } }],
    'no language engine answered: timeout',
  ],
  [
    'is no engine at all',
    [{ prompt: ENGINE }, '', { engine: null }],
    'no language engine is configured (MACE_LLM_PROVIDERS)',
  ],
])('a critic that %s is unavailable, with the reason', async (_, given, reason) => {
  const { votes, unavailable } = await votesOf(...given);
  expect([votes, Object.values(unavailable)]).toEqual([[], [reason]]);
});
