import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ServiceError, status } from '@grpc/grpc-js';
import { buildSchema } from 'graphql';

import { keyFileIn, readKeyFile, type Role, ROLES, signToken } from '#lib/access';
import { isErased } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';
import { openDatabase } from '#lib/sqlite';

import { mace as ranHere } from '../../apps/cli/src/testing/mace.js';
import { GraphqlSocket } from '../../apps/api/src/graphql/testing/socket.js';
import { CANARIES, CANARY_TEXT, SECRET_WORD, showing, showingIn } from '../support/canaries.js';
import { Collector } from '../support/collector.js';
import { everyCommand, type ListedCommand } from '../support/command-line.js';
import { describeEmbedded, NO_RESTORE } from '../support/event-store-for-tests.js';
import { everyArgument } from '../support/every-argument.js';
import { everyRoomCall } from '../support/every-call.js';
import { type Attempt, everyEntrance, type OpenApiDocument } from '../support/every-entrance.js';
import { until } from '../support/eventually.js';
import { inside, movableClock } from '../support/inside-server.js';
import { JobApp } from '../support/job-app.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { resign } from '../support/resigning.js';
import { proposalBy, type RoomAnswer, RoomClient } from '../support/room-client.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

jest.setTimeout(900_000);

/** What the server sends to agents elsewhere, and nobody else is told. */
const AGENT_SECRET = 'bearerofquincunxzymurgy41';
const VALUES = [...Object.values(CANARIES), AGENT_SECRET];
/** Requests under way at a time: while one is answered, others are looked through. */
const AT_ONCE = 4;
const ROOM = /takes gRPC calls[^\n]* port=(\d+)/;
const CLI = join(process.cwd(), 'dist/mace/main.js');

interface Leak {
  readonly place: string;
  readonly status: number;
  readonly shows: readonly string[];
}

let folder: string;
/** The folder as it was before anybody was erased. */
let copy: string;
/** Where the server is told to put what is only for a while. */
let scratch: string;
let server: ServedProcess;
/** Whom the server tells what it does. */
let collector: Collector;
/** Data keys of somebody who is erased, as they were stored. */
let wrapped: readonly string[];
let owner: string;
let everyRole: string;
let attempts: readonly Attempt[];
const leaks: Leak[] = [];
const statuses = new Set<number>();
/** Where the server failed otherwise than by a store out of reach. */
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mace-canary-'));
  copy = `${folder}-copy`;
  scratch = await mkdtemp(join(tmpdir(), 'mace-scratch-'));
  collector = await Collector.start();
  server = await serve();
  owner = tokenFor(folder, 'tuff', 'user');
  tokenFor(folder, 'root', ROLES.join(','));
  everyRole = await elevated('root', ROLES);
});
afterAll(async () => {
  await server.kill();
  await collector.close();
  for (const path of [folder, copy, scratch]) await rm(path, { recursive: true, force: true });
});

function serve(): Promise<ServedProcess> {
  const traces = { ...collector.settings, OTEL_BSP_SCHEDULE_DELAY: '100' };
  return ServedProcess.start(folder, {
    MACE_LOG_LEVEL: 'debug',
    MACE_AGENT_HOSTS: 'localhost',
    MACE_AGENT_SECRET_CANARY: AGENT_SECRET,
    TMPDIR: scratch,
    ...traces,
    ...inside(movableClock()),
  });
}

/** A token with a second factor, as a step-up gives it. */
async function elevated(userId: string, roles: readonly Role[]): Promise<string> {
  const ring = new KeyRing(readKeyFile(keyFileIn(folder)));
  const names = { issuer: 'mace', audience: 'mace' };
  return signToken(ring, { ...names, userId, roles, ttlSeconds: 3600, now: Date.now(), amr: ['otp'] });
}

async function call(token: string, { method, path, headers, body }: Omit<Attempt, 'place' | 'text'>) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...EACH_ITS_OWN,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await textOf(response);
  return { status: response.status, text, all: `${[...response.headers].join('\n')}\n${text}` };
}

