import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Agent, AgentReply } from '#lib/agents';
import { retryAllowed } from '#lib/kernel';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { eventually, until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';
import { adoptGovernance, SHORT_TURN } from '../support/policies.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const DENIED = 'You don’t have permission to do that.';
const MATH = 'agent:math_v1';
const SECRET = 'user/profile/user_ada/diary';

let app: JobApp;
let tuff: Caller;
let operator: Caller;

beforeEach(async () => {
  app = await JobApp.open();
  [tuff, operator] = await Promise.all([app.caller('TUFF'), app.caller('olga', ['operator'])]);
});
afterEach(() => app.dispose());

/** Where a job would go by the snapshot of the modules in force, which is made anew behind the event. */
interface Routed {
  readonly agent_id?: string;
}
const SUM = { query_text: 'What is 3 + 3?' };

describe('An agent that oversteps the policy of its module in a job (F-SEC-02; seed 000, E)', () => {
  it('gets nothing, is on record without what it tried, and its job goes on without it', async () => {
    install('math_agent', ({ effects }) =>
      effects.read(SECRET).then(
        () => said(),
        () => said(),
      ),
    );
    install('generic_agent', async () => said('It is a number.'));
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'overstep' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', final_answer: 'It is a number.', notices: [] });
    const events = await app.stream(`job-${body.job_id}`);
    expect(events.map(({ type }) => type).slice(2, 10)).toEqual([
      'QCP_CLASSIFIED',
      'ROUTER_DECISION',
      'AGENT_INVOKED',
      'POLICY_VIOLATION',
      'ROUTER_DECISION',
      'router_miss',
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
    ]);
    const { data, metadata } = events[5]!;
    const { evidence_ref, ...recorded } = data;
    expect(recorded).toEqual({
      job_id: body.job_id,
      iteration: 1,
      attempt: 1,
      agent_id: 'math_agent',
      node_id: MATH,
      action: 'sem.read',
    });

    // What it tried is evidence, and nowhere else.
    expect((await app.texts()).filter((text) => text.includes(SECRET))).toEqual([]);
    const kept = Buffer.from((await app.parts.platform.artifacts.get(evidence_ref as string))!);
    expect(kept.includes(SECRET)).toBe(false);

    // The module is offline, because of that event, and nobody is sent to it any more.
    const offline = await eventually(async () => (await offlineEvents())[0]);
    expect(offline.metadata.$causationId).toBe(metadata.event_id);
    expect(offline.data).toMatchObject({ node_id: MATH, reason: 'policy violation', job_id: body.job_id });
    expect((await operator.get<Record<string, unknown>>(`/modules/${MATH}`)).body).toMatchObject({
      status: 'offline',
      status_reason: 'policy violation',
    });
    await until(async () => (await tuff.send<Routed>('POST', '/router/decide', SUM)).body.agent_id !== 'math_agent');
    const after = await tuff.ask('What is 3 + 3?', { job_seed: 'overstep-after' });
    const [decision] = (await app.stream(`job-${after.body.job_id}`)).filter(({ type }) => type === 'ROUTER_DECISION');
    expect(decision!.data['route_trace']).toMatchObject({ excluded: [{ node_id: MATH, reason: 'offline' }] });

    // One violation is one incident and one alert.
    const incident = `inc-${sha256(`after:incidents:${metadata.event_id}:incident`).slice(0, 32)}`;
    await eventually(async () => (await app.stream(`incident-${incident}`))[1]);
    await settled();
    const opened = (await app.texts()).filter((text) => text.includes('"type":"INCIDENT_CREATED"'));
    expect(opened).toHaveLength(1);
    expect(opened[0]).toContain(incident);
    await replayToMatch(body.job_id, after.body.job_id);
  });

  it('does not reach what another person stored, though its module may read', async () => {
    const ada = await app.caller('ada');
    expect((await ada.send('PUT', `/sem/${SECRET}`, { value: 'dear diary' })).status).toBe(200);
    install('knowledge_agent', async ({ effects }) => said(JSON.stringify(await effects.read(SECRET))));
    const { status, body } = await tuff.ask("What is Ohm's law?", { job_seed: 'nosy' });
    expect(status).toBe(403);
    expect(JSON.stringify(body)).not.toContain('diary');
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    expect(events.find(({ type }) => type === 'POLICY_VIOLATION')!.data).toMatchObject({ action: 'sem.read' });
    expect(JSON.stringify(events)).not.toContain('diary');
    await replayToMatch(body.meta['job_id'] as string);
  });

  it('leaves the job blocked with PERMISSION_DENIED where nobody else answers', async () => {
    install('math_agent', ({ effects }) => effects.generate([{ role: 'user', content: 'help' }]).then(() => said()));
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'blocked' });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error_code: 'PERMISSION_DENIED',
      severity: 'warning',
      user_message: DENIED,
      developer_message: 'math_agent tried llm.generate, which it was not allowed',
    });
    const id = body.meta['job_id'] as string;
    expect((await tuff.get(`/jobs/${id}`)).body).toMatchObject({
      status: 'blocked',
      final_answer: null,
      error: { error_code: 'PERMISSION_DENIED' },
      replayable: true,
    });
    expect((await app.stream(`job-${id}`)).at(-1)!.type).toBe('JOB_SEALED');
    await replayToMatch(id);
  });

  it('writes nothing by way of its answer', async () => {
    const key = 'user/profile/user_tuff/favorite_color';
    install('knowledge_agent', async () => ({ ...said('Noted.'), memory_write: { key, value: 'puce' } }));
    const { status, body } = await tuff.ask("What is Ohm's law?", { job_seed: 'sly' });
    expect(status).toBe(403);
    const id = body.meta['job_id'] as string;
    const events = await app.stream(`job-${id}`);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('MEMORY'))).toEqual([]);
    const violation = events.find(({ type }) => type === 'POLICY_VIOLATION')!;
    expect(violation.data).toMatchObject({ node_id: 'agent:knowledge_v1', action: 'sem.write' });
    expect(await app.parts.platform.artifacts.get(violation.data['evidence_ref'] as string)).not.toBeNull();
    expect((await tuff.get(`/sem/${key}`)).status).toBe(400);
    expect(await app.stream(`sem-${key}`)).toEqual([]);
    await eventually(async () => (await offlineEvents('agent:knowledge_v1'))[0]);
    await replayToMatch(id);
  });

  it('is not called again by the start after a crash: its violation is on record', async () => {
    install('math_agent', ({ effects }) => effects.read(SECRET).then(() => said()));
    let reached = (): void => undefined;
    const asked = new Promise<void>((resolve) => (reached = resolve));
    install('generic_agent', () => (reached(), new Promise<never>(() => undefined)), true);
    const begun = tuff.ask('What is 2 + 2?', { job_seed: 'crash' });
    await asked;
    await app.whileClosed(() => undefined);
    expect((await begun).status).toBe(202);
    const id = `job:${sha256('crash:job').slice(0, 32)}`;
    tuff = await app.caller('TUFF');
    // The arithmetic that is built in would answer; only the record knows that its module overstepped.
    const { body } = await eventually(async () => {
      const found = await tuff.get(`/jobs/${id}`);
      return found.body.status === 'running' ? null : found;
    });
    expect(body).toMatchObject({ status: 'blocked', error: { error_code: 'PERMISSION_DENIED' } });
    const events = await app.stream(`job-${id}`);
    expect(events.filter(({ type }) => type === 'AGENT_INVOKED').map(({ data }) => data['agent_id'])).toEqual([
      'math_agent',
      'generic_agent',
    ]);
    expect(events.filter(({ type }) => type === 'POLICY_VIOLATION')).toHaveLength(1);
    await eventually(async () => (await offlineEvents())[0]);
    await settled();
    expect(await offlineEvents()).toHaveLength(1);
    await replayToMatch(id);
  });
});

