import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';

import { fixtureKeyRing, responseKeys } from '#lib/access';
import { AliasMap } from '#lib/memory';
import { contentDigest, RequestSigner } from '#lib/signatures';

import type { AgentRequest } from '../agent.js';
import { FIRST_TURN, granted } from '../testing/granted.js';
import { CallError, type Called } from './endpoint-call.js';
import { HttpAgent } from './http-agent.js';
import type { RemoteParts } from './remote-agent.js';

/** What goes out, what comes back, and what is made of it; the call itself is `endpoint-call`'s. */

const URL_OF_AGENT = 'https://agents.example/turn?v=1';
const ANSWER = { outcome: 'answer', text: 'High tide is at six.', confidence: 0.8, reasoning_trace: ['a table'] };

type Sent = Parameters<RemoteParts['caller']['call']>[0];

function agent(answer: (sent: Sent) => Promise<Called>, more: Partial<RemoteParts> = {}, endpoint: object = {}) {
  const sent: Sent[] = [];
  const signer = new RequestSigner(fixtureKeyRing().active('response-signature'));
  const remote = new HttpAgent(
    'tides_agent',
    { kind: 'http', url: URL_OF_AGENT, secret_ref: 'MACE_AGENT_SECRET_TIDES', ...endpoint },
    {
      caller: {
        call: (one) => {
          sent.push(one);
          return answer(one);
        },
      },
      sign: ({ nonce, ...request }) => ({ ...signer.headersFor(request, nonce, 1_800_000_000_000) }),
      pseudonym: (user, node) => `person of ${user} for ${node}`,
      secret: (name) => (name === 'MACE_AGENT_SECRET_TIDES' ? ' s3cret/42\n' : undefined),
      outside: {
        aliases: new AliasMap([]),
        mayLeave: ({ value }) => value !== 'ann@example.org',
        redact: (text) => text.replace('ann@example.org', '[redacted:email]'),
      },
      clock: () => 0,
      ...more,
    },
  );
  return { remote, sent };
}

const said = (value: unknown, status = 200) => Promise.resolve(called(Buffer.from(JSON.stringify(value)), status));
const called = (bytes: Buffer, status = 200): Called => ({ status, headers: {}, bytes });

function request(more: Partial<AgentRequest> = {}): AgentRequest {
  const { signal } = new AbortController();
  const asked = { query_text: 'When is high tide?', user_id: 'user_ann', depth: 1, token_budget: 512 };
  return { ...asked, turn: FIRST_TURN, suggested_changes: ['name the place'], effects: granted(), signal, ...more };
}

it('sends what the contract says and nothing of the person, with the secret, and signed', async () => {
  const { remote, sent } = agent(() => said(ANSWER));
  await remote.answer(request());
  const { url, headers, body } = sent[0]!;
  expect(url.href).toBe(URL_OF_AGENT);
  expect(JSON.parse(body!.toString())).toEqual({
    job_id: FIRST_TURN.job_id,
    turn: { iteration: 1, attempt: 1, retry: 0 },
    agent_id: 'tides_agent',
    person: 'person of user_ann for agent:tested_v1',
    intent_tags: [],
    query_text: 'When is high tide?',
    suggested_changes: ['name the place'],
    context: { memory: [] },
    limits: { timeout_ms: 10_000, tokens: 512 },
  });
  expect(headers).toMatchObject({ authorization: 'Bearer s3cret/42', 'mace-agent-contract': '1' });
  // RFC 9421, 2.5, by hand.
  const [, params] = /^mace=(.*)$/.exec(headers['signature-input']!)!;
  const base = [
    '"@method": POST',
    '"@authority": agents.example',
    '"@path": /turn',
    '"@query": ?v=1',
    '"content-type": application/json',
    '"mace-agent-contract": 1',
    `"content-digest": ${contentDigest(body!)}`,
    `"@signature-params": ${params}`,
  ].join('\n');
  const [key] = responseKeys(fixtureKeyRing());
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key!.x }, format: 'jwk' });
  const signature = Buffer.from(/^mace=:(.*):$/.exec(headers['signature']!)![1]!, 'base64');
  expect(verify(null, Buffer.from(base), publicKey, signature)).toBe(true);
});

it('takes an answer, a refusal and a wish to remember, which is the person’s own', async () => {
  const answers = [ANSWER, { outcome: 'declined', text: 'no tides here' }];
  const { remote } = agent(() =>
    said(answers.shift() ?? { ...ANSWER, memory_write: { attribute: 'port', value: 'Ely' } }),
  );
  expect(await remote.answer(request())).toEqual({
    kind: 'answer',
    text: ANSWER.text,
    confidence: 0.8,
    reasoning_trace: ['a table'],
    evidence: [],
    memory_write: null,
    call: { status: 200, bytes: Buffer.byteLength(JSON.stringify(ANSWER)) },
  });
  expect(await remote.answer(request())).toMatchObject({ kind: 'declined', reason: 'no tides here' });
  expect(await remote.answer(request())).toMatchObject({
    memory_write: { key: 'user/profile/user_ann/port', value: 'Ely' },
  });
});