/** A stream of events has no end: what it begins with is looked at. */
async function textOf(response: Response): Promise<string> {
  const { body } = response;
  if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

async function send(token: string, method: string, path: string, body?: unknown) {
  const attempt = { method, path, headers: {}, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { status, text } = await call(token, attempt);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

/** Whether a place is read as what it says, and not kept or dropped as a whole. */
function mayReadIt({ method, place }: Attempt): boolean {
  return method !== 'HEAD' && !place.includes(' header.');
}

/** Signing out voids the token that it comes with. */
function endsItsToken({ place }: Attempt): boolean {
  return place.startsWith('DELETE /console/session');
}

/** Takes of what is left until nothing is. */
async function sendAll(left: Iterable<Attempt>): Promise<void> {
  for (const attempt of left) {
    const tokens = endsItsToken(attempt)
      ? [await elevated('root', ROLES)]
      : attempt.text === CANARY_TEXT && attempt.method !== 'HEAD'
        ? [owner, everyRole]
        : [everyRole];
    for (const token of tokens) {
      const { status, all } = await call(token, attempt);
      statuses.add(status);
      if (status >= 500 && status !== 503) faults.push(`${status} ${attempt.place}`);
      const shows = showing(Buffer.from(all), VALUES);
      if (shows.length > 0) leaks.push({ place: attempt.place, status, shows });
    }
  }
}

describe('personal values through every entrance', () => {
  it('take every operation of the OpenAPI document, each of its fields, headers, paths and malformed bodies', async () => {
    const job = (await send(owner, 'POST', '/jobs', { query_text: '6 * 7' })).body;
    const put = await send(owner, 'PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const asked = await send(everyRole, 'POST', '/modules/agent:creative_v1/restore', {});
    expect([job['status'], put.status, asked.status]).toEqual(['completed', 200, 409]);
    const known = {
      job_id: job['job_id'] as string,
      log_id: job['log_id'] as string,
      event_id: put.body['event_id'] as string,
      snapshot_id: (job['snapshots'] as Record<string, string>)['brainstate']!,
      node_id: 'agent:math_v1',
      scope: 'user',
      entity_type: 'profile',
      entity_id: 'user_tuff',
      attribute: 'favorite_color',
      name: 'jobs',
      stream: `job-${job['job_id'] as string}`,
    };
    const document = (await send(owner, 'GET', '/openapi.json')).body as unknown as OpenApiDocument;
    // All of them at once, and by itself each kind of form that a path, a query or a body might take for something else:
    // one with separators, one that could be a name.
    const forms = [CANARIES.us_ssn, CANARIES.iban].flatMap((text) => everyEntrance(document, known, text));
    const [all, alone] = [everyEntrance(document, known, CANARY_TEXT), forms.filter(mayReadIt)];
    expect([all.length > 1000, alone.length > 1000]).toEqual([true, true]);
    const places = new Set(all.map(({ place }) => place));
    for (const unshown of ['POST /replay/request body/mocks/0/reply', 'POST /jobs body/job_seed']) {
      expect([unshown, places.has(unshown)]).toEqual([unshown, true]);
    }
    attempts = [...all, ...alone];
    const operations = Object.entries(document.paths).flatMap(([path, one]) =>
      Object.keys(one).flatMap((method) =>
        method === 'get' ? [`GET ${path}`, `HEAD ${path}`] : [`${method.toUpperCase()} ${path}`],
      ),
    );
    expect(new Set(attempts.map(({ place }) => place.split(' ').slice(0, 2).join(' ')))).toEqual(new Set(operations));
  });

  it('are answered, by errors and successes alike, without being repeated', async () => {
    const left = attempts.values();
    await Promise.all(Array.from({ length: AT_ONCE }, () => sendAll(left)));
    expect(leaks).toEqual([]);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
    expect(faults).toEqual([]);
  });

  it('come in by every message and every piece of metadata of gRPC too, and are not repeated', async () => {
    await until(() => Promise.resolve(ROOM.test(server.log())), 'the Negotiation Room');
    const room = new RoomClient(Number(ROOM.exec(server.log())![1]), () => everyRole);
    await room.call('maker', 'SubmitProposal', proposalBy('root', 'canary-first', ['ann']));
    const critic = new RoomClient(Number(ROOM.exec(server.log())![1]), () => elevated('ann', ['agent']));
    const shown: string[] = [];
    const told = new Map<string, number>();
    for (const [client, who, artifact] of [
      [room, 'root', 'canary-first'] as const,
      [critic, 'ann', 'canary-first'] as const,
    ]) {
      for (const text of [CANARY_TEXT, CANARIES.us_ssn, CANARIES.email])
        for (const { place, method, message, metadata } of everyRoomCall(who, artifact, text)) {
          const { status, all } = await said(client.call(who, method, message, { metadata }));
          told.set(status, (told.get(status) ?? 0) + 1);
          if (showing(Buffer.from(all), VALUES).length > 0) shown.push(place);
        }
    }
    expect(shown).toEqual([]);
    expect([...told.keys()].sort()).toEqual(expect.arrayContaining(['INVALID_ARGUMENT', 'OK', 'UNAUTHENTICATED']));
    expect([told.get('INTERNAL'), told.get('UNKNOWN')]).toEqual([undefined, undefined]);
    room.close();
    critic.close();
  });

  it('come in by every argument of every field of GraphQL too, and are not repeated', async () => {
    const schema = buildSchema(readFileSync('docs/schema.graphql', 'utf8'));
    const known = { scope: 'user', entity_type: 'profile', entity_id: 'user_tuff', attribute: 'favorite_color' };
    const all = [CANARY_TEXT, CANARIES.us_ssn].flatMap((text) => everyArgument(schema, known, text));
    const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
      Object.values(root.getFields()).filter(({ args }) => args.length > 0),
    );
    expect(new Set(all.map(({ place }) => place.split('(')[0]))).toEqual(new Set(fields.map(({ name }) => name)));
    const [shown, told]: [string[], Set<string>] = [[], new Set()];
    const left = all.values();
    const askAll = async (): Promise<void> => {
      for (const { place, query, variables } of left) {
        const body = JSON.stringify({ query, variables });
        const { status, all: answer } = await call(everyRole, { method: 'POST', path: '/graphql', headers: {}, body });
        told.add(`${status} ${/"error_code":"(\w+)"/.exec(answer)?.[1] ?? 'none'}`);
        if (showing(Buffer.from(answer), VALUES).length > 0) shown.push(place);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askAll));
    expect(shown).toEqual([]);
    expect([...told]).toEqual(
      expect.arrayContaining(['200 none', '200 PRIVACY_BLOCKED', '200 INVALID_INPUT', '200 NOT_FOUND']),
    );
  });

  it('come in by every place of a request of A2A too, and are not repeated', async () => {
    const told = new Set<string>();
    for (const text of [CANARY_TEXT, CANARIES.us_ssn, CANARIES.email]) {
      const message = { messageId: 'canary', role: 'ROLE_USER', parts: [{ text: '6 * 7' }] };
      const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      const saying = (more: object): object => ({ ...rpc, params: { message: { ...message, ...more } } });
      const tries: readonly object[] = [
        { ...rpc, id: text },
        { ...rpc, method: text },
        { ...rpc, [text]: text },
        saying({ parts: [{ text }] }),
        saying({ parts: [{ url: text }, { data: { [text]: text } }], metadata: { [text]: text } }),
        ...['messageId', 'contextId', 'taskId', 'role'].map((name) => saying({ [name]: text })),
        { ...rpc, params: { message, tenant: text, configuration: { acceptedOutputModes: [text] } } },
        ...['GetTask', 'CancelTask'].map((method) => ({ ...rpc, method, params: { id: text } })),
      ];
      for (const one of tries) {
        const asked = { method: 'POST', path: '/a2a', headers: { 'a2a-version': '1.0' }, body: JSON.stringify(one) };
        const { all } = await call(owner, asked);
        told.add(/"error_code":"(\w+)"/.exec(all)?.[1] ?? 'none');
        expect([one, showing(Buffer.from(all), VALUES)]).toEqual([one, []]);
      }
    }
    expect([...told]).toEqual(expect.arrayContaining(['PRIVACY_BLOCKED', 'INVALID_INPUT']));
  });

  it('come in by every argument of every tool of MCP too, and by every place of its messages, and are not repeated', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} };
    const ask = async (message: object, more: Record<string, string> = {}): Promise<string> =>
      (
        await call(everyRole, {
          method: 'POST',
          path: '/mcp',
          headers: { ...headers, ...more },
          body: JSON.stringify(message),
        })
      ).all;
    const listed = await call(everyRole, {
      method: 'POST',
      path: '/mcp',
      headers,
      body: JSON.stringify({ ...rpc, method: 'tools/list' }),
    });
    interface Tool {
      readonly name: string;
      readonly inputSchema: { readonly properties: object; readonly required: readonly string[] };
    }
    const { tools } = (JSON.parse(listed.text) as { result: { tools: readonly Tool[] } }).result;
    expect(tools.length).toBe(11);
    const known: Readonly<Record<string, unknown>> = {
      key: 'user/profile/user_tuff/favorite_color',
      value: 'blue',
      kind: 'sem_put',
      payload: {},
    };
    const told = new Set<string>();
    for (const text of [CANARY_TEXT, CANARIES.us_ssn]) {
      const calls = tools.flatMap(({ name, inputSchema: { properties, required } }) =>
        [...Object.keys(properties), 'unknown', text].map((at) => {
          const sound = Object.fromEntries(required.map((one) => [one, known[one] ?? 'none']));
          const given = at === 'key' ? `user/profile/user_tuff/${text}` : text;
          return { ...rpc, params: { name, arguments: { ...sound, [at]: given } } };
        }),
      );
      const uris = ['mace://jobs/', 'mace://memory/user/profile/user_tuff/', ''].map(
        (uri) => uri + encodeURIComponent(text),
      );
      const others = [
        { ...rpc, id: text },
        { ...rpc, method: text },
        { ...rpc, [text]: text },
        { ...rpc, params: { name: text } },
        { ...rpc, params: { name: 'recall', arguments: text } },
        {
          ...rpc,
          method: 'initialize',
          params: { protocolVersion: text, capabilities: {}, clientInfo: { name: text, version: text } },
        },
        { ...rpc, params: { name: 'recall', _meta: { 'io.modelcontextprotocol/protocolVersion': text } } },
        { ...rpc, method: 'resources/list', params: { cursor: text } },
        ...uris.map((uri) => ({ ...rpc, method: 'resources/read', params: { uri } })),
      ];
      for (const one of [...calls, ...others]) {
        const answer = await ask(one);
        told.add(/"error_code":"(\w+)"/.exec(answer)?.[1] ?? 'none');
        expect([one, showing(Buffer.from(answer), VALUES)]).toEqual([one, []]);
      }
      for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name'])
        expect(showing(Buffer.from(await ask(rpc, { [name]: encodeURIComponent(text) })), VALUES)).toEqual([]);
    }
    expect([...told]).toEqual(expect.arrayContaining(['PRIVACY_BLOCKED', 'INVALID_INPUT', 'none']));
  });

  it('come in by every place of a socket of GraphQL too, and are repeated neither in a message nor at its end', async () => {
    const authorization = `Bearer ${everyRole}`;
    const follow = (given: string): string => `subscription { eventTail(${given}) { __typename } }`;
    const quoted = (text: string): string => JSON.stringify(text);
    for (const text of [CANARY_TEXT, CANARIES.us_ssn, CANARIES.email]) {
      const said = {
        type: 'connection_init',
        payload: { authorization, [text]: text, headers: { 'x-trace-id': text } },
      };
      const subscribe = (payload: object, id = '1'): object => ({ type: 'subscribe', id, payload });
      const tries: readonly (readonly [object, ...unknown[]])[] = [
        [{ type: 'connection_init', payload: { authorization: `Bearer ${text}` } }],
        [{ type: text, payload: text }],
        [said, { type: 'ping', payload: { [text]: text } }, subscribe({ query: text })],
        [said, subscribe({ query: follow('follow: false') }, text)],
        [said, subscribe({ query: follow(`after: ${quoted(text)}`) })],
        [said, subscribe({ query: follow(`stream: ${quoted(text)}, follow: false`) })],
        [said, subscribe({ query: follow(`types: ${quoted(text)}`) })],
        [said, subscribe({ query: follow('follow: $a').replace('{', '($a: Boolean) {'), variables: { a: text } })],
        [said, subscribe({ query: follow('follow: false'), operationName: text, extensions: { [text]: text } })],
        [said, subscribe({ query: `subscription { jobProgress(job_id: ${quoted(text)}) { __typename } }` })],
        [said, text],
      ];
      for (const messages of tries) {
        const socket = await GraphqlSocket.open(server.url, EACH_ITS_OWN);
        for (const message of messages) socket.say(message);
        await until(() =>
          Promise.resolve(socket.closed !== undefined || socket.has('complete') || socket.has('error')),
        );
        expect([messages, showing(Buffer.from(JSON.stringify([socket.sent, socket.closed])), VALUES)]).toEqual([
          messages,
          [],
        ]);
        expect([1011, 1006]).not.toContain(socket.closed?.code);
        socket.close();
      }
    }
  });

  it('come in by unknown paths too', async () => {
    for (const value of [CANARY_TEXT, ...VALUES]) {
      const path = `/${encodeURIComponent(value)}`;
      for (const at of [path, `/jobs${path}/none`, `/%zz${path}`, `/docs${path}`, `/console${path}`]) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'PATCH']) {
          const { all } = await call(owner, { method, path: at, headers: {} });
          expect(showing(Buffer.from(all), VALUES)).toEqual([]);
        }
      }
    }
  });

  it('show in no file of the data folder while the server runs', () => {
    expect(showingIn(folder, VALUES)).toEqual([]);
  });

  it('show nowhere in what the server wrote at its most talkative', () => {
    expect(server.log()).toContain('POST /jobs');
    expect(showing(Buffer.from(server.log()), VALUES)).toEqual([]);
  });

  it('show in no event of the whole log to who follows it', async () => {
    for (const roles of [ROLES, ['operator'], ['agent']] as const) {
      const path = '/events/tail?last_event_id=0&follow=false';
      const authorization = `Bearer ${await elevated('root', roles)}`;
      const response = await fetch(server.url + path, { headers: { authorization, ...EACH_ITS_OWN } });
      const all = await response.text();
      expect([response.status, all.includes('up_to_date')]).toEqual([200, true]);
      expect(showing(Buffer.from(all), VALUES)).toEqual([]);
      const socket = await GraphqlSocket.of(server.url, await elevated('root', roles));
      const event = '... on AuditEventRow { stream type actor { id } trace_id data }';
      const query = `subscription { eventTail(after: "0", follow: false) { __typename ${event} ... on LiveEnded { reason } } }`;
      socket.subscribe('1', query);
      expect((await socket.whole('1')).at(-1)).toMatchObject({ reason: 'up_to_date' });
      expect(showing(Buffer.from(JSON.stringify(socket.sent)), VALUES)).toEqual([]);
      socket.close();
    }
  });

  it('show in no label of what the server counts', async () => {
    const { status, text } = await call(owner, { method: 'GET', path: '/metrics', headers: {} });
    expect([status, text]).toEqual([200, expect.stringContaining('route="/sem/:scope/:entity_type')]);
    expect(showing(Buffer.from(text), [...VALUES, 'user_tuff'])).toEqual([]);
  });
});

