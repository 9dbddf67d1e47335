import { createPublicKey, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import {
  type AgentCard,
  type Artifact,
  SendMessageRequest,
  type Task,
  TaskState,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import { type Client, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import canonicalize from 'canonicalize';

import type { ErrorEnvelope, JsonObject } from '#lib/kernel';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Asked by the SDK's own client over a socket, and by hand where a client sends nothing wrong. */

let app: JobApp;
let url: string;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open({}, { MACE_RATE_LIMIT: '200/3600' });
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.parts.app.fastify.server.address() as AddressInfo).port}/`;
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

/** The SDK's client, with somebody's token. */
async function clientOf(userId: string): Promise<Client> {
  const token = await app.token(userId);
  const fetchImpl: typeof fetch = (target, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(target, { ...init, headers });
  };
  const transports = [new JsonRpcTransportFactory({ fetchImpl })];
  return new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports })).createFromUrl(
    url,
  );
}

let messages = 0;
function said(text: string, more: JsonObject = {}, configuration: JsonObject = {}) {
  const message = { messageId: `m-${messages++}`, role: 'ROLE_USER', parts: [{ text }], ...more };
  return SendMessageRequest.fromJSON({ message, configuration });
}

interface Rpc {
  readonly id: unknown;
  readonly result?: { readonly task: JsonObject };
  readonly error?: { readonly code: number; readonly data: readonly [JsonObject, { readonly value: ErrorEnvelope }] };
}

const post = (method: string, params: unknown, headers: Record<string, string> = {}, by = tuff) =>
  by.send<Rpc>('POST', '/a2a', { jsonrpc: '2.0', id: 7, method, params }, { 'a2a-version': '1.0', ...headers });

function told({ artifacts }: Task): readonly [string, JsonObject] {
  const [answer, facts] = (artifacts[0] as Artifact).parts.map(({ content }) => content!.value as unknown);
  return [answer as string, facts as JsonObject];
}

it('answers a message as a job: the task is the job, its artifact the answer with job_id and verdict', async () => {
  const client = await clientOf('tuff');
  const task = (await client.sendMessage(said('What is 12.5% of 80?', { contextId: 'talk-1' }))) as Task;
  const [answer, facts] = told(task);
  const { body } = await tuff.get(`/jobs/${encodeURIComponent(task.id)}`);
  expect(task).toMatchObject({
    id: body.job_id,
    contextId: 'talk-1',
    status: { state: TaskState.TASK_STATE_COMPLETED },
  });
  expect(answer).toBe(body.final_answer);
  expect(facts).toMatchObject({ job_id: body.job_id, log_id: body.log_id, verdict: 'completed', confidence: 1 });
  expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
  await app.whileClosed(() => undefined);
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: Number(new URL(url).port) });
  expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
});

it('takes a message that comes again for the same, and its id with other words for wrong', async () => {
  const client = await clientOf('tuff');
  const again = said('What is 2 + 2?');
  const [one, two] = [(await client.sendMessage(again)) as Task, (await client.sendMessage(again)) as Task];
  expect(two).toEqual(one);
  const { messageId } = again.message!;
  const { body } = await post('SendMessage', {
    message: { messageId, role: 'ROLE_USER', parts: [{ text: 'Other?' }] },
  });
  expect(body.error).toMatchObject({ code: -32602, data: [{}, { value: { error_code: 'IDEMPOTENCY_KEY_REUSED' } }] });
});

it('goes on with what is asked without waiting, and tells of it later', async () => {
  const client = await clientOf('tuff');
  const begun = (await client.sendMessage(said('What is 3 + 4?', {}, { returnImmediately: true }))) as Task;
  let task = begun;
  while (task.status?.state === TaskState.TASK_STATE_WORKING) task = await client.getTask({ tenant: '', id: begun.id });
  expect(told(task)[0]).toContain('7');
});

it('has a job without an answer as a task that failed, and one that privacy forbids as rejected', async () => {
  const client = await clientOf('tuff');
  const missed = (await client.sendMessage(said('What is my favorite food?'))) as Task;
  const blocked = (await client.sendMessage(said('My SSN is 123-45-6789, remember it'))) as Task;
  const codes = [missed, blocked].map(
    ({ status }) => (status!.message!.parts[1]!.content!.value as JsonObject).error_code,
  );
  expect([missed, blocked].map(({ status }) => status!.state)).toEqual([
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_REJECTED,
  ]);
  expect(codes).toEqual(['SEM_NOT_FOUND', 'PRIVACY_BLOCKED']);
  expect(await client.getTask({ tenant: '', id: missed.id })).toEqual(missed);
});

it('cancels nothing, and says so of one’s own tasks alone: another person’s is not there', async () => {
  const task = (await (await clientOf('tuff')).sendMessage(said('What is 5 + 5?'))) as Task;
  const eve = await app.caller('eve');
  const name = { id: task.id };
  const answers = await Promise.all([
    post('CancelTask', name),
    post('CancelTask', name, {}, eve),
    post('GetTask', name, {}, eve),
    post(
      'SendMessage',
      { message: { messageId: 'm', taskId: task.id, role: 'ROLE_USER', parts: [{ text: 'x' }] } },
      {},
      eve,
    ),
    post('GetTask', { id: 'job:00000000000000000000000000000000' }, {}, eve),
    post('SendMessage', { message: { messageId: 'm', taskId: task.id, role: 'ROLE_USER', parts: [{ text: 'x' }] } }),
  ]);
  expect(answers.map(({ body }) => body.error!.code)).toEqual([-32002, -32001, -32001, -32001, -32001, -32004]);
  expect(answers.map(({ body }) => body.error!.data[0].reason)).toEqual([
    'TASK_NOT_CANCELABLE',
    ...Array<string>(4).fill('TASK_NOT_FOUND'),
    'UNSUPPORTED_OPERATION',
  ]);
});

type Fields = Record<string, string>;
type Wrong = [string, number, string, unknown, Fields?];
type Early = [string, number, string | object, Fields?];

it.each<Wrong>([
  ['no such method', -32601, 'NoSuch', {}],
  ['a method of 0.3', -32601, 'message/send', {}],
  ['no message', -32602, 'SendMessage', {}],
  ['a message that is none', -32602, 'SendMessage', { message: 5 }],
  ['no id of the message', -32602, 'SendMessage', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
  ['no parts', -32602, 'SendMessage', { message: { messageId: 'a', role: 'ROLE_USER', parts: [] } }],
  ['no role', -32602, 'SendMessage', { message: { messageId: 'a', parts: [{ text: 'x' }] } }],
  [
    'a text that is too long',
    -32602,
    'SendMessage',
    { message: { messageId: 'b', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(9000) }] } },
  ],
  [
    'a file',
    -32005,
    'SendMessage',
    { message: { messageId: 'a', role: 'ROLE_USER', parts: [{ url: 'http://127.0.0.1/' }] } },
  ],
  [
    'an answer as a picture',
    -32005,
    'SendMessage',
    {
      message: { messageId: 'a', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      configuration: { acceptedOutputModes: ['image/png'] },
    },
  ],
  ['a stream', -32004, 'SendStreamingMessage', {}],
  ['a list of tasks', -32004, 'ListTasks', {}],
  ['a notification', -32003, 'CreateTaskPushNotificationConfig', { taskId: 'x', url: 'http://127.0.0.1/' }],
  ['a history of less than nothing', -32602, 'GetTask', { id: 'x', historyLength: -1 }],
  ['version 0.3, which a request without a version is of', -32009, 'GetTask', { id: 'x' }, { 'a2a-version': '' }],
])(
  'refuses %s with the code of A2A and the envelope, and no stack',
  async (...[, code, method, params, headers]: Wrong) => {
    const { status, body } = await post(method, params, headers);
    expect([status, body.id, body.error?.code]).toEqual([200, 7, code]);
    expect(body.error!.data[1].value).toMatchObject({
      error_code: 'INVALID_INPUT',
      meta: { trace_id: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toMatch(/\.js|at .*\(|undefined/);
  },
);

it.each<Early>([
  ['what is no JSON', -32700, '{"jsonrpc":'],
  ['another content type', -32005, '{}', { 'content-type': 'text/plain' }],
  ['a batch', -32600, []],
  ['no method', -32600, { jsonrpc: '2.0', id: 1 }],
  ['JSON-RPC 1', -32600, { jsonrpc: '1.0', id: 1, method: 'GetTask' }],
  ['parameters in a list', -32600, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: [] }],
  ['more than fits', -32700, { jsonrpc: '2.0', method: 'GetTask', params: { id: 'x'.repeat(300_000) } }],
])('refuses %s before any method, signed as any answer', async (...[, code, body, headers]: Early) => {
  const answer = await tuff.send<Rpc>('POST', '/a2a', body, { 'a2a-version': '1.0', ...headers });
  expect(answer).toMatchObject({ status: 200, body: { id: null, error: { code } } });
  expect(answer.body.error!.data[1].value.error_code).toBe('INVALID_INPUT');
  expect(answer.headers).toMatchObject({
    signature: expect.any(String),
    'content-security-policy': expect.any(String),
  });
});

it('carries out a notification, and answers none, also where it fails, as JSON-RPC has it', async () => {
  const note = async (method: string, params: object) => {
    const headers = { authorization: `Bearer ${await app.token('tuff')}`, 'a2a-version': '1.0' };
    const payload = { jsonrpc: '2.0', method, params };
    const answer = await app.parts.app.fastify.inject({ method: 'POST', url: '/a2a', headers, payload });
    return [answer.statusCode, answer.payload];
  };
  const message = { messageId: 'note', role: 'ROLE_USER', parts: [{ text: 'What is 1 + 1?' }] };
  expect([await note('SendMessage', { message }), await note('NoMethod', {})]).toEqual([
    [204, ''],
    [204, ''],
  ]);
  const { body } = await post('SendMessage', { message: { ...message, parts: [{ text: 'What is 2 + 2?' }] } });
  expect(body.error!.data[1].value.error_code).toBe('IDEMPOTENCY_KEY_REUSED');
});

it('asks who is asking before all else, as REST does', async () => {
  const { status, body, headers } = await tuff.send<ErrorEnvelope>('POST', '/a2a', '{', { authorization: 'Bearer x' });
  expect([status, body.error_code, headers['www-authenticate']]).toEqual([
    401,
    'UNAUTHENTICATED',
    'Bearer realm="mace"',
  ]);
});

it('shows a card whose signature holds over its plain JSON, and for the SDK, by a key that is published', async () => {
  const card = (await (await fetch(`${url}.well-known/agent-card.json`)).json()) as JsonObject;
  const { signatures, ...signed } = card as JsonObject & { signatures: [{ protected: string; signature: string }] };
  const { keys } = (await (await fetch(`${url}.well-known/jwks.json`)).json()) as { keys: JsonObject[] };
  const [{ protected: header, signature }] = signatures;
  const { kid, jku, alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, string>;
  const key = keys.find((one) => one['kid'] === kid) as never;
  const isSigned = (text: object) => {
    const base = Buffer.from(`${header}.${Buffer.from(canonicalize(text)!).toString('base64url')}`);
    const publicKey = createPublicKey({ key, format: 'jwk' });
    return verify(null, base, publicKey, Buffer.from(signature, 'base64url'));
  };
  expect([alg, jku]).toEqual(['EdDSA', `${url}.well-known/jwks.json`]);
  expect([isSigned(signed), isSigned({ ...signed, description: 'another' })]).toEqual([true, false]);
  const bySdk = verifyAgentCardSignature(() => Promise.resolve(key));
  await bySdk(card as unknown as AgentCard);
});

it('answers of a thousand calls at once those within the limit of rates, and says to the others when to come again', async () => {
  const mob = await app.caller('mob');
  await mob.get('/auth/session');
  const asked = Array.from({ length: 1000 }, (_, n) =>
    post('SendMessage', { message: { messageId: `k-${n}`, role: 'ROLE_USER', parts: [{ text: '1 + 1?' }] } }, {}, mob),
  );
  const answers = await Promise.all(asked);
  const done = answers.filter(({ status, body }) => status === 200 && body.result !== undefined);
  const limited = answers.filter(({ status, headers }) => status === 429 && 'retry-after' in headers);
  expect([done.length, limited.length]).toEqual([199, 801]);
});
