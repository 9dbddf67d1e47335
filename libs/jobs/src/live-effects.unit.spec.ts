import type { Agent, AgentReply } from '#lib/agents';
import { Critics } from '#lib/council';
import type { JsonObject } from '#lib/kernel';

import type { AgentResult, CollectVotes, InvokeAgent } from './engine/effects.js';
import { World, type WorldOptions } from './live-effects.js';
import { answer, COLOR, engineInput, EVIDENCE, MOMENT } from './testing/scripted-job.js';

const INVOKE: InvokeAgent = {
  kind: 'invoke_agent',
  iteration: 1,
  attempt: 1,
  retry: 0,
  agent_id: 'profile_agent',
  node_id: 'agent:profile_v1',
  depth: 1,
  token_budget: 1024,
  timeout_ms: 20,
  suggested_changes: [],
  intent_tags: [],
};
const NEVER = new AbortController().signal;
const { time_ms: _, ...REPLY } = answer() as Extract<AgentResult, { kind: 'answer' }>;

describe('a turn of an agent', () => {
  it('is given what was asked and by whom, and is measured', async () => {
    const request = jest.fn<Promise<AgentReply>, unknown[]>(async () => REPLY);
    const clock = [10, 12.3456].values();
    const result = await worldOf(request, { clock: () => clock.next().value! }).perform(INVOKE, engineInput(), NEVER);
    expect(result).toEqual({ ...REPLY, time_ms: 2.346 });
    expect(request.mock.calls[0]![0]).toMatchObject({
      user_id: 'user_tuff',
      query_text: 'What is my favorite color?',
      depth: 1,
    });
  });

  it.each<[string, () => Promise<AgentReply>, string]>([
    ['rejects', () => Promise.reject(new TypeError('it said 123-45-6789')), 'TypeError'],
    [
      'throws before it gives a promise',
      () => {
        throw new RangeError('x');
      },
      'RangeError',
    ],
    ['says what no record can hold', async () => ({ ...REPLY, text: '\ud800' }), 'CanonicalJsonError'],
    ['is sure beyond all numbers', async () => ({ ...REPLY, confidence: NaN }), 'CanonicalJsonError'],
  ])('that %s is a crash, told by its kind and never by its words', async (_name, reply, reason) => {
    const kept = { error_class: reason, evidence_ref: EVIDENCE };
    expect(await worldOf(reply).perform(INVOKE, engineInput(), NEVER)).toEqual({ kind: 'exception', reason, ...kept });
  });

  it('of an agent that nobody installed is a crash', async () => {
    const missing = { ...INVOKE, agent_id: 'other_agent' };
    expect(await worldOf(async () => REPLY).perform(missing, engineInput(), NEVER)).toMatchObject({
      kind: 'exception',
    });
  });

  it('ends at its time, the agent told so, and what it says later is ignored', async () => {
    let aborted = false;
    let late: ((reply: AgentReply) => void) | undefined;
    const world = worldOf(({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise((resolve) => (late = resolve));
    });
    expect(await world.perform(INVOKE, engineInput(), NEVER)).toEqual({ kind: 'timeout' });
    expect(aborted).toBe(true);
    late!(REPLY);
  });

  it('is called off, the agent told so, where its job is abandoned', async () => {
    const abandoning = new AbortController();
    let aborted = false;
    const world = worldOf(({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      abandoning.abort();
      return new Promise(() => undefined);
    });
    await world.perform({ ...INVOKE, timeout_ms: 600_000 }, engineInput(), abandoning.signal);
    expect(aborted).toBe(true);
  });

  it('is under the policy of its module in the snapshot, and what oversteps it is kept with its place', async () => {
    const keep = jest.fn(async () => EVIDENCE);
    const read = jest.fn(async () => null);
    const input = engineInput({
      policies: { profile_agent: { allowed_actions: [], forbidden_actions: ['sem.read'] } },
    });
    const world = worldOf(async ({ effects }) => (await effects.read(COLOR), REPLY), {
      evidence: { keep },
      memory: { ...memory(null), read },
    });
    expect(await world.perform(INVOKE, input, NEVER)).toEqual({
      kind: 'violation',
      action: 'sem.read',
      evidence_ref: EVIDENCE,
    });
    expect(read).not.toHaveBeenCalled();
    expect(keep.mock.calls).toEqual([
      [
        {
          event_type: 'POLICY_VIOLATION',
          job_id: input.accepted.job_id,
          user_id: 'user_tuff',
          agent_id: 'profile_agent',
          node_id: 'agent:profile_v1',
          iteration: 1,
          attempt: 1,
          action: 'sem.read',
          target: COLOR,
        },
      ],
    ]);
  });

  it('of a module that the snapshot does not hold is a crash: nothing says what it may do', async () => {
    const nobodys = { ...INVOKE, node_id: 'agent:nobody_v1' };
    expect(await worldOf(async () => REPLY).perform(nobodys, engineInput(), NEVER)).toMatchObject({
      kind: 'exception',
    });
  });

  it('leaves the process only where its agent does', () => {
    expect(worldOf(async () => REPLY).leavesProcess(INVOKE)).toBe(false);
    expect(worldOf(async () => REPLY, {}, true).leavesProcess(INVOKE)).toBe(true);
  });
});

describe('a vote on an answer', () => {
  const candidate = { query_text: 'q', agent_id: 'a', text: 'It is blue.', confidence: 1, evidence: [] };
  const effect: CollectVotes = {
    kind: 'collect_votes',
    candidate,
    candidate_event_id: 'e1',
    critics: ['council_safety_v1'],
    timeout_ms: 1000,
  };

  it('is asked of the critics that the job names, by the safety rules that it pinned', async () => {
    const input = engineInput();
    const strict = { ...input, safety: { ...input.safety, refused_phrases: ['blue'] } };
    const world = worldOf(async () => REPLY);
    expect(await world.perform(effect, input, NEVER)).toMatchObject({ votes: [{ approve: true }], unavailable: {} });
    expect(await world.perform(effect, strict, NEVER)).toMatchObject({ votes: [{ approve: false }] });
  });

  it('leaves the process only where a critic that is asked does', () => {
    const critics = new Critics();
    critics.install({ critic_id: 'far', external: true, vote: () => new Promise(() => undefined) });
    const world = worldOf(async () => REPLY, { critics });
    expect(world.leavesProcess(effect)).toBe(false);
    expect(world.leavesProcess({ ...effect, critics: ['far'] })).toBe(true);
    const outside = { artifact_id: 'a', critics: [], window_s: 1, node_id: 'agent:math_v1', memory_write: null };
    expect(world.leavesProcess({ ...effect, outside })).toBe(true);
    const called = { seats: [], node_id: 'agent:math_v1', memory_write: null };
    expect(world.leavesProcess({ ...effect, called })).toBe(true);
  });
});

it('keeps what an agent raised under its job and person, and tells operators which agent it was, without a word of it', async () => {
  const kept: JsonObject[] = [];
  const told: object[] = [];
  const evidence = { keep: async (record: JsonObject) => (kept.push(record), EVIDENCE) };
  const world = worldOf(() => Promise.reject(new TypeError('my secret')), {
    evidence,
    onCrash: (facts) => told.push(facts),
  });
  const input = engineInput();
  const { job_id } = input.accepted;
  const result = await world.perform(INVOKE, input, NEVER);
  expect(result).toMatchObject({ kind: 'exception', error_class: 'TypeError', evidence_ref: EVIDENCE });
  const place = { job_id, agent_id: 'profile_agent', node_id: 'agent:profile_v1', iteration: 1, attempt: 1 };
  expect(kept).toEqual([
    {
      event_type: 'AGENT_EXCEPTION',
      ...place,
      user_id: 'user_tuff',
      error_class: 'TypeError',
      message: 'my secret',
      stack: expect.stringContaining('TypeError: my secret') as string,
    },
  ]);
  expect(told).toEqual([{ ...place, error_class: 'TypeError', evidence_ref: EVIDENCE }]);
});

describe('an answer in a job that keeps no outputs', () => {
  const unkept = engineInput({ accepted: { persist_agent_outputs: false } });
  const { text, reasoning_trace, evidence, memory_write } = REPLY as Extract<AgentReply, { kind: 'answer' }>;
  const hash = `seed-1: ${JSON.stringify({ text, reasoning_trace, evidence, memory_write })}`;
  const checking: InvokeAgent = {
    ...INVOKE,
    candidate: { query_text: 'q', agent_id: 'creative_agent', text: 'said outside', confidence: 1, evidence: [] },
  };

  it('of an engine outside goes with its hash, and one of this house without', async () => {
    expect(await worldOf(async () => REPLY, {}, true).perform(INVOKE, unkept, NEVER)).toMatchObject({
      output_hash: hash,
    });
    expect(await worldOf(async () => REPLY).perform(INVOKE, unkept, NEVER)).not.toHaveProperty('output_hash');
    const kept = await worldOf(async () => REPLY, {}, true).perform(INVOKE, engineInput(), NEVER);
    expect(kept).not.toHaveProperty('output_hash');
  });

  it('that checks what an engine outside said goes with its hash too, for it repeats it', async () => {
    const inside = { agent_id: 'profile_agent', external: false, answer: async () => REPLY };
    const outside = { ...inside, agent_id: 'creative_agent', external: true };
    const agents = new Map([inside, outside].map((agent) => [agent.agent_id, agent]));
    const world = worldOf(async () => REPLY, { agents });
    expect(await world.perform(checking, unkept, NEVER)).toMatchObject({ output_hash: hash });
  });

  it('is among what a replay of the job would miss', async () => {
    const world = worldOf(async () => REPLY, { missingArtifacts: async () => ['snapshot:s'] });
    const asked = { kind: 'check_artifacts', snapshots: ['s'], unkept: ['agent_output:e'] } as const;
    expect(await world.perform(asked, unkept, NEVER)).toEqual(['snapshot:s', 'agent_output:e']);
  });
});

function worldOf(reply: Agent['answer'], options: Partial<WorldOptions> = {}, external = false): World {
  return new World({
    critics: new Critics(),
    agents: new Map([['profile_agent', { agent_id: 'profile_agent', external, answer: reply }]]),
    memory: memory(null),
    language: null,
    math: { solve: async () => ({ kind: 'not_math' }), verify: () => ({ verdict: 'not_math', reason: '' }) },
    evidence: { keep: async () => EVIDENCE },
    onCrash: () => undefined,
    lateAnswers: { record: () => undefined },
    lateVotes: { record: () => undefined },
    outside: { collect: () => Promise.reject(new Error('nobody is asked outside')) },
    called: { criticsOf: () => [] },
    findPersonal: () => [],
    hashOutput: (output, jobSeed) => `${jobSeed}: ${JSON.stringify(output)}`,
    missingArtifacts: async () => [],
    recompute: () => null,
    personalDataIn: () => [],
    ...options,
  });
}

function memory(held: Awaited<ReturnType<WorldOptions['memory']['read']>>): WorldOptions['memory'] {
  return {
    read: async () => held,
    mayRead: () => true,
    prepare: async () => ({ key_revision: 0, timestamp: MOMENT }),
    write: async () => ({ ok: false, error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'x' }),
  };
}