describe('agents elsewhere', () => {
  interface Said {
    readonly status?: number;
    readonly text: string;
  }
  type Saying = (
    said: Partial<Record<'outcome' | 'text', string>> & { readonly reasoning_trace?: string[] },
  ) => typeof answer;
  const LEAK = `${CANARY_TEXT}, ${AGENT_SECRET}`;
  const seen: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const jobs: string[] = [];
  let answer: (id: unknown) => Said;
  const agent = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const at = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/rpc`;
      const rpc = { url: at, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
      const card = { name: CANARY_TEXT, version: '1.0.0', supportedInterfaces: [rpc] };
      if (request.method === 'GET') return void response.end(JSON.stringify(card));
      seen.push({ headers: request.headers, body });
      const { status = 200, text } = answer((JSON.parse(body) as { id?: unknown }).id);
      response.writeHead(status, { 'x-said': LEAK }).end(text);
    });
  });

  beforeAll(() => new Promise<void>((done) => agent.listen(0, '127.0.0.1', done)));
  afterAll(() => {
    agent.closeAllConnections();
    agent.close();
  });

  const KINDS = [
    ['http', 'agent:poet_v1', 'creative', 'Write a poem about rain', httpSaying],
    ['a2a', 'agent:planner_v1', 'strategy', 'Plan the launch of a product', a2aSaying],
  ] as const;

  function httpSaying(said: Parameters<Saying>[0]): typeof answer {
    return () => ({ text: JSON.stringify({ outcome: 'answer', text: 'Rain on the pane.', confidence: 0.9, ...said }) });
  }

  function a2aSaying({ text = 'Launch it in spring.' }: Parameters<Saying>[0]): typeof answer {
    return (id) => ({ text: JSON.stringify({ jsonrpc: '2.0', id, result: { message: { parts: [{ text }] } } }) });
  }

  it.each(KINDS)('over %s are told nothing personal, and what they say of it is repeated nowhere', async (...given) => {
    const [kind, node_id, capability, query_text, saying] = given;
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
    const endpoint = { kind, url, secret_ref: 'MACE_AGENT_SECRET_CANARY' };
    const module = {
      node_id,
      type: 'agent',
      display_name: kind,
      version: '1.0.0',
      capabilities: [capability],
      endpoint,
    };
    const asked = await send(await elevated('root', ROLES), 'POST', '/module/register', module);
    expect(asked.status).toBe(202);
    const request = `/actionrequest/${String(asked.body['request_id'])}`;
    const { proposal_digest } = (await send(everyRole, 'GET', request)).body;
    for (const member of ['cora', 'carl', 'cleo'])
      await send(await elevated(member, ['council']), 'POST', `${request}/vote`, { vote: 'approve', proposal_digest });
    answer = saying({});
    await until(async () => {
      const { body } = await send(owner, 'POST', '/router/decide', { query_text });
      return (body['route_trace'] as { selected?: string } | undefined)?.selected === node_id;
    }, 'the route to it');

    const before = seen.length;
    const blocked = await send(owner, 'POST', '/jobs', { query_text: `${query_text}: ${CANARY_TEXT}` });
    expect([blocked.body['error_code'], seen.length]).toEqual(['PRIVACY_BLOCKED', before]);
    const failing: readonly (typeof answer)[] = [
      () => ({ status: 500, text: LEAK }),
      () => ({ text: LEAK }),
      (id) => ({ text: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32001, message: CANARY_TEXT } }) }),
      saying({ outcome: 'declined', text: CANARY_TEXT }),
      saying({ text: CANARY_TEXT, reasoning_trace: [CANARY_TEXT] }),
    ];
    for (const bad of failing)
      for (const one of [bad, saying({})]) {
        answer = one;
        const { status, text } = await call(owner, {
          method: 'POST',
          path: '/jobs',
          headers: {},
          body: JSON.stringify({ query_text }),
        });
        const body = JSON.parse(text) as { job_id?: string; meta?: { job_id: string } };
        jobs.push(body.job_id ?? body.meta!.job_id);
        expect([status, showing(Buffer.from(text), VALUES)]).toEqual([one === bad ? expect.any(Number) : 200, []]);
      }
    const requests = seen.slice(before);
    expect(requests.length).toBeGreaterThanOrEqual(2 * failing.length);
    for (const { headers, body } of requests) {
      expect(headers).toMatchObject({ authorization: `Bearer ${AGENT_SECRET}`, 'signature-input': expect.any(String) });
      expect(
        showing(Buffer.from(JSON.stringify([{ ...headers, authorization: '' }, body])), [...VALUES, 'user_tuff']),
      ).toEqual([]);
    }
  });

  it('show in no event, bundle, file, line of the log or metric what they said or are told as a secret', async () => {
    expect(jobs).toHaveLength(20);
    for (const job of jobs) {
      for (const path of [`/jobs/${job}/events`, `/jobs/${job}`]) {
        const { all } = await call(everyRole, { method: 'GET', path, headers: {} });
        expect([path, showing(Buffer.from(all), VALUES)]).toEqual([path, []]);
      }
    }
    const bundle = join(scratch, 'bundle');
    const { code, said } = await mace('bundle', jobs[0]!, '-o', bundle);
    expect([code, showing(Buffer.from(said), VALUES)]).toEqual([0, []]);
    expect(showing(readFileSync(bundle), VALUES)).toEqual([]);
    const authorization = `Bearer ${everyRole}`;
    const path = '/events/tail?last_event_id=0&follow=false';
    const tail = await (await fetch(server.url + path, { headers: { authorization, ...EACH_ITS_OWN } })).text();
    const metrics = await call(owner, { method: 'GET', path: '/metrics', headers: {} });
    const modules = await call(everyRole, { method: 'GET', path: '/modules', headers: {} });
    for (const one of ['RemoteRpc32001', 'RemoteSecret']) expect(tail).toContain(one);
    for (const text of [tail, metrics.all, modules.all, server.log()])
      expect(showing(Buffer.from(text), VALUES)).toEqual([]);
    expect(showingIn(folder, VALUES)).toEqual([]);
  });
});

describe('what a person says, which no detector knows', () => {
  it('is in no file in plain, however it comes in', async () => {
    const said = `my secret instrument is ${SECRET_WORD}`;
    const remembered = await send(owner, 'POST', '/jobs', {
      query_text: `Remember that ${said}`,
      context_tags: { said },
    });
    const asked = await send(owner, 'POST', '/jobs', { query_text: said });
    const value = { value: SECRET_WORD, notes: said, meta: { said: [said] } };
    const put = await send(owner, 'PUT', '/sem/user/profile/user_tuff/favorite_band', value);
    const job = asked.body['job_id'] ?? (asked.body['meta'] as Record<string, unknown>)['job_id'];
    const rated = await send(owner, 'POST', `/jobs/${String(job)}/feedback`, { upvote: false, comment: said });
    const logId = (await send(owner, 'GET', `/jobs/${String(job)}`)).body['log_id'] as string;
    const amended = await send(owner, 'POST', `/reflective-logs/${logId}/amendments`, {
      effect: 'note',
      changes: { [SECRET_WORD]: said },
    });
    expect([remembered.status, put.status, rated.status, amended.status]).toEqual([200, 200, 200, 200]);
    expect(showingIn(folder, [SECRET_WORD])).toEqual([]);
    expect(showing(Buffer.from(server.log()), [SECRET_WORD])).toEqual([]);
    const metrics = await call(owner, { method: 'GET', path: '/metrics', headers: {} });
    expect(showing(Buffer.from(metrics.all), [SECRET_WORD])).toEqual([]);
    const read = await send(owner, 'GET', '/sem/user/profile/user_tuff/favorite_band');
    expect(read.body['value']).toBe(SECRET_WORD);
  });
});

describe('personal values as arguments of the command line', () => {
  const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
    ['ask', [CANARY_TEXT]],
    ['sem put', ['user/profile/user_tuff/favorite_color', CANARY_TEXT]],
    ['sem get', [`user/profile/user_tuff/${CANARIES.us_ssn}`]],
    ['audit event', [CANARIES.us_ssn]],
    ['incidents ack', ['inc-0123456789abcdef0123456789abcdef', '--note', CANARY_TEXT]],
    ['replay', [`job:${'0'.repeat(32)}`, '--mock', `creative_agent=${CANARY_TEXT}`]],
    ['replay show', [CANARIES.us_ssn]],
    ['bundle', [CANARIES.iban, '-o', join(tmpdir(), 'none', 'bundle')]],
    ['proof', [CANARIES.us_ssn]],
    ['token', ['--user', CANARIES.email, '--role', 'user']],
    ['jobs show', [CANARIES.iban]],
    ['jobs feedback', [CANARIES.us_ssn, 'up', '--comment', CANARY_TEXT]],
    ['reflective-logs amend', ['0'.repeat(64), 'note', JSON.stringify({ note: CANARY_TEXT })]],
    [
      'events failure',
      ['POLICY_VIOLATION', '--node', CANARIES.us_ssn, '--details', JSON.stringify({ action: CANARY_TEXT })],
    ],
    ['governance create', ['sem_put', JSON.stringify({ value: CANARY_TEXT }), '--justification', CANARY_TEXT]],
    ['auth revoke', [CANARIES.us_ssn]],
    ['sem delete', [`user/profile/user_tuff/${CANARIES.us_ssn}`]],
  ];

  it.each(COMMANDS)('are not repeated: mace %s', async (command, args) => {
    const { code, said } = await mace(...command.split(' '), ...args);
    expect(code).not.toBe(0);
    expect(showing(Buffer.from(said), VALUES)).toEqual([]);
  });

  /** What asks the server: the others look at files, show what they send to somebody else, or go on until they are ended. */
  const asks = ({ name }: ListedCommand): boolean =>
    !/^(?:serve|worker|witness|bench|tour|doctor|completion|verify|backup|restore|migrate|keys|eventstore|tail|mcp|agents try|privacy corpus|router corpus|jobs watch)\b/.test(
      name,
    );

  it('are not repeated by any command that asks the server, whichever of its words they are', async () => {
    const leaks: string[] = [];
    let tried = 0;
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (const { name, examples } of everyCommand().filter(asks)) {
      const [args = []] = examples;
      const words = name.split(' ').length;
      for (let at = words; at < args.length; at += 1) {
        if (args[at]!.startsWith('-') || ['-o', '--output', '--token'].includes(args[at - 1]!)) continue;
        for (const text of [CANARY_TEXT, CANARIES.iban]) {
          const given = args.map((word, i) => (i === at ? text : word)).filter((word) => word !== '--follow');
          said.mockClear();
          const { out, err } = await ranHere('--data', folder, '--token', everyRole, ...given);
          tried += 1;
          if (showing(Buffer.from([out, err, ...said.mock.calls].join('\n')), VALUES).length > 0)
            leaks.push(`mace ${name}: word ${at}`);
        }
      }
    }
    said.mockRestore();
    expect(leaks).toEqual([]);
    expect(tried).toBeGreaterThan(150);
  });

  it('show in no file of the data folder', () => {
    expect(showingIn(folder, VALUES)).toEqual([]);
  });
});

describe('a personal value that its owner consented to', () => {
  const key = '/sem/user/profile/user_quinn/work_contact';
  let quinn: string;

  it('is there for its owner, and in no file in plain', async () => {
    quinn = tokenFor(folder, 'quinn', 'user');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    expect((await send(quinn, 'POST', '/consents', grant)).status).toBe(200);
    expect((await send(quinn, 'PUT', key, { value: CANARIES.email })).status).toBe(200);
    expect((await send(quinn, 'GET', key)).body['value']).toBe(CANARIES.email);
    expect(showingIn(folder, VALUES)).toEqual([]);
    wrapped = wrappedKeysOf('user_quinn');
    expect(wrapped.length).toBeGreaterThan(0);
    expect(showingIn(folder, wrapped).length).toBeGreaterThanOrEqual(wrapped.length);
  });

  it('is in no file in plain of a copy that is made', async () => {
    expect(await server.stop()).toBe(0);
    cpSync(folder, copy, { recursive: true });
    server = await serve();
    expect(showingIn(copy, VALUES)).toEqual([]);
    expect(showingIn(copy, wrapped).length).toBeGreaterThanOrEqual(wrapped.length);
  });

  it('is out of reach once its owner is erased: no file holds a key to it', async () => {
    tokenFor(folder, 'ada', 'admin');
    const ada = await elevated('ada', ['admin']);
    const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
    // A second factor counts for 300 seconds, which a slow machine may have spent before this.
    const root = await elevated('root', ROLES);
    const asked = await send(root, 'POST', '/dsr/request', { kind: 'delete', user_id: 'quinn', identity_proof });
    const id = String(asked.body['dsr_id']);
    expect((await send(ada, 'POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    const erasure = async () => (await send(ada, 'GET', `/dsr/${id}`)).body;
    await until(async () => (await erasure())['keys_destroyed_at'] !== null, 'the end of the keys');
    server.tell('SIGUSR2');
    await until(async () => (await erasure())['status'] === 'erased', 'the erasure');
    expect(wrappedKeysOf('user_quinn')).toEqual([]);
    expect(showingIn(folder, [...VALUES, ...wrapped])).toEqual([]);
  });
});

/** Everything that a caller of gRPC is told, in one text. */
async function said(call: Promise<RoomAnswer<object>>): Promise<{ readonly status: string; readonly all: string }> {
  try {
    const { response, trailers } = await call;
    return { status: 'OK', all: JSON.stringify([response, trailers.toJSON()]) };
  } catch (error) {
    const { code, details, metadata } = error as ServiceError;
    return { status: status[code], all: JSON.stringify([details, metadata.toJSON()]) };
  }
}

function mace(...args: string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [CLI, '--data', folder, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('close', (code) => done({ code, said }));
  });
}

/** Data keys of a person as they are stored, by whoever holds the folder. */
function wrappedKeysOf(subject: string): readonly string[] {
  const database = openDatabase(join(folder, 'subject-keys.db'));
  try {
    const sql = 'SELECT wrapped FROM subject_keys WHERE subject = ? AND wrapped IS NOT NULL';
    return database
      .prepare<{ readonly wrapped: string }>(sql)
      .all(subject)
      .map(({ wrapped }) => wrapped);
  } finally {
    database.close();
  }
}

describe('after the server has stopped', () => {
  it('no file holds a personal value, nor what was said, in the folder for what is temporary either', async () => {
    expect(showingIn(scratch, [...VALUES, SECRET_WORD])).toEqual([]);
    expect(await server.stop()).toBe(0);
    expect(showingIn(folder, [...VALUES, SECRET_WORD])).toEqual([]);
    expect(showingIn(scratch, [...VALUES, SECRET_WORD])).toEqual([]);
  });

  it('no span that it exported names anybody, nor a personal value, nor what was said', () => {
    expect(new Set(collector.spans.map(({ name }) => name))).toContain(
      'PUT /sem/:scope/:entity_type/:entity_id/:attribute',
    );
    expect(collector.spans.length).toBeGreaterThan(1000);
    const sent = Buffer.concat(collector.bodies);
    expect(showing(sent, [...VALUES, SECRET_WORD, 'user_tuff', 'user_quinn'])).toEqual([]);
  });

  it('its jobs replay: what was left out is not needed', async () => {
    expect(await everyServedJobReplays(folder)).toBeGreaterThan(0);
    expect(showingIn(folder, [...VALUES, SECRET_WORD])).toEqual([]);
  });
});

describeEmbedded('after the copy was put in the place of what followed it', NO_RESTORE, () => {
  let app: JobApp;
  afterAll(() => app.close());

  it('nothing of whoever was erased since comes back, and what was replaced holds nothing of them either', async () => {
    expect(await mace('restore', '--from', copy)).toMatchObject({ code: 0 });
    rmSync(copy, { recursive: true });
    app = await JobApp.on(folder);
    const stream = 'sem-user/profile/user_quinn/work_contact';
    const [put] = await app.stream(stream);
    expect(isErased(put!.data['value'])).toBe(true);
    expect(showingIn(folder, [...VALUES, SECRET_WORD, ...wrapped])).toEqual([]);
  });

  it('no file holds a personal value that a replay found in the place of another', async () => {
    const [nils, ann] = [await app.caller('nils'), await app.caller('ann', ['auditor'])];
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    expect((await nils.send('POST', '/consents', grant)).status).toBe(200);
    const contact = '/sem/user/profile/user_nils/work_contact';
    expect((await nils.send('PUT', contact, { value: CANARIES.email })).status).toBe(200);
    const { body: asked } = await nils.ask(`Is ${CANARIES.email} where I can be reached?`);
    const job_id = asked.job_id ?? (asked.meta['job_id'] as string);
    const forged = { final_answer: `It was never ${CANARIES.email}, but ${SECRET_WORD}.` };
    await resign(app, `job-${job_id}`, 'REFLECTIVE_LOG_WRITTEN', forged);
    const { body } = await ann.send<ReplayResult>('POST', '/replay/request?unredacted=true', { job_id, mode: 'audit' });
    expect([body.verdict, JSON.stringify(body.divergence).includes(CANARIES.email)]).toEqual(['MISMATCH', true]);
    expect(showingIn(folder, [...VALUES, SECRET_WORD])).toEqual([]);
  });
});
