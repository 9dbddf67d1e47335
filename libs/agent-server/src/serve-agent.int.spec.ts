import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { Ajv } from 'ajv';

import { fixtureKeyRing, responseKeys } from '#lib/access';
import { AgentHosts, EndpointCaller, HttpAgent } from '#lib/agents';
import { contentDigest, RequestSigner } from '#lib/signatures';

import { FIRST_TURN, granted } from '../../agents/src/testing/granted.js';
import type { TurnAnswer, TurnRequest } from './contract.js';
import { type AgentOptions, type RunningAgent, serveAgent } from './serve-agent.js';

/** An agent as somebody else serves it, asked over HTTP by what MACE asks with, and by those who pretend to be MACE. */

const RING = fixtureKeyRing();
const KEYS = responseKeys(RING);
const SIGNER = new RequestSigner(RING.active('response-signature'));
const TURN: TurnRequest = {
  job_id: `job:${'0'.repeat(32)}`,
  turn: { iteration: 1, attempt: 1, retry: 0 },
  agent_id: 'poet_agent',
  person: 'p',
  intent_tags: ['creative'],
  query_text: 'Write about rain',
  suggested_changes: [],
  context: { memory: [] },
  limits: { timeout_ms: 10_000, tokens: 512 },
};

/** With every member that there is. */
const ANSWER: Required<TurnAnswer> = {
  outcome: 'answer',
  text: 'Rain.',
  confidence: 0.9,
  reasoning_trace: ['a'],
  tokens: 1,
  evidence: [{ key: 'world/fact/rain/value', revision: 0 }],
  memory_write: { attribute: 'weather', value: 'rain' },
};

let agent: RunningAgent;
let faults: unknown[];
let turns: unknown[];

async function serve(options: Partial<AgentOptions> = {}): Promise<void> {
  agent = await serveAgent({
    capabilities: ['creative'],
    answer: (turn) => {
      turns.push(turn);
      return { text: `Rain. You asked: ${turn.query_text}`, confidence: 0.9 };
    },
    port: 0,
    mace: KEYS,
    onError: (error) => void faults.push(error),
    ...options,
  });
}

beforeEach(() => {
  [faults, turns] = [[], []];
});
afterEach(() => agent.close());

interface Sent {
  readonly path?: string;
  readonly body?: string;
  readonly signedBody?: string;
  readonly now?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signer?: RequestSigner | null;
}

/** Sends what MACE sends, changed on the way. */
async function send({
  path = '',
  body = JSON.stringify(TURN),
  signedBody = body,
  now = Date.now(),
  headers,
  signer = SIGNER,
}: Sent = {}) {
  const url = new URL(agent.url);
  const fields = { 'content-type': 'application/json', 'mace-agent-contract': '1' };
  const signed = signer?.headersFor({ method: 'POST', url, fields, body: signedBody }, 'n-1', now) ?? {};
  const given = Object.entries({ ...fields, ...signed, ...headers }).filter(([, value]) => value !== undefined);
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: Object.fromEntries(given) as Record<string, string>,
    body,
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as { error?: string; text?: string },
  };
}

it.each([
  ['request', TURN],
  ['answer', ANSWER],
])('its types have the members that docs/agents gives a turn and its answer: %s', async (name, typed) => {
  await serve();
  const schema = JSON.parse(readFileSync(join('docs', 'agents', `${name}.schema.json`), 'utf8')) as {
    properties: object;
  };
  const isOfForm = new Ajv({ strict: false }).compile(schema);
  expect([isOfForm(typed), isOfForm.errors]).toEqual([true, null]);
  expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(typed).sort());
});

