import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKeyFile, type Role, signToken } from '#lib/access';
import { START } from '#lib/event-store';

import { EVENT_DEFINITIONS } from '../../apps/api/src/event-definitions.js';
import { createLogger } from '../../apps/api/src/edge/log.js';
import { readConfig } from '../../apps/api/src/platform.config.js';
import { openPlatform, type Platform } from '../../apps/api/src/platform.js';
import { until } from '../support/eventually.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { knownEventStore, servedEventStore } from '../support/served-event-store.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

const KILLS = 20;
const WRITERS = 32;
const KEYS = 8;
/** How long a freshly started server may take for its first answers, and for the jobs that were begun before. */
const PATIENCE_MS = 120_000;
const USER = 'writer';
const SETTINGS = { MACE_AGENT_HOSTS: 'localhost' };
const POET = 'agent:poet_v1';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface AcknowledgedPut {
  readonly key: string;
  readonly event_id: string;
  readonly revision: number;
  readonly value: string;
}

/** Everything the server said it has stored, over all its lives. */
class Acknowledged {
  readonly puts: AcknowledgedPut[] = [];
  readonly jobs = new Map<string, unknown>();
}

describe('the server under load, killed again and again', () => {
  let folder: string;

  /** An agent of somebody else: it says how often it was asked for the turn by then. */
  const asked = new Map<string, number>();
  const agent = createServer((request, response) => void answerTurn(request, response, asked));

  beforeAll(async () => {
    // On a disk, where the others may be in memory (scripts/lib/test-folder.mjs).
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-kill-'));
    await servedEventStore(folder);
    await new Promise<void>((done) => agent.listen(0, '127.0.0.1', done));
    const server = await ServedProcess.start(folder, SETTINGS);
    await registerPoet(folder, server.url, `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`);
    expect(await server.stop()).toBe(0);
  });

  afterAll(async () => {
    agent.closeAllConnections();
    agent.close();
    await rm(folder, { recursive: true, force: true });
  });

  it(`keeps every acknowledged write, leaves no half job and no broken chain over ${KILLS} kills`, async () => {
    const token = tokenFor(folder, USER, 'user');
    const acknowledged = new Acknowledged();
    for (let life = 0; life < KILLS; life++) {
      const server = await ServedProcess.start(folder, SETTINGS);
      const load = new Load(server.url, token, life, acknowledged);
      const writers = Array.from({ length: WRITERS }, (_, writer) => load.run(writer));
      await load.acknowledging(10 + ((life * 7) % 40));
      await server.kill();
      load.stop();
      await Promise.all(writers);
      expect({ refusal: load.refusal, log: load.refusal && server.log() }).toEqual({ refusal: null, log: null });
    }
    expect(acknowledged.puts.length).toBeGreaterThan(KILLS);
    expect(acknowledged.jobs.size).toBeGreaterThan(KILLS);

    const server = await ServedProcess.start(folder, SETTINGS);
    try {
      await everyJobIsSealed(server.url, token);
      await everyAcknowledgedJobIsThere(server.url, token, acknowledged);
    } finally {
      expect(await server.stop()).toBe(0);
    }
    const platform = await openPlatform(config(folder), EVENT_DEFINITIONS, createLogger(config(folder)));
    try {
      await everyAcknowledgedPutIsThere(platform, acknowledged);
      await everyChainHolds(platform);
      expect(await turnsAskedAgain(platform, asked)).toEqual([]);
    } finally {
      await platform.close();
    }
    expect(await everyServedJobReplays(folder)).toBeGreaterThanOrEqual(acknowledged.jobs.size);
  }, 900_000);
});

async function answerTurn(
  request: IncomingMessage,
  response: ServerResponse,
  asked: Map<string, number>,
): Promise<void> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  const { job_id, turn } = JSON.parse(text) as { job_id: string; turn: object };
  const key = turnKey(job_id, turn as Turn);
  const times = (asked.get(key) ?? 0) + 1;
  asked.set(key, times);
  response.end(JSON.stringify({ outcome: 'answer', text: `A poem, asked for ${times} times.`, confidence: 0.9 }));
}

