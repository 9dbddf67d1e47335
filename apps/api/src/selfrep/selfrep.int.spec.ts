import { Modules, SelfrepSnapshots, TrustReactor } from '#lib/selfrep';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

type Body = Record<string, unknown>;

const MATH = 'agent:math_v1';

describe('modules and trust over HTTP, on the embedded stores', () => {
  let app: JobApp;
  let admin: Caller;
  let plainAdmin: Caller;
  let operator: Caller;
  let council: Caller;
  let plainCouncil: Caller;
  let tuff: Caller;
  let agent: Caller;

  beforeAll(async () => {
    app = await JobApp.open();
    [admin, plainAdmin, operator, council, plainCouncil, tuff, agent] = await Promise.all([
      app.caller('ada', ['admin'], ['otp']),
      app.caller('adi', ['admin']),
      app.caller('olga', ['operator']),
      app.caller('cora', ['council'], ['otp']),
      app.caller('carl', ['council']),
      app.caller('tuff'),
      app.caller('creative_v1', ['agent']),
    ]);
  });
  afterAll(() => app.dispose());

  const post = (who: Caller, path: string, body: unknown, key?: string) =>
    who.send<Body>('POST', path, body, key === undefined ? {} : { 'idempotency-key': key });
  const say = (who: Caller, node_id: string, event_type: string, payload: object, key?: string) =>
    post(who, '/apt/event', { node_id, event_type, payload }, key);
  const moduleOf = async (nodeId: string): Promise<Body> => (await operator.get<Body>(`/modules/${nodeId}`)).body;
  const register = (node_id: string, more: object = {}) =>
    post(admin, '/module/register', {
      node_id,
      type: node_id.slice(0, node_id.indexOf(':')),
      display_name: node_id,
      version: '1.0.0',
      ...more,
    });

  it('registers the built-in modules at the first start, with trust 0.7', async () => {
    const events = await app.stream(`module-${MATH}`);
    expect(events[0]).toMatchObject({
      type: 'MODULE_REGISTERED',
      data: { node_id: MATH, agent_id: 'math_agent', health: { apt: 0.7, status: 'degraded' } },
      metadata: { job_seed: `system:selfrep:${MATH}`, actor: { id: 'system', role: 'system' } },
    });
    await app.whileClosed(() => undefined);
    expect((await app.stream(`module-${MATH}`)).filter(({ type }) => type === 'MODULE_REGISTERED')).toHaveLength(1);
  });

  it('lets a job earn trust: its answer is a success, its council an approval', async () => {
    const answer = await tuff.ask('What is 2 + 3?');
    expect(answer.body.final_answer).toBe('2 + 3 = 5.');
    await trustOfAll();
    const { body } = await operator.get<Body>(`/apt/${MATH}`);
    expect(body).toMatchObject({ node_id: MATH, apt: 0.7993, status: 'healthy', trust_events: 2, next_cursor: null });
    const job = await app.stream(`job-${answer.body.job_id}`);
    const idOf = (type: string) => job.find((event) => event.type === type)!.metadata.event_id;
    expect(body['history']).toMatchObject([
      { event_type: 'COUNCIL_APPROVAL', event_id: idOf('COUNCIL_DECISION'), apt_before: 0.7, apt_after: 0.7993 },
      { event_type: 'AGENT_SUCCESS', event_id: idOf('AGENT_OUTPUT'), apt_before: 0.7, apt_after: 0.7 },
    ]);
    expect(job).toHaveLength(13);
    expect(await moduleOf(MATH)).toMatchObject({ metrics: { total_calls: 1, consecutive_failures: 0 } });
    const page = await operator.get<Body>(`/apt/${MATH}?limit=1`);
    const next = await operator.get<Body>(`/apt/${MATH}?limit=1&cursor=${String(page.body['next_cursor'])}`);
    expect([page.body['history'], next.body['history']].flat()).toEqual(body['history']);
    expect(next.body['next_cursor']).toBeNull();
  });

  it('gives jobs the new snapshot once a status changed, and keeps what old ones pinned readable', async () => {
    const before = app.parts.app.nest.get(SelfrepSnapshots).current.snapshot_id;
    const first = await tuff.ask('What is 2 + 4?');
    await register('agent:late_v1');
    for (let i = 0; i < 3; i++)
      await post(operator, '/events/failure', { event_type: 'AGENT_TIMEOUT', node_id: 'agent:late_v1' });
    await until(async () => app.parts.app.nest.get(SelfrepSnapshots).current.snapshot_id !== before);
    const second = await tuff.ask('What is 2 + 5?');
    const pinned = async (jobId: string) =>
      ((await app.stream(`job-${jobId}`))[1]!.data['snapshots'] as Record<string, string>)['selfrep'];
    expect(await pinned(first.body.job_id)).not.toBe(await pinned(second.body.job_id));
    for (const { body } of [first, second]) {
      const replay = await post(operator, '/replay/request', { job_id: body.job_id });
      expect(replay.body).toMatchObject({ verdict: 'MATCH' });
    }
  });

  it('tells whoever greets it what the agents that serve can be asked, and which of them lack an engine', async () => {
    const { status, body } = await tuff.ask('Hello!');
    expect([status, body.agent_id]).toEqual([200, 'generic_agent']);
    expect(body.final_answer).toContain('- Mathematics: What is 12 * 7?');
    expect(body.final_answer).toContain('Writing and Planning cannot answer now');
    expect((await post(operator, '/replay/request', { job_id: body.job_id })).body).toMatchObject({ verdict: 'MATCH' });
  });

  it('shows of a module that nothing can call why, and routes to none, however trusted', async () => {
    const registered = await register('agent:oracle_v1', { capabilities: ['math'] });
    const told = { callable: false, not_callable_reason: 'nothing here implements oracle_agent' };
    expect(registered.body).toMatchObject(told);
    const { body: asked } = await post(council, '/apt/event', {
      node_id: 'agent:oracle_v1',
      event_type: 'COUNCIL_APPROVAL',
      payload: { approve: true },
    });
    expect(asked['status']).toBeDefined();
    expect(await moduleOf('agent:oracle_v1')).toMatchObject(told);
    expect(await moduleOf(MATH)).toMatchObject({ callable: true, not_callable_reason: null });
    expect(await moduleOf('agent:creative_v1')).toMatchObject({
      callable: false,
      not_callable_reason: 'no language engine is configured (MACE_LLM_PROVIDERS)',
    });
    await until(async () => {
      const { items } = (await operator.get<{ items: Body[] }>('/modules?type=agent&limit=200')).body;
      return items.find(({ node_id }) => node_id === 'agent:oracle_v1')?.['callable'] === false;
    });
    await until(async () => {
      const { body } = await post(tuff, '/router/decide', { query_text: 'What is 2 + 6?' });
      const { excluded } = body['route_trace'] as { excluded: Body[] };
      expect(body['agent_id']).toBe('math_agent');
      return excluded.some(({ node_id, reason }) => node_id === 'agent:oracle_v1' && reason === 'not_callable');
    });
    const { body } = await tuff.ask('Write a poem about rain');
    expect([body.error_code, body.developer_message]).toEqual([
      'LLM_SERVICE_DOWN',
      'no language engine is configured (MACE_LLM_PROVIDERS)',
    ]);
    const job_id = body.meta['job_id'] as string;
    const invoked = (await app.stream(`job-${job_id}`)).filter(({ type }) => type === 'AGENT_INVOKED');
    expect(invoked.map(({ data }) => data['agent_id'])).toEqual(['generic_agent']);
    expect((await post(operator, '/replay/request', { job_id })).body).toMatchObject({ verdict: 'MATCH' });
  });

  it('registers, shows, lists and refuses to register again', async () => {
    const made = await register('service:db_v1', { capabilities: ['storage'] });
    expect(made).toMatchObject({ status: 200, headers: { etag: '"0"' }, body: { status: 'degraded', apt: 0.5 } });
    expect(made.body['registration']).toMatchObject({ registered_by: 'user_ada' });
    expect(await operator.get(`/modules/service:db_v1`)).toMatchObject({ status: 200, headers: { etag: '"0"' } });
    expect(await register('service:db_v1')).toMatchObject({
      status: 409,
      body: {
        error_code: 'IMMUTABLE_FIELD',
        developer_message: 'ImmutableFieldError: Cannot modify registration of service:db_v1.',
      },
    });
    await until(async () => {
      const { body } = await operator.get<{ items: Body[] }>('/modules?type=service');
      return body.items.length === 1 && body.items[0]!['node_id'] === 'service:db_v1';
    });
    const page = await operator.get<{ items: Body[]; next_cursor: string }>('/modules?limit=2');
    expect(page.body.items).toHaveLength(2);
    expect((await operator.get('/modules?status=fine')).status).toBe(400);
    expect((await operator.get('/modules/agent:nobody')).status).toBe(404);
    expect((await operator.get('/modules/nobody')).status).toBe(400);
  });

  it('answers a repeated registration as the first time, and refuses its key another body', async () => {
    const body = { node_id: 'tool:once', type: 'tool', display_name: 'Once', version: '1' };
    const first = await post(admin, '/module/register', body, 'once');
    expect(first.status).toBe(200);
    expect((await post(admin, '/module/register', body, 'once')).body).toEqual(first.body);
    expect(await post(admin, '/module/register', { ...body, version: '2' }, 'once')).toMatchObject({
      status: 422,
      body: { error_code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  it('refuses cycles of dependencies, and says which', async () => {
    expect((await register('tool:a', { dependencies: [{ to: 'tool:b', required: true }] })).status).toBe(200);
    expect(await register('tool:b', { dependencies: [{ to: 'tool:a', required: false }] })).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_INPUT',
        developer_message: 'dependencies: a cycle, tool:b -> tool:a -> tool:b',
      },
    });
    expect((await register('tool:self', { dependencies: [{ to: 'tool:self', required: true }] })).status).toBe(400);
  });

  it('flags those that require what is not healthy, and clears the flag', async () => {
    await register('service:mail', {});
    expect(
      (await register('tool:mailer', { dependencies: [{ to: 'service:mail', required: true }] })).body,
    ).toMatchObject({
      dependency_unhealthy: true,
      unhealthy_dependencies: ['service:mail'],
      edges: ['tool:mailer->service:mail'],
    });
    await say(operator, 'service:mail', 'AGENT_SUCCESS', {});
    await say(council, 'service:mail', 'COUNCIL_APPROVAL', { approve: true });
    await say(council, 'service:mail', 'COUNCIL_APPROVAL', { approve: true });
    expect(await moduleOf('service:mail')).toMatchObject({ status: 'healthy', apt: 0.6989005 });
    await until(async () => (await moduleOf('tool:mailer'))['dependency_unhealthy'] === false);
    await say(operator, 'service:mail', 'AGENT_EXCEPTION', {});
    await until(async () => (await moduleOf('tool:mailer'))['dependency_unhealthy'] === true);
    expect(await moduleOf('tool:mailer')).toMatchObject({ apt: 0.5 });
  });

  it('takes a module offline at the third failure, tells the admins, and lets an admin restore it', async () => {
    const node = 'agent:creative_v1';
    for (const [i, status] of ['degraded', 'degraded', 'offline'].entries()) {
      const report = { event_type: i === 1 ? 'AGENT_EXCEPTION' : 'AGENT_TIMEOUT', node_id: node };
      expect((await post(agent, '/events/failure', report)).body).toMatchObject({ node_id: node, status });
    }
    const offline = (await app.stream(`module-${node}`)).at(-1)!;
    expect(offline).toMatchObject({ type: 'NODE_OFFLINE', data: { reason: '3 failures in a row' } });
    const position = String(offline.position);
    expect(await post(operator, `/modules/${node}/restore`, {})).toMatchObject({ status: 403 });
    expect(await post(plainAdmin, `/modules/${node}/restore`, {})).toMatchObject({ status: 401 });
    const restored = await post(admin, `/modules/${node}/restore`, { reason: 'provider is back' });
    expect(restored.body).toMatchObject({ status: 'degraded', apt: 0.5, metrics: { consecutive_failures: 0 } });
    expect(await post(admin, `/modules/${node}/restore`, {})).toMatchObject({
      status: 409,
      body: { error_code: 'CONFLICT' },
    });
    expect((await operator.get<Body>(`/modules/${node}?as_of=${position}`)).body).toMatchObject({ status: 'offline' });
    expect((await operator.get<Body>(`/modules/${node}?as_of=1`)).status).toBe(404);
    expect((await operator.get<Body>(`/modules/${node}?as_of=99999999`)).status).toBe(400);
  });

  it('recomputes trust from the stream', async () => {
    const { body } = await post(plainAdmin, '/apt/recompute', { node_id: 'agent:creative_v1' });
    expect(body).toEqual({
      node_id: 'agent:creative_v1',
      apt: 0.5,
      recomputed_apt: 0.5,
      equal: true,
      outcomes: 3,
      first_difference: null,
    });
    expect((await post(operator, '/apt/recompute', { node_id: MATH })).status).toBe(403);
  });

  it('lets only those speak of a module who may', async () => {
    const status = async (who: Caller, type: string, payload: object, node = MATH) =>
      (await say(who, node, type, payload)).status;
    expect(await status(tuff, 'USER_FEEDBACK', { upvote: true, comment: 'fine' })).toBe(200);
    expect(await status(tuff, 'AGENT_TIMEOUT', {})).toBe(403);
    expect(await status(operator, 'USER_FEEDBACK', { upvote: true })).toBe(403);
    expect(await status(operator, 'AGENT_SUCCESS', {})).toBe(200);
    expect(await status(operator, 'OPERATIONAL_NOTE', { note: 'watched' })).toBe(200);
    expect(await status(operator, 'COUNCIL_APPROVAL', { approve: true })).toBe(403);
    expect(await status(agent, 'AGENT_SUCCESS', {})).toBe(403);
    expect(await status(agent, 'AGENT_SUCCESS', {}, 'agent:creative_v1')).toBe(200);
    expect(await status(plainCouncil, 'COUNCIL_APPROVAL', { approve: true })).toBe(401);
    expect(await status(plainAdmin, 'GROUND_TRUTH_LABEL', { correct: true })).toBe(401);
    expect(await status(admin, 'GROUND_TRUTH_LABEL', { correct: true })).toBe(200);
    expect(await status(admin, 'COUNCIL_APPROVAL', { approve: true })).toBe(403);
    expect((await post(agent, '/events/failure', { event_type: 'AGENT_TIMEOUT', node_id: MATH })).status).toBe(403);
    expect(
      (await post(agent, '/events/failure', { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' })).status,
    ).toBe(403);
    expect((await tuff.get('/modules')).status).toBe(403);
    expect((await tuff.get(`/apt/${MATH}`)).status).toBe(403);
    expect((await post(operator, '/module/register', {})).status).toBe(403);
  });

  it('keeps what somebody wrote as that person’s field, and refuses personal data', async () => {
    expect((await app.texts()).filter((text) => text.includes('watched') || text.includes('"fine"'))).toEqual([]);
    expect(await say(operator, MATH, 'OPERATIONAL_NOTE', { note: 'call 123-45-6789' })).toMatchObject({
      status: 403,
      body: { error_code: 'PRIVACY_BLOCKED' },
    });
  });

  it.each<[string, object]>([
    ['node_id', { node_id: 'agent:gb33bukb20201555555555' }],
    ['agent_id', { agent_id: 'gb33bukb20201555555555' }],
    ['display_name', { display_name: 'call 123-45-6789' }],
    ['version', { version: 'GB33BUKB20201555555555' }],
    ['capabilities', { capabilities: ['math', 'gb33bukb20201555555555'] }],
    ['dependencies.to', { dependencies: [{ to: 'tool:gb33bukb20201555555555', required: true }] }],
    ['policy.allowed_actions', { policy: { allowed_actions: ['gb33bukb20201555555555'], forbidden_actions: [] } }],
    ['policy.forbidden_actions', { policy: { allowed_actions: [], forbidden_actions: ['gb33bukb20201555555555'] } }],
  ])('refuses personal data in %s of a registration, and keeps none of it', async (field, more) => {
    const ada = await app.caller('ada', ['admin'], ['otp']);
    const sound = { node_id: 'agent:personal_v1', type: 'agent', display_name: 'Personal', version: '1.2.3.4' };
    const { status, body } = await post(ada, '/module/register', { ...sound, ...more });
    expect([status, body]).toEqual([403, expect.objectContaining({ error_code: 'PRIVACY_BLOCKED' })]);
    expect(JSON.stringify(body)).toContain(field);
    expect((await app.texts()).filter((text) => /gb33bukb|123-45-6789/i.test(text))).toEqual([]);
  });

  it('takes a version of four numbers, which elsewhere is the address of a host', async () => {
    const ada = await app.caller('ada', ['admin'], ['otp']);
    const sound = { node_id: 'agent:versioned_v1', type: 'agent', display_name: 'Versioned', version: '1.2.3.4' };
    expect(await post(ada, '/module/register', sound)).toMatchObject({ status: 200 });
  });

  it.each<[string, object]>([
    ['an unknown type', { event_type: 'AGENT_LOVE', payload: {} }],
    ['no approve', { event_type: 'COUNCIL_APPROVAL', payload: {} }],
    ['an unknown field', { event_type: 'AGENT_SUCCESS', payload: { apt: 1 } }],
    ['trust beyond 1', { event_type: 'MANUAL_OVERRIDE', payload: { new_apt: 1.5, reason: 'x' } }],
    ['trust of ten decimals', { event_type: 'MANUAL_OVERRIDE', payload: { new_apt: 0.1234567891, reason: 'x' } }],
    ['text for trust', { event_type: 'MANUAL_OVERRIDE', payload: { new_apt: 'NaN', reason: 'x' } }],
    ['a field beside it', { event_type: 'AGENT_SUCCESS', payload: {}, apt: 1 }],
  ])('refuses %s', async (_, body) => {
    const who = await app.caller('both', ['admin', 'council'], ['otp']);
    expect(await post(who, '/apt/event', { node_id: MATH, ...body })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_INPUT' },
    });
  });

  it('says that a module is not there', async () => {
    expect((await say(operator, 'agent:nobody', 'AGENT_SUCCESS', {})).status).toBe(404);
    expect(
      (await post(operator, '/events/failure', { event_type: 'POLICY_VIOLATION', node_id: 'agent:nobody' })).status,
    ).toBe(404);
    expect((await post(admin, '/module/quarantine', { node_id: 'agent:nobody', reason: 'x' })).status).toBe(404);
  });

  it('quarantines by the council alone: an admin asks, three members decide', async () => {
    const node = 'service:db_v1';
    const asked = await post(admin, '/module/quarantine', { node_id: node, reason: 'it leaks' });
    expect(asked).toMatchObject({ status: 202, body: { pending: true, node_id: node } });
    expect((await moduleOf(node))['status']).toBe('degraded');
    const id = String(asked.body['request_id']);
    const request = await council.get<Body>(`/actionrequest/${id}`);
    expect(request.body).toMatchObject({ required_approval_type: 'council_quorum', status: 'pending' });
    const { proposal_digest } = request.body;
    for (const name of ['cora', 'chen', 'cyra']) {
      const member = await app.caller(name, ['council'], ['otp']);
      expect((await post(member, `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest })).status).toBe(200);
    }
    await until(async () => (await moduleOf(node))['status'] === 'quarantined');
    expect(await post(admin, `/modules/${node}/restore`, {})).toMatchObject({ status: 409 });
  });

  it('overrides trust, and registers what may write to memory, through a request', async () => {
    expect(await say(admin, MATH, 'MANUAL_OVERRIDE', { new_apt: 0.9, reason: 'audit' })).toMatchObject({
      status: 202,
      body: { pending: true, node_id: MATH, request_id: expect.stringMatching(/^ar-[0-9a-f]{32}$/) },
    });
    const policy = { allowed_actions: ['sem.write'], forbidden_actions: [] };
    expect(await register('agent:scribe_v1', { policy })).toMatchObject({
      status: 202,
      body: { pending: true, node_id: 'agent:scribe_v1' },
    });
    expect((await operator.get('/modules/agent:scribe_v1')).status).toBe(404);
  });

  it('is the same after a restart', async () => {
    await trustOfAll();
    const all = async () => (await operator.get<{ items: Body[] }>('/modules?limit=200')).body.items;
    await until(async () => (await all()).length === 16);
    const before = await all();
    const snapshot = await renewed();
    await app.whileClosed(() => undefined);
    operator = await app.caller('olga', ['operator']);
    expect(await all()).toEqual(before);
    expect(app.parts.app.nest.get(SelfrepSnapshots).current.snapshot_id).toBe(snapshot);
    expect(app.parts.app.nest.get(Modules)).toBeInstanceOf(Modules);
  });

  async function trustOfAll(): Promise<void> {
    await app.parts.app.nest.get(TrustReactor).waitFor(await app.parts.platform.eventStore.head());
  }

  async function renewed(): Promise<string> {
    const snapshots = app.parts.app.nest.get(SelfrepSnapshots);
    await snapshots.renew();
    return snapshots.current.snapshot_id;
  }
});
