import { createHash } from 'node:crypto';

import type { FailedWritesPage, IncidentRow, ListPage } from '#lib/incidents';

import { eventually } from '../../../../test/support/eventually.js';
import { type Answer, type Caller, JobApp } from '../../../../test/support/job-app.js';

type Body = Record<string, unknown>;

/** Real time, and no seeded one: that is of 2025. */
const RECENT = new RegExp(`^${new Date().getUTCFullYear()}-.*Z$`);
const MATH = 'agent:math_v1';
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const incidentOf = (eventId: string): string => `inc-${sha256(`after:incidents:${eventId}:incident`).slice(0, 32)}`;

let app: JobApp;
let admin: Caller;
let plainAdmin: Caller;
let operator: Caller;
let agent: Caller;
let tuff: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  [admin, plainAdmin, operator, agent, tuff] = await Promise.all([
    app.caller('ada', ['admin'], ['otp']),
    app.caller('adi', ['admin']),
    app.caller('olga', ['operator']),
    app.caller('math_v1', ['user', 'agent']),
    app.caller('tuff'),
  ]);
});
afterAll(() => app.dispose());

const report = (who: Caller, body: object, key?: string): Promise<Answer<Body>> =>
  who.send<Body>('POST', '/events/failure', body, key === undefined ? {} : { 'idempotency-key': key });
const ack = (who: Caller, incident_id: string, note: string, key?: string): Promise<Answer<Body>> =>
  who.send<Body>(
    'POST',
    '/admin/incident/ack',
    { incident_id, note },
    key === undefined ? {} : { 'idempotency-key': key },
  );
const listed = async (query = ''): Promise<readonly IncidentRow[]> =>
  (await operator.get<ListPage<IncidentRow>>(`/incidents${query}`)).body.items;
/** Every event of a type: the rest of the log grows by itself, with what reacts to earlier tests. */
const recorded = async (type: string): Promise<readonly string[]> =>
  (await app.texts()).filter((text) => text.includes(`"type":"${type}"`));
const incident = (eventId: string, isThere: (row: IncidentRow) => boolean = () => true): Promise<IncidentRow> =>
  eventually(async () => {
    const row = (await listed()).find(({ incident_id }) => incident_id === incidentOf(eventId));
    return row && isThere(row) ? row : null;
  });

