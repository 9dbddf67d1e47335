import type { AgentEvidence, AgentReply, AgentRequest, TurnEffects } from '#lib/agents';
import { EffectRefusedError, verifyMathAnswer } from '#lib/agents';

import { FIRST_TURN } from '../../../agents/src/testing/granted.js';
import { Sandbox } from './sandbox.js';

const BLUE: AgentEvidence = {
  key: 'user/profile/user_tuff/favorite_color',
  revision: 0,
  value: 'blue',
  timestamp: '2026-01-01T00:00:00.000Z',
};
const ALIASES = [['favorite colour', 'user/profile/{user_id}/favorite_color']] as const;

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox.close())));

describe('a sandbox', () => {
  const own = sandboxOf({});

  it('runs the agents that are installed here, on what the effects say', async () => {
    expect(await own.agent('profile_agent').answer(request('What is my favourite colour?'))).toEqual({
      kind: 'answer',
      text: 'Your favorite color is blue.',
      confidence: 1,
      reasoning_trace: [`read ${BLUE.key} at revision 0`],
      evidence: [BLUE],
      memory_write: null,
    });
    expect(await own.agent('knowledge_agent').answer(request("What is Ohm's law?"))).toMatchObject({ kind: 'miss' });
    expect(
      await own.agent('operational_agent').answer(request('Remember that my favorite band is Queen')),
    ).toMatchObject({
      memory_write: { key: 'user/profile/user_tuff/favorite_band', value: 'Queen' },
    });
    expect(await own.agent('math_agent').answer(request('6*7'))).toMatchObject({ text: 'solved 6*7' });
    expect(await own.agent('verification_agent').answer(request('Verify that 12.5% of 80 is 10'))).toMatchObject({
      kind: 'answer',
    });
    expect(await own.agent('creative_agent').answer(request('Write a poem'))).toMatchObject({ kind: 'unavailable' });
  });

  it('tells an agent what its policy refuses, as where it is installed', async () => {
    const refusing = request('6*7', { solve: () => Promise.reject(new EffectRefusedError('compute', 'not allowed')) });
    await expect(own.agent('math_agent').answer(refusing)).rejects.toMatchObject({ name: 'EffectRefusedError' });
  });

  it('crashes for the agent where an effect fails, and answers the next turn', async () => {
    const failing = request('6*7', { solve: () => Promise.reject(new RangeError('too deep')) });
    await expect(own.agent('math_agent').answer(failing)).rejects.toMatchObject({ name: 'RangeError' });
    expect(await own.agent('math_agent').answer(request('1+1'))).toMatchObject({ text: 'solved 1+1' });
  });

  it('is over for a turn that is given up, and answers the next one', async () => {
    const aborter = new AbortController();
    const waiting = own
      .agent('math_agent')
      .answer({ ...request('6*7', { solve: () => new Promise(() => undefined) }), signal: aborter.signal });
    aborter.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'SandboxEndedError' });
    expect(await own.agent('math_agent').answer(request('1+1'))).toMatchObject({ text: 'solved 1+1' });
  });
});

/** Each is the body of an agent's `answer(request)`; what it returns is what it got hold of. */
const ATTEMPTS: readonly (readonly [name: string, body: string])[] = [
  ['the process', 'return typeof process'],
  ['a require', 'return typeof require'],
  ['the network by fetch', 'return typeof fetch'],
  ['a socket', 'return typeof WebSocket'],
  ['a thread of its own', 'return typeof Worker'],
  ['timers', 'return typeof setTimeout'],
  ['buffers', 'return typeof Buffer'],
  [
    'WebAssembly code',
    'return typeof WebAssembly === "object" ? String(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0]))) : "undefined"',
  ],
  ['files by import', 'return Object.keys(await import("node:fs")).join()'],
  ['the network by import', 'return Object.keys(await import("node:net")).join()'],
  ['processes by import', 'return Object.keys(await import("node:child_process")).join()'],
  [
    'a process behind an import that failed',
    'const p = import("node:fs"); p.catch(() => 0); return typeof p.constructor.constructor("return process")()',
  ],
  ['code of texts', 'return typeof Function("return process")()'],
  ['code of texts by eval', 'return typeof (0, eval)("process")'],
  ['a function maker behind the request', 'return typeof request.constructor.constructor("return process")()'],
  ['a function maker behind an effect', 'return typeof request.effects.read.constructor("return process")()'],
  [
    'a function maker behind what an effect gives',
    'const p = request.effects.read("user/profile/user_tuff/favorite_color"); return typeof (await p).constructor.constructor("return process")()',
  ],
  ['a function maker behind an async function', 'return typeof (async () => 0).constructor("return process")()'],
  ['a function maker behind a generator', 'return typeof [...(function*(){}).constructor("yield process")()][0]'],
  ['a function maker behind the digest', 'return typeof digest.constructor("return process")()'],
  ['the thread behind the digest', 'return typeof Object.getPrototypeOf(digest).constructor'],
  [
    'the thread behind what the digest throws',
    'try { digest(Symbol(), { get length() { throw 1 } }) } catch (e) { return typeof e.constructor.constructor("return process")() } return "undefined"',
  ],
  [
    'the thread behind a deep stack',
    'const f = () => { try { return f() } catch (e) { return e } }; return typeof f().constructor.constructor("return process")()',
  ],
  [
    'the thread behind stack frames',
    'Error.prepareStackTrace = (_, frames) => frames; const frames = new Error().stack; return typeof frames === "string" ? "undefined" : frames.map((f) => typeof f.getThis?.() + typeof f.getFunction?.()).find((t) => t !== "undefinedundefined" && !t.startsWith("undefined")) ?? "undefined"',
  ],
  ...[
    'ArrayBuffer',
    'SharedArrayBuffer',
    'Uint8Array',
    'BigInt64Array',
    'DataView',
    'Atomics',
    'WebAssembly',
    'Intl',
  ].map((name): readonly [string, string] => [`memory outside its heap by ${name}`, `return typeof ${name}`]),
  ['the environment by import.meta', 'return Object.keys(import.meta).join() || "undefined"'],
];

