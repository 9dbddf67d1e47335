import { generateKeyPairSync } from 'node:crypto';

import type { JsonObject } from '#lib/kernel';

import type { AgentRequest } from '../agent.js';
import { CallError, type Called } from '../remote/endpoint-call.js';
import type { RemoteParts } from '../remote/remote-agent.js';
import { FIRST_TURN, granted } from '../testing/granted.js';
import { A2aAgent } from './a2a-agent.js';
import { signedCard } from './card-signature.js';
import { readCard } from './remote-card.js';

/** What goes out by A2A, what comes back, and what is made of it and of a card; the call itself is `endpoint-call`'s. */

type Sent = Parameters<RemoteParts['caller']['call']>[0];
const RPC = 'https://agents.example/rpc';

const called = (value: unknown, status = 200): Called => ({
  status,
  headers: {},
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});
/** In the place of the id of the request. */
const ITS_ID = 'as it was asked';
const result = (value: object, id: unknown = ITS_ID): Called => called({ jsonrpc: '2.0', id, result: value });
const rpcError = (code: unknown, id: unknown = ITS_ID): Called =>
  called({ jsonrpc: '2.0', id, error: { code, message: 'maybe' } });
const task = (state: string, more: object = {}): object => ({ id: 't-1', status: { state, ...more } });
const said = (...texts: string[]): object => ({ parts: texts.map((text) => ({ text })) });

function agent(...answers: (Called | Error)[]) {
  const sent: Sent[] = [];
  const caller = {
    call: (one: Sent) => {
      sent.push(one);
      const next = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (next instanceof Error) return Promise.reject(next);
      const { id } = JSON.parse(one.body!.toString()) as { id: string };
      return Promise.resolve({ ...next, bytes: Buffer.from(next.bytes.toString().replace(ITS_ID, id)) });
    },
  };
  const own = { secret: () => 's3cret42', clock: () => 0 };
  const parts = { caller, sign: () => ({ signature: 'mace=:x:' }), pseudonym: () => 'p', ...own };
  const card = { sha256: 'a'.repeat(64), version: '1', url: RPC };
  const endpoint = { kind: 'a2a', url: 'https://agents.example/', secret_ref: 'MACE_AGENT_SECRET_A', card } as const;
  return { remote: new A2aAgent('tides_agent', endpoint, parts, 3), sent };
}

function request(more: Partial<AgentRequest> = {}): AgentRequest {
  const { signal } = new AbortController();
  const asked = { query_text: 'When is high tide?', user_id: 'user_ann', depth: 1, token_budget: 512 };
  return { ...asked, turn: FIRST_TURN, suggested_changes: ['name the place'], effects: granted(), signal, ...more };
}

it('sends one message of the turn, of nobody, in version 1.0, with the secret and signed', async () => {
  const { remote, sent } = agent(result({ message: said('At six.') }));
  expect(await remote.answer(request())).toMatchObject({ kind: 'answer', text: 'At six.', confidence: 0.5 });
  const [{ url, headers, body }] = sent as [Sent];
  expect([url.href, headers]).toMatchObject([
    RPC,
    {
      'a2a-version': '1.0',
      authorization: 'Bearer s3cret42',
      'content-type': 'application/json',
      signature: 'mace=:x:',
    },
  ]);
  const { method, params } = JSON.parse(body!.toString()) as { method: string; params: { message: JsonObject } };
  expect([method, params.message]).toMatchObject([
    'SendMessage',
    {
      role: 'ROLE_USER',
      messageId: `${FIRST_TURN.job_id}.1.1.0`,
      parts: [{ text: 'When is high tide?' }, { text: 'To be changed:\nname the place' }],
    },
  ]);
  expect(body!.toString()).not.toContain('ann');
});

it('looks at a task until it is done, and takes its artifacts for the answer', async () => {
  const done = {
    ...task('TASK_STATE_COMPLETED'),
    artifacts: [said('At six.'), { parts: [{ data: { confidence: 0.9 } }] }],
  };
  const { remote, sent } = agent(
    result({ task: task('TASK_STATE_SUBMITTED') }),
    result(task('TASK_STATE_WORKING')),
    result(done),
  );
  expect(await remote.answer(request())).toMatchObject({ kind: 'answer', text: 'At six.', confidence: 0.9 });
  expect(sent.map(({ body }) => (JSON.parse(body!.toString()) as { method: string }).method)).toEqual([
    'SendMessage',
    'GetTask',
    'GetTask',
  ]);
});

