import { createServer, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { openKeyFile, type Role, ROLES, signToken } from '#lib/access';
import type { Json, JsonObject, KeyRing } from '#lib/kernel';

import type { WireDecision } from '../../apps/negotiation/src/proto/messages.js';
import { chatCompletion } from '../fixtures/llm-server/llm-server.js';
import { eventually, until } from '../support/eventually.js';
import { lastVoteRaces } from '../support/last-vote-races.js';
import { proposalBy, refusalOf, RoomClient, voteBy } from '../support/room-client.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';
import { SharedStores } from '../support/shared-stores.js';

/**
 * Two servers on one event store and one read store, each with a room: what one of them took counts in the other, by real
 * gRPC and HTTP between processes.
 */
const LISTENING = /takes gRPC calls[^\n]* port=(\d+)/;
const LEASES = { MACE_PROJECTION_LEASE_MS: '1500', MACE_JOB_LEASE_MS: '30000' };
const RACES = 50;

interface Member {
  readonly server: ServedProcess;
  readonly room: RoomClient;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

type Decided = { readonly decision: WireDecision };

let folder: string;
let stores: SharedStores;
let ring: KeyRing;
let engine: HeldEngine;
const started: Member[] = [];
let one: Member;
let other: Member;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-two-'));
  stores = await SharedStores.start(folder);
  const opening = { mayDraw: false, production: false, now: Date.now() };
  ring = openKeyFile(stores.settings['MACE_KEYS_FILE']!, opening);
  engine = await HeldEngine.start();
  [one, other] = await Promise.all([start('one'), start('other')]);
}, 300_000);