describe('A write that a module asks for which went offline after the job pinned its snapshot', () => {
  const NODE = 'agent:operational_v1';
  const key = 'user/profile/user_tuff/favorite_color';
  const wish = { ...said('I’ll remember it.'), memory_write: { key, value: 'blue' } };

  it('is blocked, as recorded, and memory holds nothing of it', async () => {
    install('operational_agent', async () => {
      const report = { event_type: 'POLICY_VIOLATION', node_id: NODE, details: { action: 'sem.write' } };
      expect((await operator.send('POST', '/events/failure', report)).status).toBe(200);
      return wish;
    });
    const { status, body } = await tuff.ask('Remember that my favorite color is blue', { job_seed: 'offline' });
    expect(status).toBe(403);
    expect(body).toMatchObject({ error_code: 'PERMISSION_DENIED', user_message: DENIED });
    const id = body.meta['job_id'] as string;
    const events = await app.stream(`job-${id}`);
    const result = { ok: false, error_code: 'PERMISSION_DENIED', attempts: 1, fault: 'MODULE_BLOCKED' };
    expect(events.find(({ type }) => type === 'MEMORY_WRITE_RESULT')!.data).toEqual(result);
    expect((await tuff.get(`/jobs/${id}`)).body.status).toBe('blocked');
    expect(await app.stream(`sem-${key}`)).toEqual([]);
    await replayToMatch(id);
  });

  it('stands where it was written before a crash, though the module went offline before the result was recorded', async () => {
    const { eventStore } = app.parts.platform;
    const append = eventStore.append.bind(eventStore);
    const id = `job:${sha256('between:job').slice(0, 32)}`;
    let written = (): void => undefined;
    const stored = new Promise<void>((resolve) => (written = resolve));
    jest.spyOn(eventStore, 'append').mockImplementation(async (stream, expected, events) => {
      const done = await append(stream, expected, events);
      if (stream !== `sem-${key}`) return done;
      // It is in the log, and the answer is lost: so the process ends.
      written();
      return new Promise<never>(() => undefined);
    });
    void tuff.ask('Remember that my favorite color is blue', { job_seed: 'between' }).catch(() => undefined);
    await stored;
    const report = { event_type: 'POLICY_VIOLATION', node_id: NODE };
    expect((await operator.send('POST', '/events/failure', report)).status).toBe(200);
    jest.restoreAllMocks();
    await app.whileClosed(() => undefined);
    tuff = await app.caller('TUFF');
    const { body } = await eventually(async () => {
      const found = await tuff.get(`/jobs/${id}`);
      return found.body.status === 'running' ? null : found;
    });
    expect(body.status).toBe('completed');
    const events = await app.stream(`job-${id}`);
    expect(events.find(({ type }) => type === 'MEMORY_WRITE_RESULT')!.data).toMatchObject({ ok: true, revision: 0 });
    expect(await app.stream(`sem-${key}`)).toHaveLength(1);
    await replayToMatch(id);
  });
});