it.each([
  ['another task', { ...task('TASK_STATE_COMPLETED'), id: 't-2', artifacts: [said('maybe')] }],
  ['a message, which is of no task', { message: said('maybe') }],
])('takes no answer of %s for that of the task it looks at', async (_, looked) => {
  const { remote } = agent(result({ task: task('TASK_STATE_SUBMITTED') }), result(looked));
  expect(await remote.answer(request())).toMatchObject({ kind: 'failed', error_class: 'RemoteNotSchema' });
});

it('looks no more once the turn is over, or where a late answer is waited for, once that is', async () => {
  const { remote, sent } = agent(result({ task: task('TASK_STATE_WORKING') }), result(task('TASK_STATE_WORKING')));
  const [over, closing] = [new AbortController(), new AbortController()];
  setTimeout(() => over.abort(), 5);
  expect(await remote.answer(request({ signal: over.signal }))).toMatchObject({ error_class: 'RemoteCalledOff' });
  expect(sent).toHaveLength(1);
  const late = agent(
    result({ task: task('TASK_STATE_SUBMITTED') }),
    result({ ...task('TASK_STATE_COMPLETED'), artifacts: [said('At six.')] }),
  );
  const signal = AbortSignal.timeout(5);
  const reply = await late.remote.answer(request({ signal, closing: closing.signal }));
  expect([signal.aborted, reply]).toMatchObject([true, { kind: 'answer', text: 'At six.' }]);
  const none = agent(result({ task: task('TASK_STATE_WORKING') }), result(task('TASK_STATE_WORKING')));
  setTimeout(() => closing.abort(), 5);
  expect(await none.remote.answer(request({ closing: closing.signal }))).toMatchObject({
    error_class: 'RemoteCalledOff',
  });
});

it.each<[string, Called | Error]>([
  ['RemoteStatus401', called({}, 401)],
  ['RemoteStatus302', called({}, 302)],
  ['RemoteNotJson', called('{"text": NaN}')],
  ['RemoteNotSchema', called([])],
  ['RemoteNotSchema', called({ result: {} })],
  ['RemoteNotSchema', result({})],
  ['RemoteNotSchema', called({ jsonrpc: '2.0', id: 'SendMessage.another.1.1.0', result: { message: said('maybe') } })],
  ['RemoteNotSchema', called({ jsonrpc: '2.0', id: null, result: { message: said('maybe') } })],
  ['RemoteRpc32700', called({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'maybe' } })],
  ['RemoteNotSchema', result({ task: { id: 't' } })],
  ['RemoteNotSchema', result({ task: task('maybe') })],
  ['RemoteNotSchema', result({ task: { status: { state: 'TASK_STATE_WORKING' } } })],
  ['RemoteNotSchema', result({ message: { parts: [{ url: 'http://169.254.169.254/' }] } })],
  ['RemoteNotSchema', result({ message: said('\ud800') })],
  ['RemoteNotSchema', result({ message: { parts: [{ text: 5 }] } })],
  ['RemoteNotSchema', result({ message: said('maybe'.repeat(2_000), 'maybe'.repeat(1_200)) })],
  ['RemoteNotSchema', result({ message: said('maybe') }, 'SendMessage.of.another.turn')],
  ['RemoteNotSchema', result({ message: said('maybe') }, null)],
  ['RemoteNotSchema', rpcError(-32001, 'SendMessage.of.another.turn')],
  ['RemoteRpc32001', rpcError(-32001)],
  ['RemoteRpc32700', rpcError(-32700, null)],
  ['RemoteRpcOther', rpcError(5362281450000001)],
  ['RemoteRpcOther', rpcError(32001)],
  ['RemoteRpcOther', rpcError(-32769)],
  ['RemoteNotSchema', rpcError(-32000.5)],
  ['RemoteTaskFailed', result({ task: task('TASK_STATE_FAILED', { message: said('maybe') }) })],
  ['RemoteTaskFailed', result({ task: task('TASK_STATE_CANCELED') })],
  ['RemoteSecret', result({ message: said('maybe Bearer s3cret42') })],
  ['RemoteTooLarge', new CallError('too large')],
])('says in plain why there is no answer, and nothing of what was said: %s', async (error_class, answer) => {
  const reply = await agent(answer).remote.answer(request());
  expect(reply).toMatchObject({ kind: 'failed', error_class });
  expect(JSON.stringify(reply)).not.toMatch(/maybe|NaN|169|536/);
});

