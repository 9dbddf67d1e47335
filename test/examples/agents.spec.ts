import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { AgentHosts, EndpointCaller, HttpAgent } from '#lib/agents';

import { FIRST_TURN, granted } from '../../libs/agents/src/testing/granted.js';
import { describeWithProgram } from '../support/programs.js';

/** Each example agent is started as its first line says, and asked as MACE asks it. */

const QUERY = 'Write a poem about rain';

async function answerOf(command: string, file: string): Promise<unknown> {
  const child = spawn(command, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const caller = new EndpointCaller(new AgentHosts(['localhost']));
  try {
    const url = `http://127.0.0.1:${await portOf(child)}/`;
    const parts = { caller, sign: () => ({}), pseudonym: () => 'p', secret: () => undefined, clock: () => 0 };
    const agent = new HttpAgent('poet_agent', { kind: 'http', url }, parts);
    const { signal } = new AbortController();
    const asked = { query_text: QUERY, user_id: 'user_ann', depth: 1, token_budget: 512, suggested_changes: [] };
    return await agent.answer({ ...asked, turn: FIRST_TURN, effects: granted(), signal });
  } finally {
    caller.close();
    child.kill();
    await once(child, 'exit');
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return Number(/\d+/.exec(line)![0]);
}

const ANSWER = { kind: 'answer', text: `You asked: ${QUERY}`, confidence: 0.8 };

it('the agent in JavaScript answers', async () => {
  expect(await answerOf(process.execPath, 'examples/agent.mjs')).toMatchObject(ANSWER);
});

describeWithProgram('python3', 'the agent in Python', (python) => {
  it('answers', async () => {
    expect(await answerOf(python, 'examples/agent.py')).toMatchObject(ANSWER);
  });
});