type Turn = Readonly<Record<'iteration' | 'attempt', number>>;

function turnKey(jobId: string, { iteration, attempt }: Turn): string {
  return `${jobId} ${iteration} ${attempt}`;
}

/** The poet answers what nobody else can without a language engine. */
async function registerPoet(folder: string, url: string, agent: string): Promise<void> {
  const keysFile = join(folder, 'keys', 'ring.json');
  const ring = openKeyFile(keysFile, { mayDraw: false, production: false, now: Date.now() });
  const signed = { issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now(), amr: ['otp'] };
  const as = (userId: string, role: Role): Promise<string> => signToken(ring, { ...signed, userId, roles: [role] });
  const post = (token: string, path: string, body: object) => call(url, token, 'POST', path, body);
  const { body } = await post(await as('ada', 'admin'), '/module/register', {
    ...{ node_id: POET, type: 'agent', display_name: 'A poet', version: '1.0.0', capabilities: ['creative'] },
    endpoint: { kind: 'http', url: agent },
  });
  const request = `/actionrequest/${String(body['request_id'])}`;
  for (const name of ['cora', 'carl', 'cleo']) {
    const token = await as(name, 'council');
    const { proposal_digest } = (await call(url, token, 'GET', request)).body;
    await post(token, `${request}/vote`, { vote: 'approve', proposal_digest });
  }
  const asker = await as('ann', 'user');
  await until(async () => {
    const { body: decided } = await post(asker, '/router/decide', { query_text: 'Write a poem' });
    return (decided['route_trace'] as { selected?: string } | undefined)?.selected === POET;
  }, 'the route to the poet');
}

/** Recorded turns of the poet that it was asked for again, after their answer stood in the log. */
async function turnsAskedAgain(platform: Platform, asked: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const again: string[] = [];
  let recorded = 0;
  for (const [key, times] of asked) {
    const [jobId, iteration, attempt] = key.split(' ');
    const { events } = await platform.events.load(`job-${jobId}`, { personal: 'plain' });
    const output = events.find(
      ({ type, data }) =>
        type === 'AGENT_OUTPUT' &&
        data['node_id'] === POET &&
        data['iteration'] === Number(iteration) &&
        data['attempt'] === Number(attempt),
    );
    if (!output) continue;
    recorded++;
    if (output.data['text'] !== `A poem, asked for ${times} times.`) again.push(`${key}: ${times}`);
  }
  expect(recorded).toBeGreaterThan(KILLS);
  return again;
}