describe('an agent of another maker in a sandbox', () => {
  const foreign = ATTEMPTS.map(([name, body]) => ({
    agent_id: name,
    source: `export const agent = { async answer(request) {
      const got = await (async () => { ${body} })().catch((error) => 'refused');
      return { kind: 'declined', reason: String(got) };
    } };`,
  }));
  const sandbox = sandboxOf({ foreign });

  it.each(ATTEMPTS.map(([name]) => name))('does not get hold of %s', async (name) => {
    const reply = (await sandbox.agent(name).answer(request('anything'))) as Extract<AgentReply, { kind: 'declined' }>;
    expect(['undefined', 'refused']).toContain(reply.reason);
  });

  it('ends with its thread where it fills the memory that it has, and nothing else does', async () => {
    const source =
      'export const agent = { answer() { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); } };';
    const filling = sandboxOf({ foreign: [{ agent_id: 'filler', source }], heapMb: 24 });
    await expect(filling.agent('filler').answer(request('fill'))).rejects.toMatchObject({ name: 'SandboxEndedError' });
    expect(await filling.agent('math_agent').answer(request('1+1'))).toMatchObject({ text: 'solved 1+1' });
  });

  it('fills no memory outside of its heap, whatever the language has that keeps some there', async () => {
    const source = `export const agent = { answer() {
      const kept = [];
      const kinds = Object.getOwnPropertyNames(globalThis).map((name) => globalThis[name]).filter((it) => it?.prototype);
      for (const Kind of kinds) {
        try {
          const made = new Kind(50_000_000);
          if (made.byteLength > 0) kept.push(made.fill ? made.fill(1) : made);
        } catch {}
      }
      return { kind: 'declined', reason: kept.map((one) => one.constructor.name).join() || 'nothing' };
    } };`;
    const filling = sandboxOf({ foreign: [{ agent_id: 'filler', source }] });
    expect(await filling.agent('filler').answer(request('fill'))).toMatchObject({ reason: 'nothing' });
  });

  it('is ended where it never ends', async () => {
    const source =
      'export const agent = { async answer({ effects }) { await effects.read("user/profile/user_tuff/favorite_color"); for (;;); } };';
    const spinning = sandboxOf({ foreign: [{ agent_id: 'spinner', source }] });
    const aborter = new AbortController();
    const read = (): Promise<null> => {
      aborter.abort();
      return Promise.resolve(null);
    };
    const answering = spinning.agent('spinner').answer({ ...request('spin', { read }), signal: aborter.signal });
    await expect(answering).rejects.toMatchObject({ name: 'SandboxEndedError' });
  });

  it('fills nobody’s memory but its own by asking without end', async () => {
    let asked = 0;
    const source = `export const agent = { async answer({ effects }) {
      for (let i = 0; i < 30000; i++) effects.read('world/a/b/c').catch(() => 0);
      return { kind: 'declined', reason: 'done' };
    } };`;
    const flooding = sandboxOf({ foreign: [{ agent_id: 'flooder', source }] });
    const aborter = new AbortController();
    const read = (): Promise<null> => {
      if (++asked === 9_000) aborter.abort();
      return Promise.resolve(null);
    };
    const answering = flooding.agent('flooder').answer({ ...request('ask', { read }), signal: aborter.signal });
    await expect(answering).rejects.toMatchObject({ name: 'SandboxEndedError' });
    expect(asked).toBeLessThanOrEqual(10_000);
  });

  it('cannot be one that imports', async () => {
    const source = 'import fs from "node:fs"; export const agent = { answer: () => fs };';
    const importing = sandboxOf({ foreign: [{ agent_id: 'importer', source }] });
    await expect(importing.agent('importer').answer(request('read'))).rejects.toMatchObject({
      name: 'SandboxEndedError',
    });
  });
});

function sandboxOf({
  foreign = [],
  heapMb = 96,
}: {
  foreign?: { agent_id: string; source: string }[];
  heapMb?: number;
}) {
  const sandbox = new Sandbox({ aliases: ALIASES, foreign }, { heapMb });
  sandboxes.push(sandbox);
  return sandbox;
}

function request(query_text: string, effects: Partial<TurnEffects> = {}): AgentRequest {
  return {
    turn: FIRST_TURN,
    query_text,
    user_id: 'user_tuff',
    depth: 1,
    token_budget: 512,
    suggested_changes: [],
    signal: new AbortController().signal,
    effects: {
      read: (key) => Promise.resolve(key === BLUE.key ? BLUE : null),
      generate: () => Promise.resolve(null),
      solve: (query) => Promise.resolve({ kind: 'answered', text: `solved ${query}`, steps: [] } as never),
      verify: verifyMathAnswer,
      ...effects,
    },
  };
}
