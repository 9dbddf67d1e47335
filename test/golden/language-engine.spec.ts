import { createHash } from 'node:crypto';

import { retryAllowed } from '#lib/kernel';

import type { Wiring } from '../../apps/api/src/platform.js';
import { type Behaviour, LlmServer } from '../fixtures/llm-server/llm-server.js';
import { eventually } from '../support/eventually.js';
import { type Answer, type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { adoptPolicy } from '../support/policies.js';

/** The engine's own client over HTTP against a server that fails (seed 001, "External LLM / API failure"; Groups D and F). */

const LLM_DOWN = 'I can’t reach my language engine right now. Try again later.';
const KEY = 'MACE_TEST_ENGINE_KEY';
const POEM = 'Write a poem about rain';
const ANSWER: Behaviour = { kind: 'answer', text: 'Rain falls on rain, and rain it is that falls.' };
const FAILING: Behaviour = { kind: 'status', status: 500 };

const isOnce = (seed: string): boolean => !retryAllowed(seed);

let app: JobApp;
let tuff: Caller;
let servers: LlmServer[] = [];
/** How often what is out of service is looked at; as always where a test says nothing. */
let wiring: Wiring = {};

beforeEach(() => {
  process.env[KEY] = 'sk-for-a-test';
});
afterEach(async () => {
  delete process.env[KEY];
  await app.dispose();
  for (const server of servers) await server.close();
  servers = [];
  wiring = {};
});

describe('Golden tests of a language engine that fails', () => {
  it.each([
    ['where the seed allows no retry', seedWhere(isOnce), 1],
    ['where the seed allows a retry', seedWhere(retryAllowed), 2],
  ])('T18_LLM_DOWN and T26_ERR_LLM_DOWN_MSG, HTTP 500 %s', async (_, job_seed, tries) => {
    const [server] = await start([FAILING]);
    const answer = await tuff.ask(POEM, { job_seed });
    const attempts = [{ provider: server!.host, class: 'server_error', status: 500 }];
    expectDown(answer, `no language engine answered: ${server!.host} (server_error 500)`);
    // Once, or twice, for each of the two modules that the router found.
    expect(server!.seen).toHaveLength(2 * tries);
    const turn = tries === 1 ? ['LLM_SERVICE_DOWN'] : ['LLM_SERVICE_DOWN', 'RETRY_ATTEMPT', 'LLM_SERVICE_DOWN'];
    const events = await holds(answer, job_seed, [
      ...ASKED,
      ...turn,
      ...PASSED_ON,
      'AGENT_INVOKED',
      ...turn,
      ...PASSED_ON,
      ...END,
    ]);
    const down = events.filter(({ type }) => type === 'LLM_SERVICE_DOWN').map(({ data }) => data);
    expect(down[0]).toMatchObject({ node_id: 'agent:creative_v1', attempts });
    expect(down.at(-1)).toMatchObject({ node_id: 'agent:generic_v1', attempts });
    expect(logOf(events)['error']).toMatchObject({ error_code: 'LLM_SERVICE_DOWN', user_message: LLM_DOWN });
    // A turn is one failure, whatever became of its second try, and trust is as it was.
    for (const node of ['agent:creative_v1', 'agent:generic_v1']) await countsOne(node);
  });

  it('T18_LLM_DOWN and T26_ERR_LLM_DOWN_MSG, HTTP 401', async () => {
    const [server] = await start([{ kind: 'status', status: 401 }]);
    const job_seed = seedWhere(retryAllowed);
    const answer = await tuff.ask(POEM, { job_seed });
    expectDown(answer, `no language engine answered: ${server!.host} (auth 401)`);
    expect(server!.seen).toHaveLength(2);
    const turn = ['AGENT_OUTPUT', 'AUTH_ERROR'];
    const events = await holds(answer, job_seed, [
      ...ASKED,
      ...turn,
      ...PASSED_ON,
      'AGENT_INVOKED',
      ...turn,
      ...PASSED_ON,
      ...END,
    ]);
    expect(events.find(({ type }) => type === 'AUTH_ERROR')!.data).toEqual({
      iteration: 1,
      agent_id: 'creative_agent',
      provider: server!.host,
    });
    expect(JSON.stringify(events)).not.toContain('sk-');
    await countsNothing('agent:creative_v1');
  });

  it('T18_LLM_DOWN and T26_ERR_LLM_DOWN_MSG, no key', async () => {
    delete process.env[KEY];
    const [server] = await start([ANSWER]);
    const answer = await tuff.ask(POEM, { job_seed: 't18-no-key' });
    expectDown(answer, `no language engine answered: ${server!.host} (auth)`);
    expect(server!.seen).toHaveLength(0);
  });

  it('T18_LLM_DOWN, a failover provider is used instead', async () => {
    const [first, second] = await start([FAILING], [ANSWER]);
    const { status, body } = await tuff.ask(POEM, { job_seed: 't18-failover' });
    expect([status, body.final_answer, body.notices]).toEqual([200, ANSWER.text, []]);
    expect([first!.seen.length, second!.seen.length]).toEqual([1, 1]);
    const output = (await app.stream(`job-${body.job_id}`)).find(({ type }) => type === 'AGENT_OUTPUT')!;
    expect(output.data['failures']).toEqual([{ provider: first!.host, kind: 'server_error', status: 500 }]);
    await countsNothing('agent:creative_v1');
  });

  it('T18_LLM_DOWN, an engine that is back at the second try gives the answer and no notice', async () => {
    await start([FAILING, ANSWER]);
    const { status, body } = await tuff.ask(POEM, { job_seed: seedWhere(retryAllowed) });
    expect([status, body.final_answer, body.notices]).toEqual([200, ANSWER.text, []]);
  });
});

describe('a question of knowledge that memory cannot answer', () => {
  const QUESTION = 'What is the capital of Mars?';
  const UNKNOWN = 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.';

  it('goes to no engine where the policy says nothing', async () => {
    const [server] = await start([ANSWER]);
    const { body } = await tuff.ask(QUESTION);
    expect([body.error_code, body.user_message]).toEqual(['SEM_NOT_FOUND', UNKNOWN]);
    expect(server!.seen).toEqual([]);
  });

  it('goes on to the engine by policy; the answer says whose it is, and replays without the engine', async () => {
    const [server] = await start([{ kind: 'answer', text: 'Mars has no capital.' }]);
    await adoptPolicy(app, 'router', { ask_engine_on_miss: true });
    const { status, body } = await tuff.ask(QUESTION, { job_seed: 'asked-on' });
    expect(status).toBe(200);
    const told = 'From a language model, and not from memory, which holds nothing about this: Mars has no capital.';
    expect(body).toMatchObject({ final_answer: told, user_message: told, agent_id: 'generic_agent', notices: [] });
    const events = await app.stream(`job-${body.job_id}`);
    const [miss] = events.filter(({ type }) => type === 'sem_miss');
    expect(miss!.data).toMatchObject({ user_id: 'user_tuff' });
    // No more than the question leaves, and nothing about who asks.
    expect(server!.seen.map(({ body: { messages } }) => messages.at(-1)!.content)).toEqual([QUESTION]);
    expect(JSON.stringify(server!.seen)).not.toMatch(/tuff/i);

    await server!.close();
    servers = [];
    const auditor = await app.caller('aud', ['auditor']);
    for (const mode of ['audit', 'production']) {
      const replayed = await auditor.send('POST', '/replay/request', { job_id: body.job_id, mode });
      expect(replayed.body).toMatchObject({ verdict: 'MATCH', authoritative: true });
    }
  });

  it('goes nowhere where it holds personal data, or is about the asking person', async () => {
    const [server] = await start([ANSWER]);
    await adoptPolicy(app, 'router', { ask_engine_on_miss: true });
    expect((await tuff.ask('What is the capital of 123-45-6789?')).body.error_code).toBe('PRIVACY_BLOCKED');
    expect((await tuff.ask('What is my favorite color?')).body.error_code).toBe('SEM_NOT_FOUND');
    expect(server!.seen).toEqual([]);
  });
});

describe('an outage of a language engine, as a whole', () => {
  it('takes its modules offline, is told to operators, and ends by a probe that brings them back', async () => {
    wiring = { outageIntervalMs: 20, engineProbeMs: 50 };
    const [server] = await start([FAILING]);
    const operator = await app.caller('olga', ['operator']);
    const apt = (await moduleOf('agent:creative_v1'))['apt'];
    for (let i = 0; i < 3; i++) expect((await tuff.ask(POEM, { job_seed: seedWhere(isOnce, i) })).status).toBe(503);
    for (const node of ['agent:creative_v1', 'agent:generic_v1']) {
      const offline = await eventually(async () => {
        const module = await moduleOf(node);
        return module['status'] === 'offline' ? module : null;
      }, `${node} to go offline`);
      expect(offline).toMatchObject({ status_reason: '3 failures of its language engine in a row' });
    }
    expect(await outages()).toEqual(['down']);
    expect((await operator.get<Ready>('/health/ready')).body.degraded).toMatchObject([{ part: 'language_engine' }]);
    expect(await metric()).toBe('0');
    const [incident] = await incidents();
    expect(incident).toMatchObject({ status: 'open', severity: 'error', closed_at: null });

    server!.behave(ANSWER);
    const back = await eventually(async () => {
      const module = await moduleOf('agent:creative_v1');
      return module['status'] === 'degraded' ? module : null;
    }, 'the module to be back');
    expect(back).toMatchObject({ status_reason: 'its language engine is back', apt });
    expect(await outages()).toEqual(['down', 'up']);
    const recovery = (await app.stream('system-language-engine')).at(-1)!.metadata.event_id;
    const recovered = (await app.stream('module-agent:creative_v1')).find(({ type }) => type === 'MODULE_RECOVERED')!;
    expect(recovered.metadata.$causationId).toBe(recovery);
    const closed = await eventually(async () => {
      const [one] = await incidents();
      return one!['status'] === 'closed' ? one! : null;
    }, 'the incident to be closed');
    expect(closed['closed_at']).toMatch(/^\d{4}-/);
    expect((await operator.get<Ready>('/health/ready')).body.degraded).toBeUndefined();
    expect(await metric()).toBe('1');
    // The router follows the modules a moment behind.
    let next = 3;
    const answered = await eventually(async () => {
      const { status, body } = await tuff.ask(POEM, { job_seed: seedWhere(isOnce, next++) });
      return status === 200 ? body : null;
    }, 'a job that is routed to it');
    expect(answered.final_answer).toBe(ANSWER.text);
  });

  interface Ready {
    readonly degraded?: readonly { readonly part: string }[];
  }

  async function outages(): Promise<unknown[]> {
    return (await app.stream('system-language-engine')).map(({ data }) => data['state']);
  }

  async function metric(): Promise<string | undefined> {
    const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
    return /^mace_language_engine_up (\S+)$/m.exec(payload)?.[1];
  }

  /** Those that outages of the engine opened. */
  async function incidents(): Promise<readonly Record<string, unknown>[]> {
    const operator = await app.caller('olga', ['operator']);
    return eventually(async () => {
      const { items } = (await operator.get<{ items: Record<string, unknown>[] }>('/incidents')).body;
      const found = items.filter(({ cause }) => (cause as { stream: string }).stream === 'system-language-engine');
      return found.length > 0 ? found : null;
    }, 'the incident');
  }
});

const ASKED = ['JOB_ACCEPTED', 'SNAPSHOTS_PINNED', 'QCP_CLASSIFIED', 'ROUTER_DECISION', 'AGENT_INVOKED'];
const PASSED_ON = ['ROUTER_DECISION', 'router_miss'];
const END = ['BRAINSTATE_TICK', 'REFLECTIVE_LOG_WRITTEN', 'JOB_SEALED'];

/** An application whose engines are servers that behave so, in this order. */
async function start(...behaviours: readonly Behaviour[][]): Promise<readonly LlmServer[]> {
  for (const each of behaviours) servers.push(await LlmServer.start(...each));
  const providers = servers.map(({ url }) => ({
    base_url: url,
    api_key_env: KEY,
    model: 'a-model',
    timeout_ms: 4000,
  }));
  app = await JobApp.open(wiring, { MACE_LLM_PROVIDERS: JSON.stringify(providers) });
  tuff = await app.caller('TUFF');
  return servers;
}

function expectDown({ status, body }: Answer<AnyBody>, developer_message: string): void {
  expect(status).toBe(503);
  expect(body).toMatchObject({
    error_code: 'LLM_SERVICE_DOWN',
    severity: 'critical',
    user_message: LLM_DOWN,
    developer_message,
  });
}

/** Exactly these events, under exactly the ids of spec/kernel.md. @returns them */
async function holds({ body }: Answer<AnyBody>, seed: string, types: readonly string[]) {
  const events = await app.stream(`job-${body.meta['job_id'] as string}`);
  const idOf = (type: string, i: number) => createHash('sha256').update(`${seed}:${i}:${type}`).digest('hex');
  expect(events.map(({ type, metadata }) => [type, metadata.event_id])).toEqual(
    types.map((type, i) => [type, idOf(type, i)]),
  );
  return events;
}

function logOf(events: Awaited<ReturnType<typeof holds>>): Record<string, unknown> {
  return events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!.data;
}

async function moduleOf(nodeId: string): Promise<Record<string, unknown>> {
  const operator = await app.caller('olga', ['operator']);
  return (await operator.get<Record<string, unknown>>(`/modules/${nodeId}`)).body;
}

async function countsOne(nodeId: string): Promise<void> {
  const module = await eventually(async () => {
    const found = await moduleOf(nodeId);
    return (found['metrics'] as Record<string, unknown>)['total_calls'] === 1 ? found : null;
  }, 'the failure of the turn to be counted');
  expect(module).toMatchObject({
    status: 'degraded',
    status_reason: 'the last call failed',
    apt: 0.7,
    metrics: { consecutive_failures: 1 },
  });
}

/** What another module's answer is counted after, so that it would be seen by then. */
async function countsNothing(nodeId: string): Promise<void> {
  await tuff.ask('What is 2 + 2?', { job_seed: 'counted-after' });
  await eventually(async () => {
    const { metrics } = await moduleOf('agent:math_v1');
    return (metrics as Record<string, unknown>)['total_calls'] === 1;
  }, 'the answer of the other module to be counted');
  expect(await moduleOf(nodeId)).toMatchObject({ metrics: { consecutive_failures: 0 } });
}

/** @param skipped so many that hold come before */
function seedWhere(holds: (seed: string) => boolean, skipped = 0): string {
  for (let i = 0; ; i++) if (holds(`t18-${i}`) && skipped-- === 0) return `t18-${i}`;
}