it.each(['REJECTED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'])('takes a task in %s for declined', async (state) => {
  const { remote } = agent(result({ task: task(`TASK_STATE_${state}`, { message: said('not mine') }) }));
  expect(await remote.answer(request())).toMatchObject({ kind: 'declined', reason: 'not mine' });
});

describe('an agent card', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const jwk = publicKey.export({ format: 'jwk' }) as { x: string };
  const JKU = 'https://agents.example/keys.json';
  const CARD: JsonObject = {
    name: 'Tides',
    version: '2.1',
    capabilities: { streaming: false },
    supportedInterfaces: [
      { url: 'https://agents.example/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
      { url: RPC, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
  };
  const signed = signedCard(CARD, { kid: 'k1', secret }, JKU);
  const { signal } = new AbortController();

  const read = (card: unknown, more: { public_key?: string; keys?: object[]; status?: number } = {}) => {
    const { public_key, keys = [{ ...jwk, kid: 'k1', d: 'private' }], status } = more;
    const at: string[] = [];
    const call = ({ url }: Sent): Promise<Called> => {
      at.push(url.href);
      if (card instanceof Error) return Promise.reject(card);
      return Promise.resolve(url.href === JKU ? called({ keys }) : called(card, status));
    };
    const pinned = readCard({ call }, { url: 'https://agents.example/', ...(public_key && { public_key }) }, signal);
    return pinned.then((pin) => ({ pin, at }));
  };

  type Refused = [string, unknown, Parameters<typeof read>[1]?];

  it('is read below the origin, and held on to by its bytes, with the public key that signed it at the same origin', async () => {
    const { pin, at } = await read(signed);
    expect(at).toEqual(['https://agents.example/.well-known/agent-card.json', JKU]);
    expect(pin).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      version: '2.1',
      url: RPC,
      key: { kid: 'k1', kty: 'OKP', crv: 'Ed25519', x: jwk.x },
    });
    expect((await read(CARD)).pin).not.toHaveProperty('key');
    expect((await read(signed, { public_key: jwk.x })).at).toHaveLength(1);
  });

  it.each<Refused>([
    ['status 404', signed, { status: 404 }],
    ['status 302', signed, { status: 302 }],
    ['too large', new CallError('too large')],
    ['no JSON object', '[]'],
    ['name is no text', { ...CARD, name: 5 }],
    ['version', { ...CARD, version: 'call 536-22-8145' }],
    [
      'no interface',
      { ...CARD, supportedInterfaces: [{ url: RPC, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] },
    ],
    [
      'no interface',
      {
        ...CARD,
        supportedInterfaces: [{ url: 'file:///etc/passwd', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      },
    ],
    ['requires an extension', { ...CARD, capabilities: { extensions: [{ uri: 'x', required: true }] } }],
    ['its signature', { ...signed, name: 'Tide' }],
    ['its signature', signed, { keys: [] }],
    ['its signature', signed, { public_key: 'A'.repeat(43) }],
    ['its signature', CARD, { public_key: jwk.x }],
    ['its signature', { ...CARD, signatures: [{ protected: '?', signature: 1 }] }],
    ['its signature', { ...CARD, signatures: [null] }],
    ['no canonical form', { ...signed, description: '\ud800' }],
    ['no canonical form', `{"deep":${'['.repeat(200)}${']'.repeat(200)},${JSON.stringify(signed).slice(1)}`],
    ['no canonical form', `{"deep":${'['.repeat(1e5)}${']'.repeat(1e5)},${JSON.stringify(signed).slice(1)}`],
    ['another origin', signedCard(CARD, { kid: 'k1', secret }, 'https://evil.example/keys.json')],
  ])('is refused, with the reason: %s', async (...[why, card, more]: Refused) => {
    await expect(read(card, more)).rejects.toMatchObject({ why: expect.stringContaining(why) });
  });
});