describe('An agent that answers after its timeout', () => {
  it('is ignored, and recorded as late beside its job, in its first try and in its second', async () => {
    const said_late = 'The late word is xyzzy.';
    await adoptGovernance(app, SHORT_TURN);
    const calls: string[] = [];
    install('math_agent', async ({ query_text, signal }) => {
      calls.push(query_text);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(50);
      return said(said_late);
    });
    install('generic_agent', async () => said('It is a number.'));
    const [once, twice] = [seedWhere((seed) => !retryAllowed(seed)), seedWhere(retryAllowed)];
    const [first, second] = await Promise.all([
      tuff.ask('What is 2 + 2?', { job_seed: once }),
      tuff.ask('What is 3 + 4?', { job_seed: twice }),
    ]);
    for (const { status, body } of [first, second]) {
      expect(status).toBe(200);
      expect(body.final_answer).toBe('It is a number.');
    }
    expect(calls).toHaveLength(3);
    const late = await eventually(async () => {
      const found = await app.stream('system-agents');
      return found.length < 3 ? null : found;
    });
    const place = { agent_id: 'math_agent', node_id: MATH, iteration: 1, attempt: 1 };
    const told = late.map(({ data: { late_by_ms, ...data } }) => ({ ...data, measured: Number(late_by_ms) >= 0 }));
    const expected = [
      { job_id: first.body.job_id, ...place, retry: 0, measured: true },
      { job_id: second.body.job_id, ...place, retry: 0, measured: true },
      { job_id: second.body.job_id, ...place, retry: 1, measured: true },
    ];
    expect(told).toHaveLength(3);
    expect(told).toEqual(expect.arrayContaining(expected));
    expect(late.every(({ type }) => type === 'AGENT_LATE_ANSWER')).toBe(true);
    // Neither the words nor their hash are anywhere.
    const texts = (await app.texts()).join();
    expect(texts).not.toContain('xyzzy');
    expect(texts).not.toContain(sha256(said_late));
    await replayToMatch(first.body.job_id, second.body.job_id);
  });
});

