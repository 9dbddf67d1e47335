import { LlmServer, type Behaviour } from '../../../test/fixtures/llm-server/llm-server.js';
import { watchTimers } from '../../../test/support/watched-timers.js';
import type { AgentReply, AgentRequest } from './agent.js';
import { createLanguageAgents } from './language-agent.js';
import { createLanguageEngine } from './language/language-engine.js';
import type { Environment, LanguageProviderOptions } from './language/language-provider.js';
import { FIRST_TURN, granted } from './testing/granted.js';

/** Against real servers on this machine; a timeout that must not pass is long, one that must is short. */
const LONG = 20_000;
const SHORT = 400;
const ANSWER: Behaviour = { kind: 'answer', text: 'Rain, rain.' };
const ENV = { KEY_ONE: 'sk-one', KEY_TWO: 'sk-two' };

const servers: LlmServer[] = [];
const start = async (...behaviours: Behaviour[]): Promise<LlmServer> => {
  const server = await LlmServer.start(...behaviours);
  servers.push(server);
  return server;
};

// Loading the client takes a while, and a short timeout would end before its first request has left.
beforeAll(async () => {
  const server = await start(ANSWER);
  await ask([provider(server.url)]);
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function provider(base_url: string, more: Partial<LanguageProviderOptions> = {}): LanguageProviderOptions {
  return { base_url, api_key_env: 'KEY_ONE', model: 'a-model', timeout_ms: LONG, ...more };
}

/** A turn that may ask these providers. */
function request(
  providers: readonly LanguageProviderOptions[],
  more: Partial<AgentRequest> = {},
  env: Environment = ENV,
): AgentRequest {
  const engine = createLanguageEngine(providers, env);
  const { signal = new AbortController().signal } = more;
  return {
    turn: FIRST_TURN,
    query_text: 'Write a poem about rain',
    user_id: 'user_tuff',
    depth: 1,
    token_budget: 512,
    suggested_changes: [],
    effects: granted({ generate: async (messages) => engine && engine.ask(messages, 512, signal) }),
    ...more,
    signal,
  };
}

const [CREATIVE] = createLanguageAgents(true);

function ask(providers: readonly LanguageProviderOptions[], more: Partial<AgentRequest> = {}): Promise<AgentReply> {
  return CREATIVE.answer(request(providers, more));
}

describe('a language agent', () => {
  it('gives what the engine says, and names the engine', async () => {
    const server = await start(ANSWER);
    expect(await ask([provider(server.url)])).toEqual({
      kind: 'answer',
      text: 'Rain, rain.',
      confidence: 0.7,
      reasoning_trace: [`asked a-model at ${server.host}`],
      evidence: [],
      memory_write: null,
    });
  });

  it('says that it is not memory’s where memory was asked before, within the length of an answer', async () => {
    const before = 'From a language model, and not from memory, which holds nothing about this: ';
    const server = await start(ANSWER, { kind: 'answer', text: 'x'.repeat(16_000) });
    const asked = () => ask([provider(server.url)], { after_miss: true });
    expect(await asked()).toMatchObject({ text: `${before}Rain, rain.`, confidence: 0.7 });
    expect(await asked()).toMatchObject({ text: before + 'x'.repeat(16_000 - before.length), confidence: 0.5 });
    expect(JSON.stringify(server.seen)).not.toContain('memory');
  });

  it('sends its task, the query and the granted tokens, and nothing of the person', async () => {
    const server = await start(ANSWER);
    await ask([provider(server.url)], { suggested_changes: ['be shorter'] });
    const { path, headers, body } = server.seen[0]!;
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe('Bearer sk-one');
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
    expect(body).toMatchObject({ model: 'a-model', max_tokens: 512, stream: false });
    expect(body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('creative') as string },
      { role: 'user', content: 'Write a poem about rain' },
      { role: 'system', content: 'An earlier answer was refused. Change this: be shorter' },
    ]);
    expect(JSON.stringify(server.seen)).not.toContain('tuff');
  });

  it('has a task of its own for each agent', async () => {
    const server = await start(ANSWER);
    for (const agent of createLanguageAgents(true)) await agent.answer(request([provider(server.url)]));
    const tasks = server.seen.map(({ body }) => body.messages[0]!.content);
    expect(new Set(tasks).size).toBe(3);
  });

  it('takes nothing from OPENAI_* variables', async () => {
    const server = await start(ANSWER);
    const foreign = {
      OPENAI_API_KEY: 'sk-foreign',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_ORG_ID: 'org-foreign',
      OPENAI_PROJECT_ID: 'project-foreign',
    };
    Object.assign(process.env, foreign);
    try {
      await ask([provider(server.url)]);
    } finally {
      for (const name of Object.keys(foreign)) delete process.env[name];
    }
    expect(JSON.stringify(server.seen[0]!.headers)).not.toContain('foreign');
  });

  it('cuts what is too long, never within a character, and trusts it less', async () => {
    const server = await start({ kind: 'answer', text: 'x'.repeat(15_999) + '🌧'.repeat(10) });
    const reply = await ask([provider(server.url)]);
    expect(reply).toMatchObject({
      kind: 'answer',
      text: 'x'.repeat(15_999),
      confidence: 0.5,
      reasoning_trace: [`asked a-model at ${server.host}`, 'the answer was cut off after 15999 characters'],
    });
  });

  it('trusts an answer less that the engine itself cut off', async () => {
    const server = await start({ kind: 'answer', text: 'Rain, ra', finish_reason: 'length' });
    expect(await ask([provider(server.url)])).toMatchObject({ kind: 'answer', text: 'Rain, ra', confidence: 0.5 });
  });

  it('gives only text that can be recorded', async () => {
    const server = await start({ kind: 'answer', text: 'half a \uD83C character' });
    expect(await ask([provider(server.url)])).toMatchObject({ text: 'half a \uFFFD character' });
  });
});