describe('POST /events/failure', () => {
  it('takes a violation from an operator: one critical incident, with the module that it took offline linked', async () => {
    const { body } = await report(operator, {
      event_type: 'POLICY_VIOLATION',
      node_id: MATH,
      details: { action: 'sem.write' },
    });
    expect(body).toMatchObject({ event_type: 'POLICY_VIOLATION', node_id: MATH, status: 'offline' });
    const violation = body['event_id'] as string;
    const row = await incident(violation, ({ links }) => links.length > 0);
    const [, offline] = (await app.stream(`module-${MATH}`)).filter(({ type }) => /VIOLATION|OFFLINE/.test(type));
    expect(row).toEqual({
      incident_id: incidentOf(violation),
      status: 'open',
      severity: 'critical',
      cause: { event_id: violation, type: 'POLICY_VIOLATION', stream: `module-${MATH}` },
      links: [{ event_id: offline!.metadata.event_id, type: 'NODE_OFFLINE', stream: `module-${MATH}` }],
      opened_at: expect.stringMatching(RECENT) as unknown,
      acknowledged_by: null,
      acknowledged_at: null,
      note: null,
      closed_at: null,
      position: expect.any(Number),
      log_position: expect.stringMatching(/^\d+$/) as unknown,
    });
    expect(await listed()).toHaveLength(1);
    await admin.send('POST', `/modules/${MATH}/restore`, {});
  });

  it('takes timeouts and exceptions from an agent of its own module and from operators, violations from operators only', async () => {
    const timeout = { event_type: 'AGENT_TIMEOUT', node_id: MATH };
    expect((await report(agent, timeout)).status).toBe(200);
    expect((await report(agent, { event_type: 'AGENT_EXCEPTION', node_id: MATH })).status).toBe(200);
    expect((await report(operator, timeout)).status).toBe(200);
    expect((await report(agent, { ...timeout, node_id: 'agent:creative_v1' })).body).toMatchObject({
      status: 403,
      developer_message: 'AGENT_TIMEOUT is for operators, and agents of their own module',
    });
    expect((await report(agent, { event_type: 'POLICY_VIOLATION', node_id: MATH })).body).toMatchObject({
      status: 403,
      developer_message: 'POLICY_VIOLATION is for operators',
    });
    expect((await report(tuff, timeout)).status).toBe(403);
    expect((await report(operator, { event_type: 'AGENT_TIMEOUT' })).body).toMatchObject({
      error_code: 'INVALID_INPUT',
      developer_message: 'node_id: the module of which AGENT_TIMEOUT tells',
    });
  });

  it.each(['SECURITY_INCIDENT', 'INTEGRITY_FAILURE'])('takes %s from an elevated admin only', async (event_type) => {
    const refused = await Promise.all([agent, operator, tuff].map((who) => report(who, { event_type })));
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(refused[1]!.body['developer_message']).toBe(`${event_type} is for admins`);
    const plain = await report(plainAdmin, { event_type });
    expect(plain).toMatchObject({ status: 401, body: { error_code: 'UNAUTHENTICATED' } });
    expect(plain.headers['www-authenticate']).toContain('insufficient_user_authentication');

    const body = { event_type, details: { seen: 'a token of somebody else' } };
    const first = await report(admin, body, `key-${event_type}`);
    expect(first).toMatchObject({ status: 200, body: { event_type, node_id: null, status: null } });
    expect((await report(admin, body, `key-${event_type}`)).body).toEqual(first.body);
    expect((await report(admin, { event_type }, `key-${event_type}`)).body).toMatchObject({
      error_code: 'IDEMPOTENCY_KEY_REUSED',
    });
    const stream = event_type === 'SECURITY_INCIDENT' ? 'system-security' : 'system-integrity';
    const [event, ...more] = await app.stream(stream);
    expect(more).toEqual([]);
    expect(event!.metadata).toMatchObject({
      event_id: first.body['event_id'],
      actor: { id: 'user_ada', role: 'admin' },
    });
    expect(event!.data['evidence_ref']).toEqual(expect.any(String));
    expect(JSON.stringify(event)).not.toContain('somebody else');
    expect(await incident(first.body['event_id'] as string)).toMatchObject({
      severity: 'critical',
      status: 'open',
      cause: { type: event_type, stream },
    });
  });

  it.each(['AGENT_TIMEOUT', 'POLICY_VIOLATION', 'SECURITY_INCIDENT', 'INTEGRITY_FAILURE'])(
    'takes no %s of a job that is not there',
    async (event_type) => {
      const before = await recorded(event_type);
      const job_id = `job:${'0'.repeat(32)}`;
      const { status, body } = await report(admin, { event_type, node_id: MATH, job_id });
      expect([status, body['developer_message']]).toEqual([404, `job_id: no job ${job_id}`]);
      expect(await recorded(event_type)).toEqual(before);
      expect((await app.texts()).filter((text) => text.includes(job_id))).toEqual([]);
    },
  );

  it('takes the module of a security incident offline', async () => {
    // Three failures in a row took it offline before.
    expect((await admin.send('POST', `/modules/${MATH}/restore`, {})).status).toBe(200);
    const { body } = await report(admin, { event_type: 'SECURITY_INCIDENT', node_id: MATH });
    expect(body).toMatchObject({ node_id: MATH, status: 'offline' });
    const row = await incident(body['event_id'] as string, ({ links }) => links.length > 0);
    expect(row.links.map(({ type }) => type)).toEqual(['NODE_OFFLINE']);
    expect((await operator.get<Body>(`/modules/${MATH}`)).body['status_reason']).toBe('security incident');
    expect((await admin.send('POST', `/modules/${MATH}/restore`, {})).status).toBe(200);
  });
});

describe('POST /admin/incident/ack', () => {
  let id: string;
  beforeAll(async () => (id = (await listed('?status=open&limit=1'))[0]!.incident_id));

  it('is for an elevated admin', async () => {
    expect((await ack(operator, id, 'seen')).status).toBe(403);
    expect((await ack(plainAdmin, id, 'seen')).body['error_code']).toBe('UNAUTHENTICATED');
  });

  it('refuses an id that is none, one of no incident, an empty note and one with personal data', async () => {
    expect((await ack(admin, 'inc-1', 'seen')).body['error_code']).toBe('INVALID_INPUT');
    const unknown = `inc-${'0'.repeat(32)}`;
    expect((await ack(admin, unknown, 'seen')).body).toMatchObject({
      error_code: 'NOT_FOUND',
      developer_message: `no incident ${unknown}`,
    });
    expect((await ack(admin, id, '')).body['error_code']).toBe('INVALID_INPUT');
    const personal = await ack(admin, id, 'ask tuff, SSN 523-45-6789');
    expect(personal.body).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    expect(JSON.stringify(personal.body)).not.toContain('523-45');
    expect((await app.stream(`incident-${id}`)).map(({ type }) => type)).not.toContain('INCIDENT_ACK');
  });

  it('is recorded once: the same request again is the same answer, another one a conflict', async () => {
    const note = 'The module was updated and tested again.';
    const first = await ack(admin, id, note, 'ack-1');
    expect(first).toMatchObject({
      status: 200,
      body: { incident_id: id, status: 'acknowledged', severity: 'critical', acknowledged_by: 'user_ada', note },
    });
    expect((await ack(admin, id, note, 'ack-1')).body).toEqual(first.body);
    expect((await ack(admin, id, 'another note', 'ack-1')).body['error_code']).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await ack(admin, id, note, 'ack-2')).body).toMatchObject({
      error_code: 'CONFLICT',
      developer_message: `${id} was acknowledged by user_ada`,
    });
    const acks = (await app.stream(`incident-${id}`)).filter(({ type }) => type === 'INCIDENT_ACK');
    expect(acks.map(({ data, metadata }) => [data, metadata.event_id])).toEqual([
      [{ incident_id: id, acknowledged_by: 'user_ada', note }, first.body['event_id']],
    ]);
  });
});

