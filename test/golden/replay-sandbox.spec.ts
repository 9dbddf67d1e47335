import type { AgentReply } from '#lib/agents';
import { World } from '#lib/jobs';
import { canonicalize } from '#lib/kernel';
import { ReplayClock, type ReplayResult } from '#lib/replay';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { Sandbox, SandboxEndedError } from '../../libs/replay/src/sandbox/sandbox.js';
import { type Answer, type AnyBody, type Caller, type JobApp } from '../support/job-app.js';
import { PLAIN, POEM, REPLAYED, ReplayHouse, SAID } from '../support/replay-house.js';

/** Agents that run again, on what was recorded and on mocks (seed 002 sections 2 and 11). */

let house: ReplayHouse;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;

beforeAll(async () => {
  house = await ReplayHouse.open();
  ({ app, tuff, auditor } = house);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => house.dispose());

describe('REPLAY-07', () => {
  let job_id: string;

  beforeAll(async () => {
    job_id = (await tuff.ask('Write a short poem about rain', { job_seed: 'mocked' })).body.job_id;
  });

  it.each(['audit', 'reexecute'])(
    'REPLAY-07: a sandbox run in mode %s on a mock of the engine is not authoritative, even where it matches',
    async (mode) => {
      const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
      const mocks = [{ agent_id: 'creative_agent', reply: POEM }];
      const { status, body } = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id, mode, mocks });
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...REPLAYED, authoritative: false, mocked: ['creative_agent'], mode });
      expect(asked).not.toHaveBeenCalled();
    },
  );

  it('REPLAY-07: other words of the mock differ from the record exactly in the words', async () => {
    const mocks = [{ agent_id: 'creative_agent', reply: 'Sun.' }];
    const asked = { job_id, mode: 'reexecute', mocks };
    const { body } = await auditor.send<ReplayResult>('POST', `/replay/request${PLAIN}`, asked);
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: false, error_code: 'REPLAY_DIVERGENCE' });
    expect(body.divergence!.differences).toEqual([
      { pointer: '/data/text', recorded: canonicalize(POEM), computed: '"Sun."' },
      { pointer: '/data/tokens', recorded: '11', computed: '1' },
    ]);
  });

  it('REPLAY-07: a production replay takes no mocks, and others only of agents that ask an engine', async () => {
    const ask = (mode: string, agent_id: string): Promise<Answer<AnyBody>> =>
      auditor.send('POST', '/replay/request', { job_id, mode, mocks: [{ agent_id, reply: 'x' }] });
    expect((await ask('production', 'creative_agent')).body.error_code).toBe('INVALID_INPUT');
    expect((await ask('audit', 'math_agent')).body.error_code).toBe('INVALID_INPUT');
  });

  it('REPLAY-07: two mocks of one agent are refused, and nothing of them is recorded', async () => {
    const before = (await app.texts()).length;
    const mocks = ['a', 'b'].map((reply) => ({ agent_id: 'creative_agent', reply }));
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id, mode: 'audit', mocks });
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.developer_message).toMatch(/^mocks: one for each agent/);
    expect(replaysIn((await app.texts()).slice(before))).toEqual([]);
  });
});

describe('a reexecuted job', () => {
  it.each<[string, () => Promise<AgentReply>]>([
    ['does not answer in time', () => new Promise(() => undefined)],
    ['ends', () => Promise.reject(new SandboxEndedError('the thread exited'))],
  ])('is no finding on its record where the sandbox %s: REPLAY_TIMEOUT, and decided anew', async (_, answer) => {
    const { body: job } = await tuff.ask('6*7');
    // Nearly all of the replay's time is gone when the turn begins, so that nobody waits for it here.
    const times = [0];
    const clock = jest
      .spyOn(app.parts.app.nest.get(ReplayClock), 'now')
      .mockImplementation(() => times.shift() ?? 59_999);
    const sandbox = jest.spyOn(Sandbox.prototype, 'agent');
    sandbox.mockImplementation((agent_id) => ({ agent_id, external: false, answer }));
    const key = { 'idempotency-key': `sandbox-${job.job_id}` };
    const order = { job_id: job.job_id, mode: 'reexecute' };
    const { status, body } = await auditor.send('POST', '/replay/request', order, key);
    expect([status, body.error_code]).toEqual([409, 'REPLAY_TIMEOUT']);
    const recorded = await app.stream(`replay-${body.meta['replay_id'] as string}`);
    expect(recorded.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_TIMEOUT', 'REPLAY_RESULT']);
    expect(recorded[1]!.data).toMatchObject({ limit: 'agent_timeout_ms', event_number: null });
    sandbox.mockRestore();
    clock.mockRestore();
    const again = await auditor.send<ReplayResult>('POST', '/replay/request', order, key);
    expect(again.body).toMatchObject(REPLAYED);
  });

  it('differs where an agent of then is not the agent of now, which an audit of the record cannot see', async () => {
    const agents = app.parts.app.nest.get(InstalledAgents);
    const honest = agents.get('math_agent')!;
    const wrong: AgentReply = { ...SAID, text: '6 * 7 = 43.', confidence: 1, reasoning_trace: [] };
    agents.set('math_agent', {
      ...honest,
      agent_id: 'math_agent',
      external: false,
      answer: () => Promise.resolve(wrong),
    });
    const { body: job } = await tuff.ask('6*7', { job_seed: 'another-agent' });
    agents.set('math_agent', honest);
    const id = job.job_id ?? (job.meta['job_id'] as string);
    expect((await house.replay(id, 'audit')).body.verdict).toBe('MATCH');
    const { body } = await house.replay(id, 'reexecute');
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: true, error_code: 'REPLAY_DIVERGENCE' });
    expect(body.divergence).toMatchObject({ event_type: 'AGENT_OUTPUT', fault: null });
    expect(body.divergence!.differences).toContainEqual({
      pointer: '/data/text',
      recorded: '"6 * 7 = 43."',
      computed: '"6 * 7 = 42."',
    });
  });
});

function replaysIn(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.includes('"stream":"replay-'));
}