const statusIn = (behaviour: Behaviour): { status?: number } =>
  behaviour.kind === 'status' && behaviour.status >= 400 ? { status: behaviour.status } : {};

const MISBEHAVING: [behaves: string, behaviour: Behaviour, kind: string, timeout_ms: number][] = [
  ['answers 500', { kind: 'status', status: 500 }, 'server_error', LONG],
  [
    'answers 503 and asks to be tried again',
    { kind: 'status', status: 503, headers: { 'x-should-retry': 'true', 'retry-after': '0' } },
    'server_error',
    LONG,
  ],
  ['answers 401', { kind: 'status', status: 401 }, 'auth', LONG],
  ['answers 403', { kind: 'status', status: 403 }, 'auth', LONG],
  ['answers 429', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 'rate_limited', LONG],
  ['answers 400', { kind: 'status', status: 400 }, 'rejected', LONG],
  [
    'sends its callers elsewhere',
    { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:9/v1' } },
    'connection',
    LONG,
  ],
  ['cuts the connection', { kind: 'reset' }, 'connection', LONG],
  ['cuts the connection within the body', { kind: 'cut_body' }, 'connection', LONG],
  ['never answers', { kind: 'hang' }, 'timeout', SHORT],
  ['answers a byte at a time', { kind: 'slow_bytes' }, 'timeout', SHORT],
  ['answers half a JSON', { kind: 'half_json' }, 'malformed', LONG],
  ['answers two megabytes of text', { kind: 'answer', text: 'x'.repeat(2_000_000) }, 'too_large', LONG],
  ['answers in another shape', { kind: 'shape', body: { result: 'Rain' } }, 'wrong_shape', LONG],
  ['answers a list', { kind: 'shape', body: [1, 2] }, 'wrong_shape', LONG],
  ['answers null', { kind: 'shape', body: null }, 'wrong_shape', LONG],
  ['answers without choices', { kind: 'shape', body: { choices: [] } }, 'wrong_shape', LONG],
  [
    'answers a number for a text',
    { kind: 'shape', body: { choices: [{ message: { content: 5 } }] } },
    'wrong_shape',
    LONG,
  ],
  ['answers no text', { kind: 'answer', text: '  ' }, 'wrong_shape', LONG],
  ['holds its answer back', { kind: 'answer', text: 'Rain', finish_reason: 'content_filter' }, 'wrong_shape', LONG],
];

describe.each(MISBEHAVING)('where an engine %s', (_, behaviour, kind, timeout_ms) => {
  it(`it is out of reach (${kind}), asked once, and said without its own words`, async () => {
    const server = await start(behaviour);
    const reply = await ask([provider(server.url, { timeout_ms })]);
    expect(reply).toEqual({
      kind: 'unavailable',
      reason: `no language engine answered: ${server.host} failed (${kind})`,
      failures: [{ provider: server.host, kind, ...statusIn(behaviour) }],
    });
    expect(server.seen).toHaveLength(1);
  });

  it('the next engine answers, and the failure is told with the answer', async () => {
    const [first, second] = [await start(behaviour), await start(ANSWER)];
    const reply = await ask([
      provider(first.url, { timeout_ms }),
      provider(second.url, { api_key_env: 'KEY_TWO', model: 'another' }),
    ]);
    expect(reply).toMatchObject({
      kind: 'answer',
      text: 'Rain, rain.',
      reasoning_trace: [`${first.host} failed (${kind})`, `asked another at ${second.host}`],
      failures: [{ provider: first.host, kind, ...statusIn(behaviour) }],
    });
    expect(second.seen[0]!.headers.authorization).toBe('Bearer sk-two');
  });
});

describe('failover', () => {
  it('asks in the configured order, and nobody after the first answer', async () => {
    const all = [await start({ kind: 'status', status: 500 }), await start(ANSWER), await start(ANSWER)];
    await ask(all.map(({ url }) => provider(url)));
    expect(all.map(({ seen }) => seen.length)).toEqual([1, 1, 0]);
  });

  it('names every engine that failed, in order', async () => {
    const all = [await start({ kind: 'status', status: 401 }), await start({ kind: 'reset' })];
    expect(await ask(all.map(({ url }) => provider(url)))).toMatchObject({
      kind: 'unavailable',
      failures: [
        { provider: all[0]!.host, kind: 'auth' },
        { provider: all[1]!.host, kind: 'connection' },
      ],
    });
  });

  it('does not ask an engine whose key is missing or no header, and says so', async () => {
    const server = await start(ANSWER);
    for (const key of [undefined, '', 'two\nlines']) {
      const turn = request([provider(server.url)], {}, { KEY_ONE: key });
      expect(await CREATIVE.answer(turn)).toMatchObject({ failures: [{ provider: server.host, kind: 'auth' }] });
    }
    expect(server.seen).toHaveLength(0);
  });

  it('finds an engine out of reach where nobody listens', async () => {
    const server = await start(ANSWER);
    const { url } = server;
    await server.close();
    servers.length = 0;
    expect(await ask([provider(url)])).toMatchObject({ failures: [{ kind: 'connection' }] });
  });
});

describe('whoever watches the engine', () => {
  const watched = (...providers: readonly LanguageProviderOptions[]) => {
    const told: string[] = [];
    const watch = { failed: (fault: string) => void told.push(fault), answered: () => void told.push('answered') };
    return { told, engine: createLanguageEngine(providers, ENV, watch)! };
  };
  const NEVER = new AbortController().signal;
  const QUESTION = [{ role: 'user', content: 'x' }] as const;

  it.each<[string, Behaviour[], string[]]>([
    [
      'is out of service',
      [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 429 },
      ],
      ['rate_limited'],
    ],
    ['answers at last', [{ kind: 'status', status: 500 }, ANSWER], ['answered']],
    [
      'refuses the key at last',
      [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 401 },
      ],
      [],
    ],
    ['cannot take the question', [{ kind: 'status', status: 400 }], []],
  ])('is told by a turn where it %s: %#', async (_, behaviours, expected) => {
    const all = await Promise.all(behaviours.map((behaviour) => start(behaviour)));
    const { told, engine } = watched(...all.map(({ url }) => provider(url)));
    await engine.ask(QUESTION, 16, NEVER);
    expect(told).toEqual(expected);
  });

  it.each<[string, Behaviour, boolean]>([
    ['is out of service', { kind: 'status', status: 503 }, false],
    ['answers', ANSWER, true],
    ['has nothing to say', { kind: 'answer', text: '' }, true],
    ['refuses the key', { kind: 'status', status: 401 }, true],
  ])('can ask whether it is in service, and is told nothing by that: it %s', async (_, behaviour, expected) => {
    const server = await start(behaviour);
    const { told, engine } = watched(provider(server.url));
    expect(await engine.isInService(NEVER)).toBe(expected);
    expect(server.seen[0]!.body['max_tokens']).toBe(1);
    expect(told).toEqual([]);
  });
});