describe('GET /incidents', () => {
  it('is for operators, auditors and admins', async () => {
    expect((await tuff.get('/incidents')).status).toBe(403);
    expect((await tuff.get('/incidents/failed-writes')).status).toBe(403);
    expect((await (await app.caller('otto', ['auditor'])).get('/incidents')).status).toBe(200);
  });

  it('lists the newest first, in pages, by status and severity', async () => {
    const all = await eventually(async () => {
      const rows = await listed();
      return rows.some(({ status }) => status === 'acknowledged') ? rows : null;
    });
    expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).sort((a, b) => b - a));
    const paged: IncidentRow[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ListPage<IncidentRow> = (
        await operator.get<ListPage<IncidentRow>>(`/incidents?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body;
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    expect(await listed('?status=acknowledged')).toEqual(all.filter(({ status }) => status === 'acknowledged'));
    expect(await listed('?severity=warning')).toEqual([]);
    expect(await listed('?status=closed')).toEqual([]);
    expect((await operator.get<Body>('/incidents?status=over')).body['error_code']).toBe('INVALID_INPUT');
  });

  it('is a projection of its own that a rerun of an auditor makes again alike, on record', async () => {
    const auditor = await app.caller('otto', ['auditor']);
    const begun = await auditor.send<Body>('POST', '/projections/incidents/rerun', { from: '0' });
    const path = `/projections/incidents/reruns/${begun.body['rerun_id'] as string}`;
    const done = await eventually(async () => {
      const { body } = await auditor.get<Body>(path);
      return body['state'] === 'running' ? null : body;
    });
    expect(done).toMatchObject({ state: 'done', verdict: 'MATCH', result: { comparable: true, equal: true } });
    const { items } = (await auditor.get<ListPage<Body>>('/audit/events?type=PROJECTION_RERUN')).body;
    expect(items).toMatchObject([
      { data: { requested_by: 'user_otto', verdict: 'MATCH', result: { from: '0', live_digest: done['digest'] } } },
    ]);
  });
});

describe('what else a refused or missed request leaves', () => {
  it('a second raw identity of one key is a collision_event, in the stream of the identity', async () => {
    const claim = (entity_id_raw: string) =>
      tuff.send<Body>('POST', '/sem/keys', {
        scope: 'world',
        entity_type: 'city',
        entity_id_raw,
        attribute_raw: 'size',
      });
    expect((await claim('São Paulo')).status).toBe(200);
    const second = await claim('Sao Paulo!');
    expect(second.status).toBe(200);
    const key = second.body['canonical_key'] as string;
    const base = key.replace(/-[0-9a-f]{6}\/size$/, '').replace(/^world\/city\//, '');
    const events = await app.stream(`identity-world/city/${base}`);
    expect(events.map(({ type }) => type)).toEqual(['IDENTITY_REGISTERED', 'collision_event']);
    expect(events[1]!.data).toMatchObject({ base_entity_id: base, entity_id: key.split('/')[2] });
  });

  it('a job that finds nothing leaves sem_miss, one that nobody can take router_miss, in its own stream', async () => {
    const missed = await tuff.ask('What is my favorite planet?');
    const unrouted = await tuff.ask('Do something weird and unknown');
    const typesOf = async ({ body }: typeof missed): Promise<string[]> =>
      (await app.stream(`job-${body.meta['job_id'] as string}`)).map(({ type }) => type);
    expect(missed.body.error_code).toBe('SEM_NOT_FOUND');
    expect(await typesOf(missed)).toContain('sem_miss');
    expect(unrouted.body.error_code).toBe('ROUTER_NO_MATCH');
    expect(await typesOf(unrouted)).toContain('router_miss');
  });

  it('a direct GET that misses leaves nothing in the log', async () => {
    const before = await recorded('sem_miss');
    expect((await tuff.get('/sem/user/profile/user_tuff/no_such_thing')).status).toBe(400);
    expect(await recorded('sem_miss')).toEqual(before);
    expect((await app.texts()).filter((text) => text.includes('no_such_thing'))).toEqual([]);
  });

  it('no write failed, so the list of failed writes is empty', async () => {
    const { body } = await operator.get<FailedWritesPage>('/incidents/failed-writes');
    expect(body).toEqual({ items: [], next_cursor: null, waiting: [], position: expect.any(String) });
  });
});
