import type { Agent, AgentReply, AgentRequest, EngineAnswer } from '#lib/agents';

import { watchTimers } from '../../../test/support/watched-timers.js';
import type { AgentResult, InvokeAgent } from './engine/effects.js';
import { type Crash, takeLiveTurn, type TurnParts } from './live-turn.js';
import { answer, engineInput, EVIDENCE } from './testing/scripted-job.js';

const { time_ms: _, ...REPLY } = answer() as Extract<AgentResult, { kind: 'answer' }>;
const INVOKE: InvokeAgent = {
  kind: 'invoke_agent',
  iteration: 1,
  attempt: 1,
  retry: 0,
  agent_id: 'profile_agent',
  node_id: 'agent:profile_v1',
  depth: 1,
  token_budget: 321,
  timeout_ms: 60_000,
  suggested_changes: [],
  intent_tags: [],
};
const policy = (allowed: readonly string[], forbidden: readonly string[] = []) => ({
  allowed_actions: allowed,
  forbidden_actions: forbidden,
});
const NOTHING = policy(['sem.write']);
const MESSAGES = [{ role: 'user', content: 'Hello' }] as const;

const NEVER = new AbortController().signal;

type TurnOptions = Partial<Parameters<typeof takeLiveTurn>[0]>;

function world() {
  const asked: unknown[][] = [];
  const kept: unknown[] = [];
  const late: unknown[] = [];
  const raised: Crash[] = [];
  let now = 0;
  const engine: EngineAnswer = { completion: null, failures: [] };
  const parts: TurnParts = {
    ports: {
      memory: {
        read: async (key) => (asked.push(['read', key]), null),
        mayRead: (key, userId) => !key.startsWith('user/') || key.includes(userId),
      },
      language: { ask: async (messages, tokens) => (asked.push(['ask', messages, tokens]), engine) },
      math: {
        solve: async (query) => (asked.push(['solve', query]), { kind: 'not_math' }),
        verify: (query, claim) => (asked.push(['verify', query, claim]), { verdict: 'not_math', reason: '' }),
      },
    },
    keep: async (tried) => (kept.push(tried), { evidence_ref: EVIDENCE }),
    crashed: async (crash) => (raised.push(crash), { error_class: crash.error_class, evidence_ref: EVIDENCE }),
    lateAnswers: { record: (one) => late.push(one) },
    clock: () => now,
  };
  const take = (reply: Agent['answer'], more: TurnOptions = {}): Promise<AgentResult> =>
    takeLiveTurn(
      {
        agent: { agent_id: 'profile_agent', external: false, answer: reply },
        policy: policy([]),
        effect: INVOKE,
        input: engineInput(),
        abandoned: NEVER,
        ...more,
      },
      parts,
    );
  return { asked, kept, late, raised, take, at: (ms: number) => void (now = ms) };
}

const ALL: readonly [string, (request: AgentRequest) => unknown][] = [
  ['sem.read', ({ effects }) => effects.read('world/fact/pi/value')],
  ['llm.generate', ({ effects }) => effects.generate(MESSAGES)],
  ['compute', ({ effects }) => effects.solve('2+2')],
  ['compute', ({ effects }) => effects.verify('2+2', '4')],
];

describe('the evidence of an answer', () => {
  const piece = (key: string) => ({ key, revision: 0, value: 'x', timestamp: '2026-01-01T00:00:00.000Z' });

  it('under a key that the asking person may not read makes it no answer, and nothing is read', async () => {
    const { take, asked, kept } = world();
    const evidence = [piece('world/fact/pi/value'), piece('user/profile/user_eve/ssn')];
    expect(await take(async () => ({ ...REPLY, evidence }))).toEqual({
      kind: 'exception',
      reason: 'evidence[1].key: not one that the asking person may read',
    });
    expect([asked, kept]).toEqual([[], []]);
  });
});