describe('a turn that is called off', () => {
  it('ends at once, lets go of the connection and asks nobody else', async () => {
    const [first, second] = [await start({ kind: 'hang' }), await start(ANSWER)];
    const aborter = new AbortController();
    const turn = ask([provider(first.url), provider(second.url)], { signal: aborter.signal });
    await first.received(1);
    aborter.abort();
    expect(await turn).toMatchObject({ kind: 'unavailable', failures: [{ provider: first.host, kind: 'aborted' }] });
    expect(second.seen).toHaveLength(0);
    await first.left(1);
  });

  it('ends at once while the body arrives', async () => {
    const server = await start({ kind: 'slow_bytes' });
    const aborter = new AbortController();
    const turn = ask([provider(server.url)], { signal: aborter.signal });
    await server.received(1);
    aborter.abort();
    expect(await turn).toMatchObject({ failures: [{ kind: 'aborted' }] });
    await server.left(1);
  });

  it('asks nobody where it was called off before it began', async () => {
    const server = await start(ANSWER);
    expect(await ask([provider(server.url)], { signal: AbortSignal.abort() })).toMatchObject({
      kind: 'unavailable',
      failures: [],
    });
    expect(server.seen).toHaveLength(0);
  });
});

describe('a connection', () => {
  it.each([
    ['hang', { kind: 'hang' }],
    ['slow_bytes', { kind: 'slow_bytes' }],
  ] as const)('is given up when the time is over (%s)', async (_, behaviour) => {
    const server = await start(behaviour);
    await ask([provider(server.url, { timeout_ms: SHORT })]);
    await server.left(1);
  });
});