describe('The episodic summary of a job that read personal data', () => {
  it('is redacted by type, hash and reason kept, and replays by what was found then', async () => {
    const mail = 'reach me at tuff.person@gmail.com';
    const fact = { key: 'world/fact/tuff/definition', value: mail, timestamp: '2025-01-01T00:00:00.000Z' };
    install('knowledge_agent', async () => {
      return { ...said('Something.'), evidence: [0, 1].map((revision) => ({ ...fact, revision })) };
    });
    const { body } = await tuff.ask("What is Ohm's law?", { job_seed: 'episode' });
    const id = body.job_id ?? (body.meta['job_id'] as string);
    const events = await app.stream(`job-${id}`);
    const [summary] = events.filter(({ type }) => type === 'episodic_summary');
    expect(summary!.data).toMatchObject({
      items: [{ type: 'fact', value: 'reach me at [redacted:email]' }],
      redacted: [{ pii_type: 'email', category: 'medium', redaction_reason: 'PII_DETECTED' }],
      redactions: [{ item: 0, pointer: '', in: 'value', type: 'email', start: 12, end: 33 }],
    });
    const [{ pii_hash }] = summary!.data['redacted'] as [{ pii_hash: string }];
    expect(pii_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(summary!.data)).not.toContain('tuff.person@gmail.com');
    await replayToMatch(id);
  });
});

function said(text = 'It is 4.'): Extract<AgentReply, { kind: 'answer' }> {
  return { kind: 'answer', text, confidence: 0.9, reasoning_trace: [], evidence: [], memory_write: null };
}

function install(agent_id: string, answer: Agent['answer'], external = false): void {
  app.parts.app.nest.get(InstalledAgents).set(agent_id, { agent_id, external, answer });
}

async function offlineEvents(nodeId = MATH) {
  return (await app.stream(`module-${nodeId}`)).filter(({ type }) => type === 'NODE_OFFLINE');
}

/** Everything that reacts to what is in the log by now has done so. */
async function settled(): Promise<void> {
  let before = -1;
  await eventually(async () => {
    const { length } = await app.texts();
    const isSame = length === before;
    before = length;
    if (!isSame) await sleep(250);
    return isSame || null;
  });
}

async function replayToMatch(...jobIds: readonly string[]): Promise<void> {
  const auditor = await app.caller('ada', ['auditor']);
  for (const job_id of jobIds) {
    const { body } = await auditor.send<{ verdict: string }>('POST', '/replay/request', { job_id });
    expect(body.verdict).toBe('MATCH');
  }
}

function seedWhere(holds: (seed: string) => boolean): string {
  for (let i = 0; ; i++) if (holds(`late-${i}`)) return `late-${i}`;
}
