import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

type Body = Record<string, unknown>;

const NODE = 'agent:poet_v1';

/** An agent of somebody else, over real HTTP: registered by the council, asked by jobs, and replayed without it. */
describe('an agent that answers elsewhere', () => {
  let app: JobApp;
  let server: Server;
  let listener: RequestListener;
  let asked: Body[];
  let [admin, auditor, ann]: Caller[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => listener(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    app = await JobApp.open({}, { MACE_AGENT_HOSTS: 'localhost' });
    [admin, auditor, ann] = await Promise.all([
      app.caller('ada', ['admin'], ['otp']),
      app.caller('aud', ['auditor']),
      app.caller('ann'),
    ]);
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await app.dispose();
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
    const request = `/actionrequest/${String(body['request_id'])}`;
    const { risk_class, proposal_digest } = (await auditor!.get<Body>(request)).body;
    expect(risk_class).toBe('high');
    for (const name of ['cora', 'carl', 'cleo']) {
      const member = await app.caller(name, ['council'], ['otp']);
      await member.send<Body>('POST', `${request}/vote`, { vote: 'approve', proposal_digest });
    }
    await until(async () => (await auditor!.get<Body>(`/modules/${NODE}`)).status === 200, 'the module');
    expect((await auditor!.get<Body>(`/modules/${NODE}`)).body).toMatchObject({
      callable: true,
      endpoint: { kind: 'http', url: urlOf() },
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

  it('that fails is told in plain to whoever operates it, and the question goes to another', async () => {
    listener = answering({}, 503);
    const { body } = await ann!.ask('Write a poem about snow');
    const job_id = body.job_id ?? body.meta['job_id'];
    const { items } = (await auditor!.get<{ items: Body[] }>(`/jobs/${job_id}/events?type=AGENT_EXCEPTION`)).body;
    expect(items).toMatchObject([{ data: { node_id: NODE, error_class: 'RemoteStatus503', reason: '[redacted]' } }]);
    const invoked = (await app.stream(`job-${String(job_id)}`)).filter(({ type }) => type === 'AGENT_INVOKED');
    expect(invoked.map(({ data }) => data['agent_id'])).toEqual(['poet_agent', 'generic_agent']);
  });

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