it('is told of memory where the policy of its module lists sem.read, and never what the detector finds', async () => {
  const told = { revision: 3, timestamp: '2026-01-01T00:00:00.000Z' };
  const memory: Record<string, unknown> = {
    'world/fact/high_tide/definition': 'ann@example.org',
    'world/fact/high_tide/value': 'at six',
  };
  const effects = granted({
    read: (key) => Promise.resolve(key in memory ? { ...told, key, value: memory[key] as string } : null),
  });
  const { remote, sent } = agent(() => said(ANSWER));
  const query_text = 'What is high tide?';
  await remote.answer(request({ query_text, effects }));
  const reply = await remote.answer(request({ query_text, effects, turn: { ...FIRST_TURN, reads_memory: true } }));
  const known = sent.map(({ body }) => (JSON.parse(body!.toString()) as { context: unknown }).context);
  const piece = { key: 'world/fact/high_tide/value', value: 'at six', revision: 3 };
  expect(known).toEqual([{ memory: [] }, { memory: [piece] }]);
  expect(reply).toMatchObject({ evidence: [{ ...piece, ...told }] });
});

it('is told nothing that the detector finds, also where a consent let it be asked, and no person’s id', async () => {
  const told = { revision: 1, timestamp: '2026-01-01T00:00:00.000Z', value: 'blue' };
  const key = 'user/profile/user_ann/favorite_color';
  const effects = granted({ read: (asked) => Promise.resolve(asked === key ? { ...told, key } : null) });
  const { remote, sent } = agent(() => said({ ...ANSWER, evidence: [{ key: OUTSIDE, revision: 1 }] }));
  const turn = { ...FIRST_TURN, reads_memory: true };
  const reply = await remote.answer(request({ query_text: 'What is my favorite color?', effects, turn }));
  await remote.answer(request({ query_text: 'Write to ann@example.org', suggested_changes: ['not ann@example.org'] }));
  expect(reply).toMatchObject({ evidence: [{ key }] });
  const [first, second] = sent.map(({ body }) => JSON.parse(body!.toString()) as Record<string, unknown>);
  expect(first).toMatchObject({ context: { memory: [{ key: OUTSIDE, value: 'blue', revision: 1 }] } });
  expect(second).toMatchObject({
    query_text: 'Write to [redacted:email]',
    suggested_changes: ['not [redacted:email]'],
  });
});
const OUTSIDE = `user/profile/person of user_ann for ${FIRST_TURN.node_id}/favorite_color`;

describe('whose module names a key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'jwk' }).x!;
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const body = Buffer.from(JSON.stringify(ANSWER));
  /** RFC 9421 by hand. */
  const signedBy = (key: KeyObject, request: string, status = 200): Called['headers'] => {
    const digest = contentDigest(body);
    const params = '("@status" "content-digest" "signature";req);created=1800000000;keyid="tides"';
    const base = [
      `"@status": ${status}`,
      `"content-digest": ${digest}`,
      `"signature";req: ${request}`,
      `"@signature-params": ${params}`,
    ].join('\n');
    const signature = sign(null, Buffer.from(base), key).toString('base64');
    return { 'content-digest': digest, 'signature-input': `sig1=${params}`, signature: `sig1=:${signature}:` };
  };
  const answered = (headers: (request: string) => Called['headers'], bytes: Buffer = body) =>
    agent(
      (sent) => Promise.resolve({ status: 200, bytes, headers: headers(sent.headers['signature']!) }),
      {},
      { public_key },
    ).remote.answer(request());

  it('is answered by the holder of that key, which is recorded', async () => {
    const reply = await answered((request) => signedBy(privateKey, request));
    expect(reply).toMatchObject({ kind: 'answer', call: { status: 200, signed: true } });
  });

  it.each<[string, (request: string) => Called['headers'], Buffer]>([
    ['it is not signed', () => ({}), body],
    ['another key’s, or of another answer', (request) => signedBy(stranger, request), body],
    ['another key’s, or of another answer', () => signedBy(privateKey, 'mace=:b2xk:'), body],
    ['another key’s, or of another answer', (request) => signedBy(privateKey, request, 201), body],
    ['its content is not what Content-Digest says', (request) => signedBy(privateKey, request), Buffer.from('{}')],
    [
      'another form',
      (request) => ({ ...signedBy(privateKey, request), 'signature-input': 'sig1=("@status");created=1' }),
      body,
    ],
    ['another form', (request) => ({ ...signedBy(privateKey, request), signature: '' }), body],
    ['another form', (request) => ({ ...signedBy(privateKey, request), 'signature-input': '(((' }), body],
  ])('and by nobody else: %s', async (reason, headers, bytes) => {
    const reply = await answered(headers, bytes);
    expect(reply).toMatchObject({ kind: 'failed', error_class: 'RemoteSignature', call: { status: 200 } });
    expect((reply as { reason: string }).reason).toContain(reason);
    expect((reply as { call: object }).call).not.toHaveProperty('signed');
  });
});

