import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LlmServer } from '../../../../test/fixtures/llm-server/llm-server.js';
import type { Policies } from '#lib/governance';
import { EndpointProbe } from '#lib/selfrep';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { adoptGovernance } from '../../../../test/support/policies.js';
import { approve } from '../../../../test/support/own-agents.js';
import { ADOPTED_POLICIES } from '../governance/adopted-policies.js';

type Body = Record<string, unknown>;
type Found = Body & {
  readonly endpoint_revision: number;
  readonly status: string;
  readonly status_reason: string;
  readonly endpoint: { readonly kind: string; readonly card?: { readonly version: string } };
};

const NODE = 'agent:poet_v1';
const KEY = 'MACE_TEST_ENGINE_KEY';

/** An agent of somebody else, over real HTTP: registered by the council, asked by jobs, and replayed without it. */
describe('an agent that answers elsewhere', () => {
  let app: JobApp;
  let server: Server;
  let llm: LlmServer;
  let listener: RequestListener;
  let asked: Body[];
  let [admin, auditor, ann]: Caller[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => listener(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    llm = await LlmServer.start({ kind: 'answer', text: 'Fog on the water.' });
    process.env[KEY] = 'sk-for-a-test';
    const engine = { base_url: llm.url, api_key_env: KEY, timeout_ms: 4000 };
    const providers = ['large', 'small'].map((model) => ({ ...engine, model }));
    app = await JobApp.open({}, { MACE_AGENT_HOSTS: 'localhost', MACE_LLM_PROVIDERS: JSON.stringify(providers) });
    [admin, auditor, ann] = await Promise.all([
      app.caller('ada', ['admin'], ['otp']),
      app.caller('aud', ['auditor']),
      app.caller('ann'),
    ]);
    // Nobody else is asked for poems.
    const failure = { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' };
    expect((await admin.send('POST', '/events/failure', failure)).status).toBe(200);
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await app.dispose();
    delete process.env[KEY];
    await llm.close();
  });

  const urlOf = (host = '127.0.0.1'): string => `http://${host}:${(server.address() as AddressInfo).port}/turn`;
  const register = (more: object = {}, url = urlOf()) =>
    admin!.send<Body>('POST', '/module/register', {
      node_id: NODE,
      type: 'agent',
      display_name: 'A poet',
      version: '1.0.0',
      capabilities: ['creative'],
      endpoint: { kind: 'http', url },
      ...more,
    });
  const answering =
    (answer: object, status = 200): RequestListener =>
    (request, response) =>
      void bodyOf(request).then((body) => {
        asked.push({ ...body, headers: request.headers });
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });

  it('is registered by the council alone, and only where its host is listed', async () => {
    const refused = await register({}, 'https://elsewhere.example/turn');
    expect([refused.status, refused.body['developer_message']]).toEqual([
      400,
      'endpoint.url: a host that MACE_AGENT_HOSTS lists, which elsewhere.example is not',
    ]);
    const named = await register({ node_id: 'agent:math_v2' });
    expect(named.body['developer_message']).toMatch(/^agent_id: math_agent is of the system; another of \^/);
    for (const endpoint of [
      { kind: 'ftp', url: urlOf() },
      { kind: 'http', url: 'file:///etc/passwd' },
      { kind: 'http', url: 'http://u:p@localhost/' },
      { kind: 'http', url: urlOf(), secret_ref: 'MACE_KMS_TOKEN' },
    ])
      expect((await register({ endpoint })).body['error_code']).toBe('INVALID_INPUT');
    const { status, body } = await register();
    expect([status, body]).toMatchObject([202, { pending: true, node_id: NODE }]);
    expect((await auditor!.get<Body>(`/modules/${NODE}`)).status).toBe(404);
    await approved(body);
    await until(async () => (await auditor!.get<Body>(`/modules/${NODE}`)).status === 200, 'the module');
    expect((await auditor!.get<Body>(`/modules/${NODE}`)).body).toMatchObject({
      callable: true,
      endpoint: { kind: 'http', url: urlOf() },
      endpoint_revision: 0,
    });
  });

  it('answers what is routed to it, is told nothing of the person, and is not needed for the replay', async () => {
    listener = answering({ outcome: 'answer', text: 'Rain, rain on the pane.', confidence: 0.9 });
    const { status, body } = await routed('Write a poem about rain');
    expect([status, body.agent_id, body.final_answer]).toEqual([200, 'poet_agent', 'Rain, rain on the pane.']);
    expect(asked).toMatchObject([{ query_text: 'Write a poem about rain', intent_tags: ['creative'] }]);
    expect(JSON.stringify(asked)).not.toContain('ann');
    const before = asked.length;
    const replayed = await auditor!.send<Body>('POST', '/replay/request', { job_id: body.job_id, mode: 'audit' });
    expect(replayed.body).toMatchObject({ verdict: 'MATCH' });
    expect(asked).toHaveLength(before);
  });

  it('is another once the council approves another endpoint: a turn under way ends where it began, and each says where', async () => {
    const changed = { kind: 'http', url: `${urlOf()}/2` };
    const refused = await propose({ endpoint: { ...changed, url: 'https://elsewhere.example/turn' } });
    expect(refused.body['developer_message']).toContain('a host that MACE_AGENT_HOSTS lists');
    expect((await propose({ endpoint: { kind: 'http', url: urlOf() } })).body['error_code']).toBe('CONFLICT');
    const held: (() => void)[] = [];
    listener = (request, response) => {
      const answer = answering({ outcome: 'answer', text: `Rain at ${request.url}`, confidence: 0.9 });
      if (request.url === '/turn') held.push(() => answer(request, response));
      else answer(request, response);
    };
    const before = ann!.ask('Write a poem about rain');
    await until(() => Promise.resolve(held.length > 0), 'the turn');
    await approved((await propose({ endpoint: changed })).body);
    await until(async () => (await module()).endpoint_revision > 0, 'the change');
    const after = await ann!.ask('Write a poem about rain');
    for (const answer of held) answer();
    const answers = [(await before).body, after.body];
    expect(answers.map(({ final_answer }) => final_answer)).toEqual(['Rain at /turn', 'Rain at /turn/2']);
    const { endpoint, endpoint_revision } = await module();
    expect(endpoint).toEqual(changed);
    const calls = [];
    for (const { job_id } of answers) {
      const output = (await app.stream(`job-${String(job_id)}`)).find(({ type }) => type === 'AGENT_OUTPUT');
      calls.push(output!.data['call']);
      const replayed = await auditor!.send<Body>('POST', '/replay/request', { job_id, mode: 'audit' });
      expect(replayed.body).toMatchObject({ verdict: 'MATCH' });
    }
    const bytes = expect.any(Number) as number;
    expect(calls).toEqual([
      { endpoint_revision: 0, status: 200, bytes },
      { endpoint_revision, status: 200, bytes },
    ]);
  });

  it('is a language engine under a prompt where the council says so, of the model that the prompt names', async () => {
    const prompt = { system: 'You write haiku.', model: 'small', max_tokens: 64 };
    await approved((await propose({ prompt })).body);
    await until(async () => (await module()).endpoint === null, 'the change');
    const { body } = await ann!.ask('Write a poem about fog');
    expect([body.agent_id, body.final_answer]).toEqual(['poet_agent', 'Fog on the water.']);
    expect(llm.seen.map(({ body: { model, messages, max_tokens } }) => [model, max_tokens, messages])).toEqual([
      [
        'small',
        64,
        [
          { role: 'system', content: 'You write haiku.' },
          { role: 'user', content: 'Write a poem about fog' },
        ],
      ],
    ]);
    await approved((await propose({ prompt: { ...prompt, model: 'absent' } })).body);
    await until(async () => !(await module()).callable, 'the change');
    expect(await module()).toMatchObject({
      not_callable_reason: 'no language engine with model absent is configured (MACE_LLM_PROVIDERS)',
    });
  });

  it('that fails is told in plain to whoever operates it, and the question goes to another', async () => {
    await approved((await propose({ endpoint: { kind: 'http', url: urlOf() } })).body);
    listener = answering({}, 503);
    const { body } = await routed('Write a poem about snow');
    const job_id = body.job_id ?? body.meta['job_id'];
    const { items } = (await auditor!.get<{ items: Body[] }>(`/jobs/${job_id}/events?type=AGENT_EXCEPTION`)).body;
    expect(items).toMatchObject([{ data: { node_id: NODE, error_class: 'RemoteStatus503', reason: '[redacted]' } }]);
    expect(items[0]!['data']).toMatchObject({ call: { status: 503, bytes: 2 } });
    const { turns, text } = (await auditor!.get<{ turns: Body[]; text: string[] }>(`/jobs/${job_id}/explain`)).body;
    expect(turns[0]).toMatchObject({ error_class: 'RemoteStatus503', detail: '[redacted]' });
    expect(text.join()).toContain('poet_agent crashed (RemoteStatus503): [redacted]');
    const invoked = (await app.stream(`job-${String(job_id)}`)).filter(({ type }) => type === 'AGENT_INVOKED');
    expect(invoked.map(({ data }) => data['agent_id'])).toEqual(['poet_agent', 'generic_agent']);
  });

  it('that failed in many turns at once and answers again is asked at once, although its circuit was open', async () => {
    listener = answering({}, 500);
    await Promise.all(Array.from({ length: 12 }, () => ann!.ask('Write a poem about hail')));
    await until(async () => (await module()).status === 'offline', 'what failures lead to');
    const answer = answering({ outcome: 'answer', text: 'Hail, after all.', confidence: 0.9 });
    listener = (request, response) => (request.url === '/health' ? response.end() : answer(request, response));
    await app.parts.app.nest.get(EndpointProbe, { strict: false }).lookAtOffline(new AbortController().signal);
    await until(async () => (await module()).status === 'degraded', 'the recovery');
    expect((await routed('Write a poem about hail')).body.final_answer).toBe('Hail, after all.');
  });

  it('by A2A is asked where its card says, is degraded while that is another or 10 MB, and goes on once it is approved', async () => {
    const rpc = { url: urlOf(), protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    let card = { name: 'A poet', version: '1.0.0', supportedInterfaces: [rpc] };
    const result = { message: { parts: [{ text: 'Fog, by A2A.' }] } };
    listener = (request, response) =>
      request.method === 'GET'
        ? response.end(JSON.stringify(card))
        : void bodyOf(request).then(({ id }) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })));
    const endpoint = { kind: 'a2a', url: urlOf() };
    const none = await propose({ endpoint: { ...endpoint, public_key: 'B'.repeat(43) } });
    expect([none.status, none.body['developer_message']]).toMatchObject([
      400,
      expect.stringContaining('its signature'),
    ]);
    await approved((await propose({ endpoint })).body);
    await until(async () => (await module()).endpoint.kind === 'a2a', 'the change');
    expect((await module()).endpoint.card).toMatchObject({ version: '1.0.0', url: urlOf() });
    expect((await routed('Write a poem about fog')).body.final_answer).toBe('Fog, by A2A.');
    const approvedCard = card;
    card = { ...card, name: 'a'.repeat(10_000_000) };
    const probe = app.parts.app.nest.get(EndpointProbe, { strict: false });
    await probe.lookAtCards(new AbortController().signal);
    expect(await module()).toMatchObject({
      status: 'degraded',
      status_reason: 'its agent card is another than was approved',
    });
    expect((await propose({ endpoint })).body['developer_message']).toContain('too large');
    card = approvedCard;
    await probe.lookAtCards(new AbortController().signal);
    expect((await module()).status_reason).not.toMatch(/another/);
    card = { ...card, version: '1.0.1' };
    await probe.lookAtCards(new AbortController().signal);
    expect((await module()).status_reason).toMatch(/another/);
    await approved((await propose({ endpoint })).body);
    await until(async () => (await module()).endpoint.card?.version === '1.0.1', 'the approval');
    await until(async () => !/another/.test((await module()).status_reason), 'the recovery');
  });

  it('as a critic has its seat by the governance policy: what it refuses is given again, and one that hangs is left out', async () => {
    const seated = (endpoint: object, id = 'tone') => ({ critic_id: id, weight: 5, endpoint });
    const wish = (url: string) => {
      const change = { answer_council: { ...council, critics: [...HOUSE, seated({ kind: 'http', url })] } };
      const payload = { action: 'policy_change', policy: 'governance', change };
      return admin!.send<Body>('POST', '/actionrequest/create', { kind: 'policy_change', payload, justification: 'x' });
    };
    const council = {
      quorum: { minimum_fraction: 0.5 },
      on_failure: 'FAIL_CLOSED',
      vote_collection_timeout_ms: 10_000,
    };
    const HOUSE = ['factuality', 'coherence', 'safety'].map((of) => ({ critic_id: `council_${of}_v1`, weight: 1 }));
    expect((await wish('http://u:p@localhost/vote')).body).toMatchObject({ error_code: 'INVALID_INPUT' });
    expect((await wish('http://localhost:99999/vote')).body).toMatchObject({
      developer_message: expect.stringContaining('/endpoint/url: an http or https URL') as string,
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/vote`;
    await approve(app, (await wish(url)).body);
    const vote = { scores: { factuality: 1, coherence: 1, safety: 1 }, approve: true, confidence: 1 };
    listener = (request, response) => {
      const refused = { ...vote, approve: false, suggested_changes: 'Name the unit.' };
      answering(asked.length === 0 ? refused : vote)(request, response);
    };
    const pinned = async () =>
      JSON.stringify((await app.parts.app.nest.get<Policies>(ADOPTED_POLICIES).current('governance')).body);
    await until(async () => (await pinned()).includes('/vote'), 'the policy');
    const judged = await ann!.ask('6*7');
    expect(asked).toMatchObject([
      { kind: 'answer', critic_id: 'tone', question: '6*7', headers: { 'mace-agent-contract': '1' } },
      { critic_id: 'tone' },
    ]);
    const ofJob = async (job: unknown, type: string) =>
      (await app.stream(`job-${String(job)}`)).filter((event) => event.type === type).map(({ data }) => data);
    expect(await ofJob(judged.body.job_id, 'COUNCIL_DECISION')).toMatchObject([
      { outcome: 'rejected', rejections: 5, approvals: 3 },
      { outcome: 'approved', approvals: 8 },
    ]);
    expect((await ofJob(judged.body.job_id, 'AGENT_INVOKED'))[1]).toMatchObject({
      suggested_changes: ['Name the unit.'],
    });

    expect((await ann!.ask('6*7', { persist_agent_outputs: false })).body).toMatchObject({
      error_code: 'INVALID_INPUT',
    });
    llm.behave({ kind: 'answer', text: JSON.stringify(vote) });
    const engine = { critic_id: 'terse', weight: 1, prompt: { system: 'You mind the length.', model: 'small' } };
    const gone = seated({ kind: 'http', url: 'https://elsewhere.example/vote' }, 'gone');
    await adoptGovernance(app, {
      answer_council: {
        ...council,
        vote_collection_timeout_ms: 200,
        critics: [...HOUSE, seated({ kind: 'http', url }), gone, engine],
      },
    });
    listener = () => undefined;
    const without = await ann!.ask('6*8');
    expect(await ofJob(without.body.job_id, 'COUNCIL_DECISION')).toMatchObject([
      {
        outcome: 'approved',
        approvals: 4,
        unavailable_reasons: { tone: 'no vote in time', gone: 'failed: RemoteHostNotListed' },
      },
    ]);
    server.closeAllConnections();
    listener = () => fail('a replay asked the critic');
    for (const { body } of [judged, without]) {
      const wanted = { job_id: body.job_id, mode: 'audit' };
      expect((await auditor!.send<Body>('POST', '/replay/request', wanted)).body).toMatchObject({ verdict: 'MATCH' });
    }
  });

  const module = async () => (await auditor!.get<Found>(`/modules/${NODE}`)).body;
  const propose = (target: object) =>
    admin!.send<Body>('POST', '/actionrequest/create', {
      kind: 'agent_endpoint',
      payload: { action: 'agent_endpoint', node_id: NODE, ...target },
      justification: 'it moved',
    });

  async function approved(pending: Body): Promise<void> {
    const { risk_class } = (await auditor!.get<Body>(`/actionrequest/${String(pending['request_id'])}`)).body;
    expect(risk_class).toBe('high');
    await approve(app, pending);
  }

  /** Once snapshots show the module. */
  async function routed(query: string): ReturnType<Caller['ask']> {
    await until(async () => {
      const { body } = await ann!.send<Body>('POST', '/router/decide', { query_text: query });
      return body['agent_id'] === 'poet_agent';
    }, 'the route to it');
    return ann!.ask(query);
  }
});

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}