it('answers as MACE asks, reads the question that MACE sends, and signs as MACE checks', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  await serve({ secret: 's3cret', signWith: privateKey });
  const caller = new EndpointCaller(new AgentHosts(['localhost']));
  const remote = new HttpAgent(
    'poet_agent',
    { kind: 'http', url: `${agent.url}turn?v=1`, secret_ref: 'SECRET', public_key: agent.publicKey! },
    {
      caller,
      sign: ({ nonce, ...request }) => ({ ...SIGNER.headersFor(request, nonce, Date.now()) }),
      pseudonym: () => 'p',
      secret: () => 's3cret',
      clock: () => 0,
    },
  );
  const asked = { query_text: 'Write about rain', user_id: 'user_ann', depth: 1, token_budget: 512 };
  const { signal } = new AbortController();
  const request = { ...asked, turn: FIRST_TURN, suggested_changes: ['shorter'], effects: granted(), signal };
  const said = { text: 'Rain. You asked: Write about rain', confidence: 0.9 };
  expect(await remote.answer(request)).toMatchObject({ ...said, call: { signed: true } });
  expect(turns).toMatchObject([{ query_text: 'Write about rain', suggested_changes: ['shorter'] }]);
  caller.close();
});

describe('what is not a turn that MACE sent gets none', () => {
  const other = new RequestSigner({
    kid: KEYS[0]!.kid,
    secret: generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
  });
  const unknown = new RequestSigner({ kid: 'another', secret: RING.active('response-signature').secret });
  const hour = 3_600_000;

  it.each<[string, Sent, number, RegExp]>([
    ['no signature', { signer: null }, 401, /not signed: it has no signature-input/],
    ['another key of the same name', { signer: other }, 401, /not of this request/],
    ['an unknown key', { signer: unknown }, 401, /its key is not among those given/],
    ['another body', { signedBody: '{}' }, 401, /not what Content-Digest says/],
    ['another path', { path: 'elsewhere' }, 401, /not of this request: method, host, path/],
    ['a query', { path: '?v=2' }, 401, /does not cover "@query"/],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 401, /not of this request/],
    ['an old one', { now: Date.now() - hour }, 401, /300 s are allowed/],
    ['one of tomorrow', { now: Date.now() + hour }, 401, /clocks may be 300 s apart/],
    ['no contract', { headers: { 'mace-agent-contract': undefined } }, 400, /mace-agent-contract: 1 is spoken here/],
    ['no JSON', { body: '{"query_text": NaN}' }, 400, /no JSON/],
    ['no turn', { body: 'null' }, 400, /query_text and limits.timeout_ms are needed/],
    [
      'a time that no timer takes',
      { body: JSON.stringify({ ...TURN, limits: { timeout_ms: 1e12 } }) },
      400,
      /timeout_ms/,
    ],
    ['too much', { body: JSON.stringify({ ...TURN, more: 'x'.repeat(1_100_000) }) }, 413, /1048576 bytes/],
  ])('%s', async (_, sent, status, reason) => {
    await serve();
    const answer = await send(sent);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(reason)]);
    expect([turns, faults]).toEqual([[], []]);
  });

  it.each([undefined, 'Bearer wrong', 'Basic s3cret'])(
    'without the secret, though signed: %s',
    async (authorization) => {
      await serve({ secret: 's3cret' });
      expect(await send({ headers: { authorization } })).toMatchObject({
        status: 401,
        body: { error: expect.stringContaining('secret') },
      });
      expect((await send({ headers: { authorization: 'Bearer s3cret' } })).status).toBe(200);
      expect(turns).toHaveLength(1);
    },
  );
});

it('is asked behind a proxy by the address that MACE knows it by', async () => {
  await serve({ publicUrl: 'https://agents.example/poet' });
  const signer = {
    headersFor: (request: Parameters<RequestSigner['headersFor']>[0], nonce: string, now: number) =>
      SIGNER.headersFor({ ...request, url: new URL('https://agents.example/poet') }, nonce, now),
  } as RequestSigner;
  expect([(await send({ signer })).status, (await send()).status]).toEqual([200, 401]);
});

it('takes the keys of MACE from where it publishes them, and asks for them once, whatever keys others name', async () => {
  let [asked, isThere] = [0, false];
  const mace = createServer((request, response) => {
    asked++;
    response
      .writeHead(isThere && request.url === '/.well-known/jwks.json' ? 200 : 404)
      .end(JSON.stringify({ keys: KEYS }));
  });
  await once(mace.listen(0, '127.0.0.1'), 'listening');
  try {
    await serve({ mace: `http://127.0.0.1:${(mace.address() as AddressInfo).port}` });
    expect(await send()).toMatchObject({ status: 503, body: { error: expect.stringContaining('cannot be had') } });
    expect(faults).toHaveLength(1);
    isThere = true;
    expect((await send()).status).toBe(200);
    const unknown = new RequestSigner({ kid: 'another', secret: RING.active('response-signature').secret });
    for (let n = 0; n < 5; n++) expect((await send({ signer: unknown })).status).toBe(401);
    expect([(await send()).status, asked]).toEqual([200, 2]);
  } finally {
    mace.close();
  }
});

