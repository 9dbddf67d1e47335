import { createHash } from 'node:crypto';

import { eventually, until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
/** The seed of a command with an Idempotency-Key (spec/kernel.md, "Seeds"). */
const seedOf = (principal: string, path: string, key: string): string =>
  `cmd:${sha256(`${principal}\nPOST\n${path}\n${key}`).slice(0, 32)}`;

const NODE = 'agent:math_v1';
const OWN_KEY = '/sem/user/profile/user_math_v1/last_result';
const DENIED = 'You don’t have permission to do that.';

let app: JobApp;
let operator: Caller;
let agent: Caller;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  [operator, agent, tuff] = await Promise.all([
    app.caller('olga', ['operator']),
    app.caller('math_v1', ['user', 'agent']),
    app.caller('tuff'),
  ]);
});
afterAll(() => app.dispose());

describe('Golden tests of failures (seed 000)', () => {
  it('F-SEC-02', async () => {
    // Before: the module works, is chosen, and writes.
    expect(await tuff.ask('What is 2 + 3?', { job_seed: 'f-sec-02-before' })).toMatchObject({
      status: 200,
      body: { final_answer: '2 + 3 = 5.', agent_id: 'math_agent' },
    });
    expect((await agent.send('PUT', OWN_KEY, { value: 'before' })).status).toBe(200);

    const report = {
      event_type: 'POLICY_VIOLATION',
      node_id: NODE,
      details: { action: 'sem.write', key: 'world/fact/pi/value', attempted: '3' },
    };
    const reported = await operator.send<Record<string, unknown>>('POST', '/events/failure', report, {
      'idempotency-key': 'f-sec-02',
    });
    const seed = seedOf('user_olga', '/events/failure', 'f-sec-02');
    const violation = sha256(`${seed}:0:POLICY_VIOLATION`);
    expect(reported).toMatchObject({
      status: 200,
      body: { event_id: violation, event_type: 'POLICY_VIOLATION', node_id: NODE, status: 'offline' },
    });

    // The violation is in the module's stream, under the id that follows from its seed, and the module is offline.
    const events = (await app.stream(`module-${NODE}`)).filter(({ metadata }) => metadata.job_seed === seed);
    expect(events.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['POLICY_VIOLATION', violation],
      ['NODE_OFFLINE', sha256(`${seed}:1:NODE_OFFLINE`)],
    ]);
    expect(events[0]!.metadata.actor).toEqual({ id: 'user_olga', role: 'operator' });
    expect(events[1]!.data).toMatchObject({
      node_id: NODE,
      reason: 'policy violation',
      health: { status: 'offline', status_reason: 'policy violation' },
    });
    expect((await operator.get<Record<string, unknown>>(`/modules/${NODE}`)).body).toMatchObject({
      status: 'offline',
      status_reason: 'policy violation',
    });

    // What it tried is evidence: named by the event, and in no event.
    const { evidence_ref: ref, ...recorded } = events[0]!.data;
    const evidence = ref as string;
    expect(recorded).toMatchObject({ node_id: NODE, action: 'sem.write' });
    expect(Object.keys(recorded).sort()).toEqual(['action', 'health', 'node_id']);
    expect((await app.texts()).filter((text) => text.includes('world/fact/pi/value'))).toEqual([]);
    const kept = await app.parts.platform.artifacts.get(evidence);
    expect(Buffer.from(kept!).includes('world/fact/pi/value')).toBe(false);
    const [text] = (await app.texts()).filter((one) => one.includes(violation) && one.includes('"POLICY_VIOLATION"'));
    expect(text).toContain(`{"data":{"action":"sem.write","evidence_ref":"${evidence}","health":{"apt":`);

    // Further writes are blocked.
    expect(await agent.send('PUT', OWN_KEY, { value: 'after' })).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        user_message: DENIED,
        developer_message: 'agent:math_v1 is offline: its writes are blocked',
      },
    });
    expect((await agent.get<Record<string, unknown>>(OWN_KEY)).body['value']).toBe('before');

    // Admins are alerted, once: that it took the module offline belongs to the same incident.
    const reaction = `after:incidents:${violation}`;
    const incident = `inc-${sha256(`${reaction}:incident`).slice(0, 32)}`;
    const alerts = await eventually(async () => {
      const found = await app.stream(`incident-${incident}`);
      return found.length > 2 ? found : null;
    });
    const offline = sha256(`${seed}:1:NODE_OFFLINE`);
    expect(alerts.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['INCIDENT_CREATED', sha256(`${reaction}:0:INCIDENT_CREATED`)],
      ['ADMIN_ALERT', sha256(`${reaction}:1:ADMIN_ALERT`)],
      ['INCIDENT_LINKED', sha256(`after:incidents:${offline}:0:INCIDENT_LINKED`)],
    ]);
    expect(alerts[1]!.data).toEqual({ incident_id: incident, severity: 'critical', cause_event_id: violation });

    // Nobody routes to it any more, and nothing quarantined it.
    const sum = { query_text: 'What is 2 + 3?' };
    const next = async () => (await tuff.send<{ agent_id?: string }>('POST', '/router/decide', sum)).body.agent_id;
    await until(async () => (await next()) !== 'math_agent');
    const routed = await tuff.ask('What is 2 + 3?', { job_seed: 'f-sec-02-after' });
    expect(routed.body.final_answer ?? null).not.toBe('2 + 3 = 5.');
    const decision = (await app.stream(`job-job:${sha256('f-sec-02-after:job').slice(0, 32)}`)).find(
      ({ type }) => type === 'ROUTER_DECISION',
    );
    expect(decision!.data['route_trace']).toMatchObject({ excluded: [{ node_id: NODE, reason: 'offline' }] });
    expect((await app.stream(`module-${NODE}`)).map(({ type }) => type)).not.toContain('MODULE_QUARANTINED');

    // The same report again is the same report.
    const again = await operator.send<Record<string, unknown>>('POST', '/events/failure', report, {
      'idempotency-key': 'f-sec-02',
    });
    expect(again.body['event_id']).toBe(violation);
  });
});