afterAll(async () => {
  for (const member of started) {
    member.room.close();
    await member.server.kill();
  }
  await engine?.close();
  await stores?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function start(name: string): Promise<Member> {
  const provider = { base_url: engine.url, api_key_env: 'ENGINE_KEY', model: 'm', timeout_ms: 9000 };
  const server = await ServedProcess.start(join(folder, name), {
    ...stores.settings,
    ...LEASES,
    ENGINE_KEY: 'none',
    MACE_LLM_PROVIDERS: JSON.stringify([provider]),
    MACE_GRPC_PORT: '0',
    MACE_LOG_LEVEL: 'info',
  });
  // What it wrote to stderr may come after what it wrote to stdout later.
  await until(() => LISTENING.test(server.log()));
  const port = Number(LISTENING.exec(server.log())![1]);
  const member = { server, room: new RoomClient(port, (who) => token(who, ['agent'])) };
  started.push(member);
  return member;
}

function token(userId: string, roles: readonly Role[]): Promise<string> {
  const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, amr: ['otp'] };
  return signToken(ring, { ...order, now: Date.now() });
}

async function send(
  { server }: Member,
  who: string,
  method: string,
  path: string,
  body?: Json,
  key?: string,
): Promise<Answer> {
  const roles = who === 'ursa' ? ROLES : who === 'audra' ? (['auditor'] as const) : (['user', 'agent'] as const);
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...EACH_ITS_OWN,
      authorization: `Bearer ${await token(who, roles)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

/** Types of the events of a negotiation, as its stream has them. */
async function typesOf(id: string): Promise<readonly string[]> {
  const { body } = await send(other, 'audra', 'GET', `/audit/streams/negotiation-${id}`);
  return (body['items'] as readonly { readonly type: string }[]).map(({ type }) => type);
}

const decided = async ({ room }: Member, id: string): Promise<WireDecision> =>
  (await room.call<Decided>('maker', 'WaitForDecision', { artifact_id: id, timeout_seconds: 60 })).response.decision;

/** A language engine that answers only when it is told to. */
class HeldEngine {
  asked = 0;
  private readonly held: ServerResponse[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HeldEngine> {
    const server = createServer();
    const held = new HeldEngine(server);
    server.on('request', (request, response: ServerResponse) => {
      request.resume();
      held.asked++;
      held.held.push(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return held;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  release(text: string): void {
    for (const response of this.held.splice(0))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(chatCompletion(text)));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

/** One of each kind of handler; `apps/api/src/edge/bind-keys.int.spec.ts` asks every route twice in one process. */
const ASKED_TWICE = [
  'POST /jobs',
  'PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}',
  'POST /module/register',
  'POST /actionrequest/create',
  'POST /consents',
  'POST /dsr/request',
  'POST /events/failure',
  'POST /apt/event',
  'POST /brainstate/create_snapshot',
  'POST /router/decide',
  'POST /governance/policy/propose',
  'POST /replay/sweeps',
];

describe('a request under one Idempotency-Key', () => {
  it('that another process answered is answered alike, and refused with another body, whatever it asks for', async () => {
    const wrong: string[] = [];
    const routes = await examples();
    expect(routes).toHaveLength(ASKED_TWICE.length);
    for (const { method, path, body } of routes) {
      const [first, again] = [
        await send(one, 'ursa', method, path, body, 'k-two'),
        await send(other, 'ursa', method, path, body, 'k-two'),
      ];
      if (!isDeepStrictEqual(said(first), said(again)))
        wrong.push(`${method} ${path}: ${JSON.stringify(first)} then ${JSON.stringify(again)}`.slice(0, 800));
    }
    expect(wrong).toEqual([]);
    const put = (value: string) => send(other, 'ursa', 'PUT', '/sem/user/profile/user_ursa/pet', { value }, 'k-body');
    expect((await put('cat')).status).toBe(200);
    expect((await put('dog')).body['error_code']).toBe('IDEMPOTENCY_KEY_REUSED');
  }, 300_000);

  it('that two get at once is carried out once, and answered alike', async () => {
    for (let nth = 0; nth < 10; nth++) {
      const path = `/sem/user/profile/user_ursa/at_once_${nth}`;
      const both = await Promise.all(
        [one, other, one, other].map((member) => send(member, 'ursa', 'PUT', path, { value: 'x' }, `k-at-once-${nth}`)),
      );
      expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(both.map(({ body }) => body['event_id'] as string)).size).toBe(1);
    }
  }, 120_000);

  it('for a job that another process runs waits for it, and asks the language engine no second time', async () => {
    const ask = (member: Member) =>
      send(member, 'tuff', 'POST', '/jobs', { query_text: 'Write a poem about rain' }, 'k-poem');
    const first = ask(one);
    await until(() => engine.asked === 1, 'the question to the engine');
    const second = ask(other);
    // As long as it takes until the other process has the request, and has looked.
    const { job_id } = await eventually(async () => {
      const { body } = await send(other, 'tuff', 'GET', '/jobs');
      return (body['items'] as readonly { readonly job_id: string }[])[0];
    }, 'the job in the list');
    expect((await send(other, 'tuff', 'GET', `/jobs/${job_id}`)).body['status']).toBe('running');
    await sleep(1000);
    engine.release('Rain falls on the quiet town.');
    const answers = await Promise.all([first, second]);
    expect(engine.asked).toBe(1);
    expect(answers.map(({ status, body }) => [status, body['job_id'], body['final_answer']])).toEqual([
      [200, job_id, answers[0].body['final_answer']],
      [200, job_id, answers[0].body['final_answer']],
    ]);
  }, 120_000);
});

/**
 * What an answer says, without what names the request, and without how far a list must be to tell of it: of several events
 * the last is such a position, as the first is. What a 202 describes goes on, and may have ended by the second: it is
 * named alike.
 */
function said({ status, body }: Answer): Json {
  const { meta: _, position: _position, ...rest } = body;
  if (status !== 202) return { status, ...rest };
  const names = Object.entries(rest).filter(([name]) => name.endsWith('_id') && name !== 'summary_event_id');
  return { status, names: Object.fromEntries(names) };
}

/** Those of ASKED_TWICE with their examples. */
async function examples(): Promise<readonly { method: string; path: string; body: JsonObject }[]> {
  const { body } = await send(one, 'ursa', 'GET', '/openapi.json');
  interface Operation {
    readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly example?: JsonObject } } };
  }
  const places: Readonly<Record<string, string>> = {
    scope: 'user',
    entity_type: 'profile',
    entity_id: 'user_ursa',
    attribute: 'favorite_color',
    job_id: `job:${'0'.repeat(32)}`,
    id: `ar-${'0'.repeat(32)}`,
  };
  return Object.entries(body['paths'] as unknown as Record<string, Record<string, Operation>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const example = requestBody?.content['application/json']?.example;
        if (example === undefined || !ASKED_TWICE.includes(`${method.toUpperCase()} ${path}`)) return [];
        const filled = path.replace(/\{([a-z_]+)\}/g, (_, part: string) => places[part] ?? '0'.repeat(64));
        return [{ method: method.toUpperCase(), path: filled, body: example }];
      }),
  );
}

describe('two rooms on one event store', () => {
  it('are one: a proposal, its votes and its decision are the same in both, and who waits in one is woken by the other', async () => {
    const key = { metadata: { 'x-idempotency-key': 'k-both' } };
    const proposal = proposalBy('maker', 'both-1', ['ann', 'ben']);
    const first = await one.room.call('maker', 'SubmitProposal', proposal, key);
    expect((await other.room.call('maker', 'SubmitProposal', proposal, key)).response).toEqual(first.response);
    expect(await refusalOf(other.room.call('maker', 'SubmitProposal', proposal))).toMatch(/^ALREADY_EXISTS CONFLICT/);
    const waiting = [decided(one, 'both-1'), decided(other, 'both-1')];
    await other.room.call('ann', 'SubmitVote', voteBy('ann', 'both-1'), key);
    await one.room.call('ann', 'SubmitVote', voteBy('ann', 'both-1'), key);
    expect(await refusalOf(one.room.call('ann', 'SubmitVote', voteBy('ann', 'both-1')))).toMatch(/^ALREADY_EXISTS/);
    expect(await refusalOf(one.room.call('ann', 'SubmitVote', voteBy('ann', 'both-1', { score: 1 }), key))).toMatch(
      /^ALREADY_EXISTS/,
    );
    await one.room.call('ben', 'SubmitVote', voteBy('ben', 'both-1'));
    const [here, there] = await Promise.all(waiting);
    expect(here).toEqual(there);
    expect(here).toMatchObject({ outcome: 1, votes_received: 2, collection_timeout_reached: false });
    expect(await typesOf('both-1')).toEqual([
      'NEGOTIATION_PROPOSED',
      'VOTE_CAST',
      'VOTE_CAST',
      'VOTE_WINDOW_CLOSED',
      'NEGOTIATION_DECIDED',
    ]);
  }, 120_000);

  it('take a call that both get at once under one key once, and answer both alike', async () => {
    const both = [one, other, one, other];
    for (let nth = 0; nth < 10; nth++) {
      const [id, key] = [`at-once-${nth}`, { metadata: { 'x-idempotency-key': `k-at-once-${nth}` } }];
      const proposal = proposalBy('maker', id, ['ann', 'ben']);
      const proposals = await Promise.all(both.map(({ room }) => room.call('maker', 'SubmitProposal', proposal, key)));
      expect(new Set(proposals.map(({ response }) => JSON.stringify(response))).size).toBe(1);
      await Promise.all(both.map(({ room }) => room.call('ann', 'SubmitVote', voteBy('ann', id), key)));
      expect(await typesOf(id)).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_CAST']);
    }
  }, 120_000);

  it(`count the last vote of ${RACES} that meets the end of its window, or take it as late: never both, never neither`, async () => {
    const outcomes = await lastVoteRaces(RACES, async ({ nth, windowS, untilVote }) => {
      const [proposing, voting] = nth % 2 === 0 ? [one, other] : [other, one];
      const id = `race-${nth}`;
      const message = proposalBy('maker', id, ['ann', 'ben'], { vote_collection_timeout_s: windowS });
      await proposing.room.call('maker', 'SubmitProposal', message);
      const isLate = async (who: string): Promise<boolean> => {
        const { trailers } = await voting.room.call(who, 'SubmitVote', voteBy(who, id));
        return trailers.get('sw4rm-vote-disposition').length > 0;
      };
      if (await isLate('ann')) return 'void';
      const { body } = await send(proposing, 'maker', 'GET', `/negotiations/${id}`);
      await untilVote(body['due_at'] as string);
      const late = await isLate('ben');
      const [here, there] = await Promise.all([decided(one, id), decided(other, id)]);
      expect(here).toEqual(there);
      expect(here).toMatchObject({
        votes_received: late ? 1 : 2,
        collection_timeout_reached: late,
        late_votes: late ? [{ critic_id: 'ben' }] : [],
      });
      const types = await typesOf(id);
      const count = (wanted: string): number => types.filter((type) => type === wanted).length;
      expect([count('NEGOTIATION_DECIDED'), count('VOTE_CAST'), count('LATE_VOTE')]).toEqual(
        late ? [1, 1, 1] : [1, 2, 0],
      );
      return late ? 'late' : 'counted';
    });
    expect(outcomes.length).toBeGreaterThanOrEqual(RACES);
    expect(new Set(outcomes)).toEqual(new Set(['counted', 'late']));
  }, 600_000);

  it('make one decision where twenty votes after the end of a window close it at once in both', async () => {
    const critics = Array.from({ length: 20 }, (_, i) => `critic-${i}`);
    const message = proposalBy('maker', 'closes-1', critics, { vote_collection_timeout_s: 2 });
    await one.room.call('maker', 'SubmitProposal', message);
    const { body } = await send(one, 'maker', 'GET', '/negotiations/closes-1');
    await sleep(Math.max(0, Date.parse(body['due_at'] as string) - Date.now()));
    const late = await Promise.all(
      critics.map(async (critic, i) => {
        const { trailers } = await (i % 2 === 0 ? one : other).room.call(
          critic,
          'SubmitVote',
          voteBy(critic, 'closes-1'),
        );
        return trailers.get('sw4rm-vote-disposition');
      }),
    );
    expect(late).toEqual(critics.map(() => ['late']));
    const types = await typesOf('closes-1');
    expect(types.filter((type) => type !== 'LATE_VOTE')).toEqual([
      'NEGOTIATION_PROPOSED',
      'VOTE_WINDOW_CLOSED',
      'NEGOTIATION_DECIDED',
    ]);
    expect(types).toHaveLength(23);
    const [here, there] = await Promise.all([decided(one, 'closes-1'), decided(other, 'closes-1')]);
    expect(here).toEqual(there);
    expect(here).toMatchObject({ outcome: 3, votes_received: 0, collection_timeout_reached: true });
  }, 120_000);

  it('go on where one of them is killed in the middle of a window, and a retry is answered by the other', async () => {
    const key = { metadata: { 'x-idempotency-key': 'k-killed' } };
    const message = proposalBy('maker', 'killed-1', ['ann', 'ben', 'cara'], { vote_collection_timeout_s: 6 });
    const first = await one.room.call('maker', 'SubmitProposal', message, key);
    await one.room.call('ann', 'SubmitVote', voteBy('ann', 'killed-1'), key);
    one.room.close();
    await one.server.kill();
    expect((await other.room.call('maker', 'SubmitProposal', message, key)).response).toEqual(first.response);
    await other.room.call('ann', 'SubmitVote', voteBy('ann', 'killed-1'), key);
    await other.room.call('ben', 'SubmitVote', voteBy('ben', 'killed-1'));
    const decision = await decided(other, 'killed-1');
    expect(decision).toMatchObject({
      votes_received: 2,
      collection_timeout_reached: true,
      unavailable_critics: ['cara'],
    });
    one = await start('one');
    expect(await decided(one, 'killed-1')).toEqual(decision);
    const late = await one.room.call('cara', 'SubmitVote', voteBy('cara', 'killed-1'), key);
    const again = await other.room.call('cara', 'SubmitVote', voteBy('cara', 'killed-1'), key);
    for (const { trailers } of [late, again]) expect(trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
    expect((await typesOf('killed-1')).slice(-3)).toEqual(['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED', 'LATE_VOTE']);
  }, 300_000);
});