it.each<[string, () => Promise<Called>]>([
  ['RemoteStatus503', () => said({}, 503)],
  ['RemoteStatus307', () => said({}, 307)],
  ['RemoteNotJson', () => Promise.resolve(called(Buffer.from('{"text": NaN}')))],
  ['RemoteNotJson', () => Promise.resolve(called(Buffer.from([0x22, 0xff, 0x22])))],
  ['RemoteNotSchema', () => said([])],
  ['RemoteNotSchema', () => said({ ...ANSWER, outcome: 'maybe' })],
  ['RemoteNotSchema', () => said({ ...ANSWER, confidence: 2 })],
  ['RemoteNotSchema', () => said({ ...ANSWER, text: '\ud800' })],
  ['RemoteNotSchema', () => said({ ...ANSWER, evidence: [{ key: 'world/fact/maybe/value', revision: 1 }] })],
  ['RemoteNotSchema', () => said({ ...ANSWER, memory_write: { attribute: '../x', value: 1 } })],
  ['RemoteSecret', () => said({ ...ANSWER, text: 'maybe Bearer s3cret/42' })],
  ['RemoteSecret', () => Promise.resolve(called(Buffer.from('{"outcome":"answer","text":"maybe s3cret\\/\\u00342"}')))],
  ['RemoteSecret', () => said({ maybe: 's3cret/42' }, 500)],
  ['RemoteCertificate', () => Promise.reject(new CallError('certificate'))],
  ['RemoteTooLarge', () => Promise.reject(new CallError('too large'))],
])('says in plain why there is no answer, and nothing of what was said: %s', async (error_class, answer) => {
  const reply = await agent(answer).remote.answer(request());
  expect(reply).toMatchObject({ kind: 'failed', error_class });
  expect(JSON.stringify(reply)).not.toMatch(/maybe|NaN|\.\.\/x|s3cret/);
});

it('is not called for half a minute once five calls in a row failed, and then again', async () => {
  let now = 0;
  let isBroken = true;
  const { remote, sent } = agent(() => said(ANSWER, isBroken ? 500 : 200), { clock: () => now });
  for (let n = 0; n < 5; n++) await remote.answer(request());
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemotePaused' });
  expect(sent).toHaveLength(5);
  now = 30_000;
  isBroken = false;
  expect(await remote.answer(request())).toMatchObject({ kind: 'answer' });
});

it('that answers only after its turns keeps its places until then, and is not called at once for all that', async () => {
  const waiting: (() => void)[] = [];
  const { remote, sent } = agent(() => new Promise((done) => waiting.push(() => done(said(ANSWER)))));
  const [over, closing] = [new AbortController(), new AbortController()];
  const signals = { signal: over.signal, closing: closing.signal };
  const turns = Array.from({ length: 64 }, () => remote.answer(request(signals)));
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemoteBusy' });
  over.abort();
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemotePaused' });
  expect(sent.map(({ signal }) => signal.aborted)).toEqual(Array<boolean>(64).fill(false));
  for (const answer of waiting) answer();
  expect((await Promise.all(turns)).every(({ kind }) => kind === 'answer')).toBe(true);
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemotePaused' });
});

it('is not asked once its turn is over, however long an answer would be waited for', async () => {
  const { remote, sent } = agent(() => said(ANSWER));
  const signals = { signal: AbortSignal.abort(), closing: new AbortController().signal };
  expect(await remote.answer(request(signals))).toMatchObject({ error_class: 'RemoteCalledOff' });
  expect(sent).toEqual([]);
});

it('is asked for at most 64 turns at a time', async () => {
  const waiting: (() => void)[] = [];
  const { remote, sent } = agent(() => new Promise((done) => waiting.push(() => done(said(ANSWER)))));
  const turns = Array.from({ length: 64 }, () => remote.answer(request()));
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemoteBusy' });
  expect(new Set(sent.map(({ of }) => of))).toEqual(new Set([remote]));
  for (const answer of waiting) answer();
  expect((await Promise.all(turns)).every(({ kind }) => kind === 'answer')).toBe(true);
});

it.each(['busy', 'host not listed', 'address not allowed'] as const)(
  'goes on to be called however often this house itself kept it from being called: %s',
  async (own) => {
    let isRefused = true;
    const { remote } = agent(() => (isRefused ? Promise.reject(new CallError(own)) : said(ANSWER)));
    for (let n = 0; n < 6; n++)
      expect(await remote.answer(request())).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining(own) as string,
      });
    isRefused = false;
    expect(await remote.answer(request())).toMatchObject({ kind: 'answer' });
  },
);