it('ends a turn in its time, and lets the agent know', async () => {
  let ended: unknown;
  await serve({
    answer: (_, signal) => {
      signal.addEventListener('abort', () => (ended = (signal.reason as Error).message));
      return new Promise<string>(() => undefined);
    },
  });
  const late = await send({ body: JSON.stringify({ ...TURN, limits: { timeout_ms: 20, tokens: 1 } }) });
  expect([late.status, late.body, ended]).toEqual([
    504,
    { error: 'the time of the turn is over' },
    'the time of the turn is over',
  ]);
});

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('secret stack');
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret stack'))],
  ['gives no text', () => ({ answer: 'secret stack' })],
  ['gives nothing', () => undefined],
  ['gives too much', () => 'x'.repeat(300_000)],
])('where the agent %s it is told on its own side, and to MACE that it failed', async (_, answer) => {
  await serve({ answer: answer as AgentOptions['answer'] });
  expect(await send()).toMatchObject({ status: 500, body: { error: 'the agent failed; its own log says why' } });
  expect(faults).toHaveLength(1);
});

it('keeps a connection longer than MACE does, which would else send a turn into one that is just closed', async () => {
  await serve();
  expect((await send({ headers: { connection: 'keep-alive' } })).headers.get('keep-alive')).toBe('timeout=65');
});

it('says that it is well, and what it serves, to anybody', async () => {
  await serve({ secret: 's3cret' });
  const health = await fetch(new URL('health', agent.url));
  expect([health.status, await health.json()]).toEqual([
    200,
    { status: 'ok', contract: '1', capabilities: ['creative'] },
  ]);
  expect((await fetch(agent.url)).status).toBe(405);
});

it('signs its answer to this very request with its key, named by its thumbprint', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await serve({ signWith: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string });
  const nonceOf = () =>
    SIGNER.headersFor(
      {
        method: 'POST',
        url: new URL(agent.url),
        fields: { 'content-type': 'application/json', 'mace-agent-contract': '1' },
        body: JSON.stringify(TURN),
      },
      'n-1',
      Date.now(),
    );
  const sent = nonceOf();
  const { headers, body } = await send({ signer: null, headers: { ...sent } });
  const { x } = publicKey.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const [, params] = /^agent=(.*)$/.exec(headers.get('signature-input')!)!;
  expect(params).toMatch(
    /^\("@status" "content-digest" "signature";req\);created=\d+;keyid="([\w-]{43})";alg="ed25519"$/,
  );
  expect([agent.publicKey, params]).toEqual([x, expect.stringContaining(`keyid="${thumbprint}"`)]);
  const digest = contentDigest(JSON.stringify(body));
  expect(headers.get('content-digest')).toBe(digest);
  const base = [
    '"@status": 200',
    `"content-digest": ${digest}`,
    `"signature";req: ${sent.signature}`,
    `"@signature-params": ${params}`,
  ];
  const signature = Buffer.from(/^agent=:(.*):$/.exec(headers.get('signature')!)![1]!, 'base64');
  expect(
    verify(
      null,
      Buffer.from(base.join('\n')),
      createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
      signature,
    ),
  ).toBe(true);
});

it.each<[Partial<AgentOptions>, RegExp]>([
  [{ mace: 'localhost:3000' }, /^mace: an address such as/],
  [{ publicUrl: 'agents.example' }, /^publicUrl: an address/],
  [{ signWith: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }, /^signWith: a private key of Ed25519/],
])('refuses options before it listens: %j', async (options, message) => {
  await serve();
  await expect(serveAgent({ capabilities: [], answer: () => '', port: 0, ...options })).rejects.toThrow(message);
});