describe('timers', () => {
  it.each(MISBEHAVING)('do not stay behind where an engine %s', async (_, behaviour, _kind, timeout_ms) => {
    const server = await start(behaviour);
    // That of the deadline, and that of the client.
    const timers = watchTimers(/libs\/agents\/src\/(?!language-agent\.int\.spec)|node_modules\/openai\//);
    await ask([provider(server.url, { timeout_ms })]);
    jest.restoreAllMocks();
    expect(timers.set.length).toBeGreaterThanOrEqual(2);
    expect(timers.left().length).toBe(0);
  });

  it('leave no listener on the signal of the turn', async () => {
    const server = await start(ANSWER);
    const { signal } = new AbortController();
    const [added, removed] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    await ask([provider(server.url), provider(server.url)], { signal });
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect(added).toHaveBeenCalledTimes(1);
  });
});

describe('without a configured engine', () => {
  it('creative and strategy are out of reach, and the fallback declines', async () => {
    const [creative, strategy, generic] = createLanguageAgents(false);
    const unavailable = { kind: 'unavailable', reason: 'no language engine is configured (MACE_LLM_PROVIDERS)' };
    expect(await creative.answer(request([]))).toEqual(unavailable);
    expect(await strategy.answer(request([]))).toEqual(unavailable);
    expect(await generic.answer(request([]))).toEqual({ ...unavailable, kind: 'declined' });
    expect([creative, strategy, generic].map(({ external }) => external)).toEqual([false, false, false]);
  });
});