/** Concurrent writers against one life of the server. */
class Load {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  private stopped = false;
  /** An answer that was not what a healthy server gives; a connection that breaks is none. */
  refusal: string | null = null;

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly life: number,
    private readonly acknowledged: Acknowledged,
  ) {}

  stop(): void {
    this.stopped = true;
    this.agent.destroy();
  }

  async run(writer: number): Promise<void> {
    for (let i = 0; !this.stopped; i++) {
      const value = `v-${this.life}-${writer}-${i}`;
      const done = (writer + i) % 2 === 0 ? this.put(writer % KEYS, value) : this.ask(writer, value);
      // A dead server answers nothing; whatever it did not acknowledge may or may not be there.
      await done.catch(() => undefined);
      if (this.refusal !== null) return;
    }
  }

  /** Settles in the middle of the load: once so many answers came, however fast the machine is. */
  async acknowledging(count: number): Promise<void> {
    const before = this.acknowledged.puts.length + this.acknowledged.jobs.size;
    const deadline = Date.now() + PATIENCE_MS;
    while (this.refusal === null && this.acknowledged.puts.length + this.acknowledged.jobs.size < before + count) {
      if (Date.now() > deadline) return this.refuse(`fewer than ${count} answers in ${PATIENCE_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  private refuse(refusal: string): void {
    this.refusal = refusal;
  }

  private async put(key: number, value: string): Promise<void> {
    const path = `/sem/user/profile/user_${USER}/key_${key}`;
    const { status, body } = await call(this.url, this.token, 'PUT', path, { value }, this.agent);
    if (status !== 200) return this.refuse(`PUT answered ${status}: ${JSON.stringify(body)}`);
    const { event_id, revision } = body as { event_id: string; revision: number };
    this.acknowledged.puts.push({ key: path.slice('/sem/'.length), event_id, revision, value });
  }

  private async ask(writer: number, value: string): Promise<void> {
    const texts = [
      `Remember that my favorite toy${writer} is ${value}`,
      'What is my favourite colour?',
      `${writer} + 4`,
      `Write a poem about ${value}`,
    ];
    const query_text = texts[value.length % texts.length]!;
    const { status, body } = await call(this.url, this.token, 'POST', '/jobs', { query_text }, this.agent);
    const meta = (body['meta'] ?? body) as { job_id?: string };
    if (meta.job_id === undefined) return this.refuse(`POST /jobs answered ${status}: ${JSON.stringify(body)}`);
    if (status !== 202) this.acknowledged.jobs.set(meta.job_id, status === 200 ? body : body['error_code']);
  }
}

async function everyJobIsSealed(url: string, token: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const running = (await allJobs(url, token)).filter((job) => job['sealed'] !== true);
    if (running.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`${running.length} jobs stay without a seal: ${JSON.stringify(running[0])}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function allJobs(url: string, token: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor = '';
  do {
    const { body } = await call(url, token, 'GET', `/jobs?limit=200${cursor}`);
    items.push(...(body['items'] as Record<string, unknown>[]));
    cursor = body['next_cursor'] === null ? '' : `&cursor=${encodeURIComponent(body['next_cursor'] as string)}`;
  } while (cursor !== '');
  return items;
}

async function everyAcknowledgedJobIsThere(url: string, token: string, acknowledged: Acknowledged): Promise<void> {
  for (const [jobId, answered] of acknowledged.jobs) {
    const { status, body } = await call(url, token, 'GET', `/jobs/${jobId}`);
    expect(status).toBe(200);
    if (typeof answered === 'string') expect((body['error'] as { error_code: string }).error_code).toBe(answered);
    else expect(body).toEqual(answered);
  }
}

async function everyAcknowledgedPutIsThere(platform: Platform, acknowledged: Acknowledged): Promise<void> {
  const streams = new Map<string, Awaited<ReturnType<Platform['events']['load']>>>();
  for (const { key, event_id, revision, value } of acknowledged.puts) {
    const stream = `sem-${key}`;
    if (!streams.has(stream)) streams.set(stream, await platform.events.load(stream, { personal: 'plain' }));
    const event = streams.get(stream)!.events[revision];
    expect(event?.metadata.event_id).toBe(event_id);
    expect(event?.data['value']).toBe(value);
  }
}

/** Loading a stream verifies its chain and every signature. */
async function everyChainHolds(platform: Platform): Promise<void> {
  const streams = new Set<string>();
  for (let after = START; ;) {
    const page = await platform.eventStore.readAll({ after, limit: 1000 });
    for (const event of page.events) streams.add(event.stream);
    after = page.scannedTo;
    if (page.atHead) break;
  }
  for (const stream of streams) await platform.events.load(stream);
}

function config(dataDir: string) {
  return readConfig({ MACE_DATA_DIR: dataDir, MACE_LOG_LEVEL: 'silent', ...knownEventStore(dataDir) });
}

function call(url: string, token: string, method: string, path: string, body?: object, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const request = httpRequest(new URL(path, url), { method, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('aborted')));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
        });
      });
    });
    request.on('error', reject);
    request.end(body ? JSON.stringify(body) : undefined);
  });
}
