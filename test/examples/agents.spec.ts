import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { transformSync } from 'esbuild';

import { fixtureKeyRing, responseKeys } from '#lib/access';
import { A2aAgent, AgentHosts, EndpointCaller, HttpAgent, HttpCritic, readCard, type RemoteParts } from '#lib/agents';
import { RequestSigner } from '#lib/signatures';

import { FIRST_TURN, granted } from '../../libs/agents/src/testing/granted.js';
import { describeWithProgram } from '../support/programs.js';

/** Each example is started as its first line says, beside a MACE that publishes its keys, and asked as MACE asks it. */

const QUERY = 'Write a poem about rain';
const signer = new RequestSigner(fixtureKeyRing().active('response-signature'));

let folder: string;
let mace: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-examples-'));
  cpSync('examples', folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  // As `npm install --prefix examples` leaves it.
  mkdirSync(join(folder, 'node_modules', '@mace'), { recursive: true });
  symlinkSync(join(process.cwd(), 'dist', 'packages', 'agent'), join(folder, 'node_modules', '@mace', 'agent'));
  symlinkSync(join(process.cwd(), 'node_modules', '@a2a-js'), join(folder, 'node_modules', '@a2a-js'));
  mace = createServer((_, response) => response.end(JSON.stringify({ keys: responseKeys(fixtureKeyRing()) })));
  await once(mace.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  mace.close();
  rmSync(folder, { recursive: true, force: true });
});

const NO_TURNS = ['', '{bad', 'null', '{}'];

/** What it answers to MACE where that looks whether it is back, and to what is no turn. */
async function statusesAt(url: string): Promise<readonly number[]> {
  const asked = [fetch(new URL('/health', url)), ...NO_TURNS.map((body) => fetch(url, { method: 'POST', body }))];
  return (await Promise.all(asked)).map(({ status }) => status);
}

const REFUSED = [200, ...NO_TURNS.map(() => 400)];
/** JSON-RPC names most of its errors in an answer; the SDK has none for `null`. */
const REFUSED_BY_A2A = [200, 200, 200, 400, 200];

/** Starts an example, looks at it as MACE does, sends it what is no turn, asks it at its URL, and ends it. */
async function started<T>(
  command: string,
  file: string,
  ask: (url: string, parts: RemoteParts) => Promise<T>,
  statuses = REFUSED,
): Promise<T> {
  const url = `http://127.0.0.1:${(mace.address() as AddressInfo).port}`;
  const env = { ...process.env, PORT: '0', MACE_URL: url };
  const child = spawn(command, [join(folder, file), '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const caller = new EndpointCaller(new AgentHosts(['localhost']));
  try {
    const parts: RemoteParts = {
      caller,
      sign: ({ nonce, ...request }) => ({ ...signer.headersFor(request, nonce, Date.now()) }),
      pseudonym: () => 'p',
      secret: () => undefined,
      clock: () => 0,
    };
    const at = `http://127.0.0.1:${await portOf(child)}/`;
    expect(await statusesAt(at)).toEqual(statuses);
    return await ask(at, parts);
  } finally {
    caller.close();
    child.kill();
    await ended;
  }
}

/** What it answers to a question, and to the same one with the changes. */
function answersOf(command: string, file: string, changes?: string, byA2a = false): Promise<readonly unknown[]> {
  const ask = async (at: string, parts: RemoteParts): Promise<readonly unknown[]> => {
    const { signal } = new AbortController();
    const agent = byA2a
      ? new A2aAgent(
          'poet_agent',
          { kind: 'a2a', url: at, card: await readCard(parts.caller, { url: at }, signal) },
          parts,
        )
      : new HttpAgent('poet_agent', { kind: 'http', url: at }, parts);
    const asked = { query_text: QUERY, user_id: 'user_ann', depth: 1, token_budget: 512, effects: granted(), signal };
    const turn = (suggested_changes: readonly string[]) =>
      agent.answer({ ...asked, turn: FIRST_TURN, suggested_changes });
    return changes === undefined ? [await turn([])] : [await turn([]), await turn([changes])];
  };
  return started(command, file, ask, byA2a ? REFUSED_BY_A2A : REFUSED);
}

async function portOf(child: ChildProcess): Promise<number> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return Number(/(\d+)\/?$/.exec(line)![1]);
}

const ANSWER = { kind: 'answer', text: `You asked: ${QUERY}`, confidence: 0.8 };

it('the agent in JavaScript answers', async () => {
  expect(await answersOf(process.execPath, 'agent.mjs')).toMatchObject([ANSWER]);
});

it('the agent in TypeScript answers, where this release of Node strips its types or esbuild does', async () => {
  const isStripped = 'typescript' in process.features && process.features.typescript !== false;
  if (!isStripped) {
    const { code } = transformSync(readFileSync(join(folder, 'agent.ts'), 'utf8'), { loader: 'ts' });
    writeFileSync(join(folder, 'agent-in-typescript.mjs'), code);
  }
  const answers = await answersOf(process.execPath, isStripped ? 'agent.ts' : 'agent-in-typescript.mjs', 'shorter');
  expect(answers).toMatchObject([ANSWER, { text: `You asked: ${QUERY} (again, with: shorter)` }]);
});

it('the agent made with the SDK of A2A answers, and is told what to change', async () => {
  const answers = await answersOf(process.execPath, 'a2a-agent.mjs', 'shorter', true);
  expect(answers).toMatchObject([
    { ...ANSWER, confidence: 0.5 },
    { text: `You asked: ${QUERY} (again, To be changed:\nshorter)` },
  ]);
});

it('the agent of the README gives a telephone number away, and leaves it out where it is told to', async () => {
  const answers = await answersOf(process.execPath, 'invitations.mjs', 'Leave personal data out.');
  expect(answers).toMatchObject([{ text: expect.stringContaining('+44') }, { text: 'Come to our party on Saturday!' }]);
});

it('the critic refuses an answer that is too long, and says what to change', async () => {
  const votes = await started(process.execPath, 'critic.mjs', async (url, parts) => {
    const critic = new HttpCritic({ kind: 'http', url }, parts);
    const { signal } = new AbortController();
    const ask = (answer: string) => critic.vote({ answer }, signal);
    return [await ask('Six.'), await ask('Six. '.repeat(100))];
  });
  expect(votes).toMatchObject([
    { kind: 'said', members: { approve: true } },
    { kind: 'said', members: { approve: false, suggested_changes: 'At most 280 characters.' } },
  ]);
});

describeWithProgram('python3', 'the agent in Python', (python) => {
  it('answers', async () => {
    expect(await answersOf(python, 'agent.py')).toMatchObject([ANSWER]);
  });
});