describe('an agent that raises an exception', () => {
  it('has crashed: its class is recorded, and message and stack are kept as evidence', async () => {
    const { take, raised } = world();
    const thrown = new RangeError(`no entry for ${'x'.repeat(5000)}`);
    expect(await take(() => Promise.reject(thrown))).toEqual({
      kind: 'exception',
      reason: 'RangeError',
      error_class: 'RangeError',
      evidence_ref: EVIDENCE,
    });
    expect(raised).toHaveLength(1);
    expect(raised[0]!.message).toBe(thrown.message.slice(0, 4000));
    expect(raised[0]!.stack).toMatch(/^RangeError: no entry for x+/);
    expect(raised[0]!.stack.length).toBeLessThanOrEqual(16_000);
  });

  it.each<[string, unknown, string]>([
    ['words in the name of its class', Object.assign(new Error('x'), { name: 'Ada Lovelace, born 1815' }), 'Error'],
    ['a number for its message', Object.assign(new Error('x'), { message: 7, stack: null }), 'Error'],
    ['half a character', new TypeError('\uD83C'), 'TypeError'],
    ['no error', 'a text', 'a thrown value that is no error'],
  ])('is told as what can be recorded where it raises %s', async (_, thrown, error_class) => {
    const { take, raised } = world();
    expect(await take(() => Promise.reject(thrown as Error))).toMatchObject({ kind: 'exception', error_class });
    expect(Object.values(raised[0]!).every((text) => typeof text === 'string' && text.isWellFormed())).toBe(true);
  });

  it('leaves no evidence where what it gave is no reply, or came after its time', async () => {
    const { take, raised } = world();
    await take(async () => ({ kind: 'weird' }) as never);
    let fail: (error: Error) => void = () => undefined;
    const reply = () => new Promise<AgentReply>((_, reject) => (fail = reject));
    await take(reply, { effect: { ...INVOKE, timeout_ms: 1 } });
    fail(new TypeError('late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(raised).toEqual([]);
  });
});

describe('what a turn may do', () => {
  it('reaches the world under an empty policy, within the turn’s budget of tokens', async () => {
    const { take, asked } = world();
    await take(async (request) => {
      for (const [, use] of ALL) await use(request);
      return REPLY;
    });
    expect(asked).toEqual([
      ['read', 'world/fact/pi/value'],
      ['ask', MESSAGES, 321],
      ['solve', '2+2'],
      ['verify', '2+2', '4'],
    ]);
  });

  it.each(ALL)('is no %s where only other actions are allowed', async (action, use) => {
    const { take, asked, kept } = world();
    const result = await take(async (request) => (await use(request), REPLY), { policy: NOTHING });
    expect(result).toEqual({ kind: 'violation', action, evidence_ref: EVIDENCE });
    expect(asked).toEqual([]);
    expect(kept).toEqual([expect.objectContaining({ action, node_id: 'agent:profile_v1', iteration: 1, attempt: 1 })]);
  });

  it.each(ALL)('is no %s where it is forbidden, though it is allowed too', async (action, use) => {
    const { take, asked } = world();
    const result = await take(async (request) => (await use(request), REPLY), { policy: policy([action], [action]) });
    expect(result).toMatchObject({ kind: 'violation', action });
    expect(asked).toEqual([]);
  });

  it.each<[string, (use: () => Promise<unknown>) => Promise<AgentReply>]>([
    [
      'catches it and answers',
      async (use) =>
        use().then(
          () => REPLY,
          () => REPLY,
        ),
    ],
    ['does not wait for it and answers', async (use) => (void use().catch(() => undefined), REPLY)],
    [
      'catches it and crashes',
      async (use) =>
        use().then(
          () => REPLY,
          () => Promise.reject(new TypeError('x')),
        ),
    ],
    [
      'catches it and never answers',
      async (use) =>
        use().then(
          () => REPLY,
          () => new Promise<never>(() => undefined),
        ),
    ],
  ])('stays a violation where the agent %s', async (_name, go) => {
    const { take } = world();
    const result = await take(({ effects }) => go(() => effects.read('k')), { policy: NOTHING });
    expect(result).toMatchObject({ kind: 'violation', action: 'sem.read' });
  });

  it('is told by the first overstep, whatever came after', async () => {
    const { take, kept } = world();
    const trying = async ({ effects }: AgentRequest): Promise<AgentReply> => {
      await effects.generate(MESSAGES).catch(() => undefined);
      await effects.read('k').catch(() => undefined);
      return REPLY;
    };
    expect(await take(trying, { policy: NOTHING })).toMatchObject({ action: 'llm.generate' });
    expect(kept).toEqual([expect.objectContaining({ action: 'llm.generate', target: MESSAGES })]);
  });

  it('tells an agent that overstepped at once that its turn is over', async () => {
    let aborted = false;
    await world().take(
      ({ effects, signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return effects.read('k').catch(() => new Promise<never>(() => undefined)) as Promise<never>;
      },
      { policy: NOTHING },
    );
    expect(aborted).toBe(true);
  });

  it('reads what its person may read and nobody else’s, whatever the policy', async () => {
    const { take, asked, kept } = world();
    const key = 'user/profile/user_ada/diary';
    const own = 'user/profile/user_tuff/diary';
    const reading = async ({ effects }: AgentRequest) => (await effects.read(own), await effects.read(key), REPLY);
    expect(await take(reading)).toMatchObject({ kind: 'violation', action: 'sem.read' });
    expect(asked).toEqual([['read', own]]);
    expect(kept).toEqual([expect.objectContaining({ target: key })]);
  });

  it('ends with the turn: what an agent kept reaches nothing later, and is no violation', async () => {
    const { take, asked, kept } = world();
    let held: AgentRequest | undefined;
    await take(async (request) => ((held = request), REPLY), { policy: NOTHING });
    await expect(held!.effects.read('k')).rejects.toThrow('sem.read: the turn is over');
    expect(() => held!.effects.verify('a', 'b')).toThrow('the turn is over');
    expect([asked, kept]).toEqual([[], []]);
  });

  it('hides what it stands on from the agent', async () => {
    let seen: unknown;
    await world().take(async ({ effects }) => ((seen = Reflect.ownKeys(effects)), REPLY));
    expect(seen).toEqual([]);
  });
});

describe('a reply that has no form', () => {
  it.each<[string, unknown, string]>([
    ['no reply at all', null, 'the reply is no object'],
    ['a kind that nobody knows', { kind: 'weird' }, 'kind: allowed are answer, miss, declined and unavailable'],
    ['a timeout of the agent’s own', { kind: 'timeout' }, 'kind: allowed are answer, miss, declined and unavailable'],
    ['confidence in words', { ...REPLY, confidence: 'high' }, 'confidence: not a number from 0 to 1'],
    ['evidence of nothing', { ...REPLY, evidence: [null] }, 'evidence[0]: not an object'],
    ['a write of nothing', { ...REPLY, memory_write: {} }, 'memory_write.key: not a text'],
  ])('is a crash: %s', async (_name, given, reason) => {
    expect(await world().take(async () => given as AgentReply)).toEqual({ kind: 'exception', reason });
  });

  it('cannot say how long it took, nor name evidence that nobody kept', async () => {
    const result = await world().take(async () => ({ ...REPLY, time_ms: -7, evidence_ref: 'x' }) as AgentReply);
    expect(result).toEqual({ ...REPLY, time_ms: 0 });
  });
});

describe('an agent that answers after its timeout', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  function slow() {
    const w = world();
    let speak!: (reply: AgentReply) => void;
    let fail!: (error: unknown) => void;
    const reply = () => new Promise<AgentReply>((resolve, reject) => ([speak, fail] = [resolve, reject]));
    const settle = () => jest.advanceTimersByTimeAsync(0);
    return { ...w, reply, speak: (said: AgentReply) => speak(said), fail: (e: unknown) => fail(e), settle };
  }

  it.each([0, 1] as const)('is ignored and recorded as late, nothing of what it said (retry %i)', async (retry) => {
    const { take, reply, speak, late, at, settle } = slow();
    const turn = take(reply, { effect: { ...INVOKE, retry } });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await turn).toEqual({ kind: 'timeout' });
    expect(late).toEqual([]);
    at(60_250.4);
    speak(REPLY);
    await settle();
    const { job_id } = engineInput().accepted;
    const place = { job_id, agent_id: 'profile_agent', node_id: 'agent:profile_v1', iteration: 1, attempt: 1, retry };
    expect(late).toEqual([{ ...place, late_by_ms: 250 }]);
  });

  it.each<[string, (agent: ReturnType<typeof slow>) => void]>([
    ['says that it was called off', ({ speak }) => speak({ kind: 'unavailable', reason: 'aborted' })],
    ['declines', ({ speak }) => speak({ kind: 'declined', reason: 'given up' })],
    ['crashes', ({ fail }) => fail(new TypeError('x'))],
    ['says what no record can hold', ({ speak }) => speak({ ...REPLY, confidence: NaN })],
  ])('is not late where it only %s', async (_name, go) => {
    const agent = slow();
    const turn = agent.take(agent.reply);
    await jest.advanceTimersByTimeAsync(60_000);
    await turn;
    go(agent);
    await agent.settle();
    expect(agent.late).toEqual([]);
  });

  it.each(['before', 'after'])('records nothing where its run was abandoned %s the timeout', async (when) => {
    const abandoning = new AbortController();
    const { take, reply, speak, late, settle } = slow();
    const turn = take(reply, { abandoned: abandoning.signal });
    if (when === 'before') abandoning.abort();
    else await jest.advanceTimersByTimeAsync(60_000);
    await turn;
    abandoning.abort();
    speak(REPLY);
    await settle();
    expect(late).toEqual([]);
  });

  it.each<[string, Agent['answer'], TurnOptions]>([
    ['answers', async () => REPLY, {}],
    ['crashes', () => Promise.reject(new TypeError('x')), {}],
    ['oversteps', async ({ effects }) => (await effects.read('k'), REPLY), { policy: NOTHING }],
  ])('leaves no timer and no listener where it %s', async (_name, reply, more) => {
    const { signal } = new AbortController();
    const [added, removed] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    const timers = watchTimers(/libs\/jobs\/src\/live-turn\.(?!unit)/);
    await world().take(reply, { ...more, abandoned: signal });
    expect(timers.left()).toHaveLength(0);
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect(added).toHaveBeenCalledTimes(1);
  });

  describe('and answers elsewhere', () => {
    function elsewhere(more: TurnOptions = {}) {
      const agent = slow();
      let asked!: AgentRequest;
      const timers = watchTimers(/libs\/jobs\/src\/live-turn\.(?!unit)/);
      const turn = agent.take((request) => ((asked = request), request.closing, agent.reply()), more);
      const aborted = () => [asked.signal.aborted, asked.closing!.aborted];
      return { ...agent, turn, aborted, timers };
    }

    it('is waited for as long again as the turn had, and then no more', async () => {
      const { turn, aborted, timers } = elsewhere();
      await jest.advanceTimersByTimeAsync(60_000);
      expect([await turn, aborted()]).toEqual([{ kind: 'timeout' }, [true, false]]);
      await jest.advanceTimersByTimeAsync(59_999);
      expect(aborted()).toEqual([true, false]);
      await jest.advanceTimersByTimeAsync(1);
      expect([aborted(), timers.left()]).toEqual([[true, true], []]);
    });

    it('is recorded as late, and nothing is left of its turn', async () => {
      const { signal } = new AbortController();
      const [added, removed] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
      const { turn, speak, settle, late, timers } = elsewhere({ abandoned: signal });
      await jest.advanceTimersByTimeAsync(60_000);
      await turn;
      speak(REPLY);
      await settle();
      expect([late, timers.left()]).toMatchObject([[{ agent_id: 'profile_agent' }], []]);
      expect(new Set(removed.mock.calls)).toEqual(new Set(added.mock.calls));
    });

    it.each(['before', 'after'])('is left at once where the run is abandoned %s the timeout', async (when) => {
      const abandoning = new AbortController();
      const { turn, aborted } = elsewhere({ abandoned: abandoning.signal });
      if (when === 'after') await jest.advanceTimersByTimeAsync(60_000);
      abandoning.abort();
      await turn;
      expect(aborted()).toEqual([true, true]);
    });

    it('is left at once where it oversteps', async () => {
      let closing: AbortSignal | undefined;
      const over = ({ effects, ...request }: AgentRequest) => ((closing = request.closing), effects.read('k'));
      await world().take(over as unknown as Agent['answer'], { policy: NOTHING });
      expect(closing!.aborted).toBe(true);
    });
  });

  it('that never answers leaves no timer and no listener either', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    const timers = watchTimers(/libs\/jobs\/src\/live-turn\.(?!unit)/);
    const turn = world().take(() => new Promise(() => undefined), { abandoned: signal });
    expect(timers.left()).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(60_000);
    await turn;
    expect(timers.left()).toHaveLength(0);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  it('makes no signal where its agent looks at none: one costs more than the turn of an agent that reads a fact', async () => {
    const made = jest.spyOn(AbortController.prototype, 'signal', 'get');
    try {
      expect(await world().take(async ({ effects }) => (await effects.solve('2+2'), REPLY))).toMatchObject(REPLY);
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
  });
});
