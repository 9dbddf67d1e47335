import { createPublicKey, verify } from 'node:crypto';

import { fixtureKeyRing, responseKeys } from '#lib/access';
import { contentDigest, RequestSigner } from '#lib/signatures';

import type { AgentRequest } from '../agent.js';
import { FIRST_TURN, granted } from '../testing/granted.js';
import { CallError, type Called } from './endpoint-call.js';
import { HttpAgent, type RemoteParts } from './http-agent.js';

/** What goes out, what comes back, and what is made of it; the call itself is `endpoint-call`'s. */

const URL_OF_AGENT = 'https://agents.example/turn?v=1';
const ANSWER = { outcome: 'answer', text: 'High tide is at six.', confidence: 0.8, reasoning_trace: ['a table'] };

type Sent = Parameters<RemoteParts['caller']['call']>[0];

function agent(answer: (sent: Sent) => Promise<Called>, more: Partial<RemoteParts> = {}) {
  const sent: Sent[] = [];
  const signer = new RequestSigner(fixtureKeyRing().active('response-signature'));
  const remote = new HttpAgent(
    'tides_agent',
    { kind: 'http', url: URL_OF_AGENT, secret_ref: 'MACE_AGENT_SECRET_TIDES' },
    {
      caller: {
        call: (one) => {
          sent.push(one);
          return answer(one);
        },
      },
      sign: ({ nonce, ...request }) => ({ ...signer.headersFor(request, nonce, 1_800_000_000_000) }),
      pseudonym: (user, node) => `person of ${user} for ${node}`,
      secret: (name) => (name === 'MACE_AGENT_SECRET_TIDES' ? ' s3cret\n' : undefined),
      clock: () => 0,
      ...more,
    },
  );
  return { remote, sent };
}

const said = (value: unknown, status = 200) => Promise.resolve({ status, bytes: Buffer.from(JSON.stringify(value)) });

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
  expect(JSON.parse(body.toString())).toEqual({
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
  expect(headers).toMatchObject({ authorization: 'Bearer s3cret', 'mace-agent-contract': '1' });
  // RFC 9421, 2.5, by hand.
  const [, params] = /^mace=(.*)$/.exec(headers['signature-input']!)!;
  const base = [
    '"@method": POST',
    '"@authority": agents.example',
    '"@path": /turn',
    '"@query": ?v=1',
    '"content-type": application/json',
    '"mace-agent-contract": 1',
    `"content-digest": ${contentDigest(body)}`,
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
  });
  expect(await remote.answer(request())).toEqual({ kind: 'declined', reason: 'no tides here' });
  expect(await remote.answer(request())).toMatchObject({
    memory_write: { key: 'user/profile/user_ann/port', value: 'Ely' },
  });
});

it.each<[string, () => Promise<Called>]>([
  ['RemoteStatus503', () => said({}, 503)],
  ['RemoteStatus307', () => said({}, 307)],
  ['RemoteNotJson', () => Promise.resolve({ status: 200, bytes: Buffer.from('{"text": NaN}') })],
  ['RemoteNotJson', () => Promise.resolve({ status: 200, bytes: Buffer.from([0x22, 0xff, 0x22]) })],
  ['RemoteNotSchema', () => said([])],
  ['RemoteNotSchema', () => said({ ...ANSWER, outcome: 'maybe' })],
  ['RemoteNotSchema', () => said({ ...ANSWER, confidence: 2 })],
  ['RemoteNotSchema', () => said({ ...ANSWER, text: '\ud800' })],
  ['RemoteNotSchema', () => said({ ...ANSWER, evidence: [] })],
  ['RemoteNotSchema', () => said({ ...ANSWER, memory_write: { attribute: '../x', value: 1 } })],
  ['RemoteCertificate', () => Promise.reject(new CallError('certificate'))],
  ['RemoteTooLarge', () => Promise.reject(new CallError('too large'))],
])('says in plain why there is no answer, and nothing of what was said: %s', async (error_class, answer) => {
  const reply = await agent(answer).remote.answer(request());
  expect(reply).toMatchObject({ kind: 'failed', error_class });
  expect(JSON.stringify(reply)).not.toMatch(/maybe|NaN|\.\.\/x/);
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

it('is asked for at most 64 turns at a time', async () => {
  const waiting: (() => void)[] = [];
  const { remote } = agent(() => new Promise((done) => waiting.push(() => done(said(ANSWER)))));
  const turns = Array.from({ length: 64 }, () => remote.answer(request()));
  expect(await remote.answer(request())).toMatchObject({ error_class: 'RemoteBusy' });
  for (const answer of waiting) answer();
  expect((await Promise.all(turns)).every(({ kind }) => kind === 'answer')).toBe(true);
});
