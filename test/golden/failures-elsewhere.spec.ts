import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { retryAllowed } from '#lib/kernel';

import { until } from '../support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { registerElsewhere } from '../support/own-agents.js';
import { adoptGovernance, SHORT_TURN } from '../support/policies.js';

const TIMEOUT = 'One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.';
const CRASH = 'A module failed while processing your request. I can try a partial result or you can try again.';
const REPAIR_LIMIT = 'I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?';

const NODE = 'agent:sum_v1';
const ONCE = seedWhere((seed) => !retryAllowed(seed));
const TWICE = seedWhere(retryAllowed);

/** The same failures as those of agents of the system, of one that is a process of its own, stopped or killed in a turn. */
describe('Golden tests of an agent elsewhere that fails (seed 001, Groups D and F; seed 000)', () => {
  let app: JobApp;
  let tuff: Caller;
  let agent: OwnAgent;

  beforeAll(async () => {
    app = await JobApp.open({}, { MACE_AGENT_HOSTS: 'localhost' });
    tuff = await app.caller('TUFF');
    await adoptGovernance(app, SHORT_TURN);
    const operator = await app.caller('olga', ['operator']);
    const failure = { event_type: 'POLICY_VIOLATION', node_id: 'agent:math_v1' };
    await operator.send('POST', '/events/failure', failure);
    agent = await OwnAgent.start({ ANSWER: '2 + 2 = 4.', ANSWER_MS: '0' });
    const endpoint = { kind: 'http', url: agent.url };
    await registerElsewhere(app, { node_id: NODE, capabilities: ['math'], endpoint }, 'What is 2 + 2?');
  });
  afterEach(() => agent.kill());
  afterAll(() => app.dispose());

  /** Another process at the same port. */
  async function restarted(settings: Record<string, string>): Promise<void> {
    await agent.kill();
    agent = await OwnAgent.start(settings, agent.port);
    await inService();
  }

  /** Trust in it as at first, so that it is asked. */
  async function inService(): Promise<void> {
    for (let i = 0; i < 4; i++) await label();
    await until(async () => {
      const { body } = await tuff.send<Record<string, unknown>>('POST', '/router/decide', {
        query_text: 'What is 2 + 2?',
      });
      return (body['route_trace'] as { selected?: string } | undefined)?.selected === NODE;
    }, 'the route to it');
  }

  async function label(): Promise<void> {
    const council = await app.caller('cora', ['council'], ['otp']);
    const event = { node_id: NODE, event_type: 'GROUND_TRUTH_LABEL', payload: { correct: true } };
    const { status, body } = await council.send('POST', '/apt/event', event);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  const typesOf = async (jobId: string): Promise<readonly string[]> =>
    (await app.stream(`job-${jobId}`)).map(({ type }) => type);

  it.each([
    ['T16_AGENT_TIMEOUT and F-FAIL-01', ONCE, ['AGENT_INVOKED', 'AGENT_TIMEOUT', 'ROUTER_DECISION']],
    ['T16_AGENT_TIMEOUT after a retry', TWICE, ['AGENT_INVOKED', 'AGENT_TIMEOUT', 'RETRY_ATTEMPT', 'ROUTER_DECISION']],
  ])('%s: stopped in the middle of a turn', async (_, job_seed, expected) => {
    await restarted({ ANSWER: '2 + 2 = 4.', ANSWER_MS: '300' });
    const asked = agent.asked();
    const answering = tuff.ask('What is 2 + 2?', { job_seed });
    await asked;
    agent.stop();
    const { body } = await answering;
    const job_id = jobOf(body);
    const events = await app.stream(`job-${job_id}`);
    const types = events.map(({ type }) => type);
    const from = types.indexOf('AGENT_INVOKED');
    expect(types.slice(from, from + expected.length)).toEqual(expected);
    expect(events[from + 1]!.data).toMatchObject({ node_id: NODE, timeout_ms: 1000, call: { endpoint_revision: 0 } });
    const log = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!.data;
    expect(JSON.stringify(log)).toContain(TIMEOUT);
    expect(types).not.toContain('AGENT_EXCEPTION');
  });

  it('T17_AGENT_CRASH: killed in the middle of a turn', async () => {
    await restarted({ ANSWER: '2 + 2 = 4.', ANSWER_MS: '300' });
    const asked = agent.asked();
    const answering = tuff.ask('What is 2 + 2?', { job_seed: 't17' });
    await asked;
    await agent.kill();
    const { status, body } = await answering;
    expect([status, body.error_code, body.user_message]).toEqual([500, 'AGENT_ERROR', CRASH]);
    const events = await app.stream(`job-${jobOf(body)}`);
    const crash = events.find(({ type }) => type === 'AGENT_EXCEPTION')!;
    expect(crash.data).toMatchObject({ node_id: NODE, error_class: 'RemoteBrokenOff', call: { endpoint_revision: 0 } });
  });

  it('T19_REPAIR_LIMIT: it gives the same wrong answer, whatever the critics ask of it', async () => {
    await restarted({ ANSWER: '2 + 2 = 5.', ANSWER_MS: '0' });
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 't19' });
    expect([status, body.error_code, body.user_message]).toEqual([503, 'REPAIR_LIMIT_EXCEEDED', REPAIR_LIMIT]);
    const job_id = jobOf(body);
    expect(agent.lines.filter((line) => line.startsWith('asked'))).toHaveLength(4);
    expect((await typesOf(job_id)).filter((type) => type === 'COUNCIL_DECISION')).toHaveLength(4);
  });

  it('F-SEC-02: offline after a violation it is asked nothing, and its own health brings it back no more', async () => {
    await restarted({ ANSWER: '2 + 2 = 4.', ANSWER_MS: '0' });
    const before = agent.lines.length;
    const operator = await app.caller('olga', ['operator']);
    await operator.send('POST', '/events/failure', { event_type: 'POLICY_VIOLATION', node_id: NODE });
    const { body } = await tuff.ask('What is 2 + 2?', { job_seed: 'f-sec-02' });
    expect(await typesOf(jobOf(body))).not.toContain('AGENT_TIMEOUT');
    expect(agent.lines.slice(before).filter((line) => line.startsWith('asked'))).toEqual([]);
    const { body: module } = await operator.get<Record<string, unknown>>(`/modules/${NODE}`);
    expect(module).toMatchObject({ status: 'offline', status_reason: 'policy violation' });
  });
});

function jobOf({ job_id, meta }: AnyBody): string {
  return job_id ?? (meta['job_id'] as string);
}

/** A process of its own, as somebody else's agent is. */
class OwnAgent {
  readonly lines: string[] = [];
  private readonly waiting: (() => void)[] = [];
  port = 0;

  private constructor(private readonly child: ChildProcess) {
    createInterface(child.stdout!).on('line', (line) => {
      this.lines.push(line);
      if (line.startsWith('asked')) for (const told of this.waiting.splice(0)) told();
    });
  }

  static async start(settings: Record<string, string>, port = 0): Promise<OwnAgent> {
    const args = ['test/fixtures/agents/calculating.mjs', String(port)];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const agent = new OwnAgent(child);
    await until(() => Promise.resolve(agent.lines.length > 0), 'the port of the agent');
    agent.port = Number(agent.lines[0]!.split(' ')[1]);
    return agent;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Settles as the next turn begins. */
  asked(): Promise<void> {
    return new Promise((told) => this.waiting.push(told));
  }

  stop(): void {
    this.child.kill('SIGSTOP');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

function seedWhere(holds: (seed: string) => boolean): string {
  for (let i = 0; ; i++) if (holds(`t16-${i}`)) return `t16-${i}`;
}
