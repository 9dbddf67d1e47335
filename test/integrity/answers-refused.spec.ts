import type { Agent, AgentReply } from '#lib/agents';
import { type Critic, Critics, type CouncilVote } from '#lib/council';
import { retryAllowed, type JsonObject } from '#lib/kernel';
import { TrustReactor } from '#lib/selfrep';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { eventually } from '../support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { adoptGovernance, SHORT_TURN } from '../support/policies.js';

const TIMEOUT = 'One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.';
const CRASH = 'A module failed while processing your request. I can try a partial result or you can try again.';
const DENIED = 'You don’t have permission to do that.';
const DEADLOCK =
  'I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?';
const REPAIR_LIMIT = 'I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?';
const SUM = 'What is 2 + 2?';
const REMEMBER = 'Remember that my favorite color is blue';
const COLOR = 'user/profile/user_tuff/favorite_color';

let app: JobApp;
let tuff: Caller;
let operator: Caller;

beforeEach(async () => {
  app = await JobApp.open();
  [tuff, operator] = await Promise.all([app.caller('TUFF'), app.caller('olga', ['operator'])]);
});
// Every job made here is replayed to MATCH.
afterEach(() => app.dispose());

describe('A reply that is none (spec/decisions.md "Agents"), over HTTP', () => {
  it.each<[string, unknown]>([
    ['nothing', null],
    ['an unknown kind', { kind: 'weird' }],
    ['evidence of nothing', { ...answer('2 + 2 = 4.'), evidence: [null] }],
    ['confidence in words', { ...answer('2 + 2 = 4.'), confidence: 'high' }],
  ])('is a crash of its agent, which is not asked again: %s', async (name, reply) => {
    decline('generic_agent');
    let asked = 0;
    install('math_agent', async () => (asked++, reply as AgentReply));
    const { status, body } = await tuff.ask(SUM, { job_seed: name.replace(/\W/g, '-') });
    expect([status, body.error_code, body.user_message]).toEqual([500, 'AGENT_ERROR', CRASH]);
    expect(asked).toBe(1);
    const types = await typesOf(idOf(body));
    expect(types).toContain('AGENT_EXCEPTION');
    expect(types.at(-1)).toBe('JOB_SEALED');
  });

  it('of an agent outside the process leaves no job that hangs', async () => {
    install('operational_agent', async () => ({ ...answer('ok'), memory_write: 'x' }) as unknown as AgentReply, true);
    decline('generic_agent');
    const { status, body } = await tuff.ask(REMEMBER, { job_seed: 'outside' });
    expect([status, body.user_message]).toEqual([500, CRASH]);
    expect((await tuff.get(`/jobs/${idOf(body)}`)).body).toMatchObject({ status: 'failed', replayable: true });
  });

  it('that says the engine’s words for a timeout or a violation is a crash too', async () => {
    decline('generic_agent');
    for (const reply of [{ kind: 'timeout' }, { kind: 'violation', action: 'sem.write', evidence_ref: null }]) {
      install('math_agent', async () => reply as unknown as AgentReply);
      const { body } = await tuff.ask(SUM, { job_seed: reply.kind });
      const types = await typesOf(idOf(body));
      expect(types).toContain('AGENT_EXCEPTION');
      expect(types).not.toContain('AGENT_TIMEOUT');
      expect(types).not.toContain('POLICY_VIOLATION');
    }
  });
});

describe('An answer that its question refutes (spec/decisions.md "The answer council"), over HTTP', () => {
  it.each([
    ['unrelated', SUM, 'math_agent', 'Bananas are yellow.'],
    ['contradictory', SUM, 'math_agent', '2 + 2 = 5. 2 + 2 = 4.'],
    ['nobody can read', SUM, 'math_agent', 'It is four.'],
    ['wrong and wordy', SUM, 'math_agent', 'Perhaps 5.'],
    ['unrelated to a fact', "What is Ohm's law?", 'knowledge_agent', 'Bananas are yellow.'],
  ])('that is %s is never given', async (name, query, agent, text) => {
    install(agent, async () => answer(text));
    const { status, body } = await tuff.ask(query, { job_seed: name.replace(/\W/g, '-') });
    expect([status, body.error_code, body.user_message]).toEqual([503, 'REPAIR_LIMIT_EXCEEDED', REPAIR_LIMIT]);
  });

  it('is asked for again with what to change, and given once it fits', async () => {
    const changes: (readonly string[])[] = [];
    install('math_agent', async ({ suggested_changes }) => {
      changes.push(suggested_changes);
      return answer(changes.length === 1 ? 'It is four.' : '2 + 2 = 4.');
    });
    const { status, body } = await tuff.ask(SUM, { job_seed: 'plainly' });
    expect([status, body.final_answer]).toEqual([200, '2 + 2 = 4.']);
    expect(changes).toEqual([[], ['State the result on its own, as a number or a formula.']]);
  });

  it('is computed again whoever gives it: also the fallback’s', async () => {
    install('math_agent', () => Promise.reject(new TypeError('x')));
    install('generic_agent', async () => answer('40 * 40 = 1700.'));
    const { body } = await tuff.ask('What is 40 * 40?', { job_seed: 'fallback' });
    expect(body.final_answer ?? null).toBeNull();
    const votes = (await app.stream(`job-${idOf(body)}`)).filter(({ type }) => type === 'COUNCIL_VOTE');
    expect(votes[0]!.data['note']).toBe('computed again, the result differs');
  });
});

describe('A council that cannot agree (spec/decisions.md "The answer council"), over HTTP', () => {
  beforeEach(() => {
    sit('council_coherence_v1', () => vote('council_coherence_v1', false));
    sit('council_safety_v1', () => {
      throw new TypeError('x');
    });
  });

  it.each<[string, Agent['answer']]>([
    ['oversteps', ({ effects }) => effects.read('user/profile/user_bob/diary').then(() => answer('4'))],
    ['crashes', () => Promise.reject(new TypeError('x'))],
  ])('is the job’s error also where the agent that verifies %s', async (name, verify) => {
    sit('council_factuality_v1', () => vote('council_factuality_v1', true));
    install('verification_agent', verify);
    const { status, body } = await tuff.ask(SUM, { job_seed: name.replace(/\W/g, '-') });
    expect([status, body.error_code, body.user_message]).toEqual([409, 'COUNCIL_DEADLOCK', DEADLOCK]);
    expect(await typesOf(idOf(body))).toContain('ACTION_REQUESTED');
  });

  it('gives the answer of the most trusted agent among several, and verifies nothing', async () => {
    // The first answer is refused by both; its agent then has no more to say, and the second splits them.
    const refused = '2 + 2 = 4, so it is.';
    sit('council_factuality_v1', ({ candidate }) => vote('council_factuality_v1', candidate.text !== refused));
    let turn = 0;
    install('math_agent', async () => (turn++ === 0 ? answer(refused) : { kind: 'declined', reason: 'no more' }));
    install('generic_agent', async () => answer('2 + 2 = 4.'));
    const { status, body } = await tuff.ask(SUM, { job_seed: 'several' });
    expect([status, body.final_answer, body.agent_id]).toEqual([200, '2 + 2 = 4.', 'generic_agent']);
    const events = await app.stream(`job-${body.job_id}`);
    expect(events.find(({ type }) => type === 'COUNCIL_DEADLOCK')!.data).toEqual({
      iteration: 2,
      resolution: 'most_trusted_agent',
      node_id: 'agent:generic_v1',
    });
    const invoked = events.filter(({ type }) => type === 'AGENT_INVOKED').map(({ data }) => data['agent_id']);
    expect(invoked).toEqual(['math_agent', 'math_agent', 'generic_agent']);
  });
});

describe('A write that an answer asks for, over HTTP', () => {
  it('is done once, however often the answer is refused', async () => {
    for (const critic of ['council_factuality_v1', 'council_coherence_v1']) sit(critic, () => vote(critic, false));
    const { status, body } = await tuff.ask(REMEMBER, { job_seed: 'once' });
    expect([status, body.error_code]).toEqual([503, 'REPAIR_LIMIT_EXCEEDED']);
    expect((await app.stream(`sem-${COLOR}`)).map(({ type }) => type)).toEqual(['SEM_PUT']);
  });

  it.each([
    ['another person’s', 'user/profile/user_bob/favorite_color'],
    ['the world’s', 'world/fact/pi/value'],
  ])('under %s key is a violation: nothing is written, and its module goes offline', async (name, key) => {
    const before = (await app.stream(`sem-${key}`)).length;
    install('operational_agent', async () => ({ ...answer('Saved.'), memory_write: { key, value: 'red' } }));
    decline('generic_agent');
    const { status, body } = await tuff.ask(REMEMBER, { job_seed: name.replace(/\W/g, '-') });
    expect([status, body.error_code, body.user_message]).toEqual([403, 'PERMISSION_DENIED', DENIED]);
    const events = await app.stream(`job-${idOf(body)}`);
    const { data } = events.find(({ type }) => type === 'POLICY_VIOLATION')!;
    expect(data).toMatchObject({ node_id: 'agent:operational_v1', action: 'sem.write' });
    expect(await app.parts.platform.artifacts.get(data['evidence_ref'] as string)).not.toBeNull();
    expect(await app.stream(`sem-${key}`)).toHaveLength(before);
    await eventually(async () => (await moduleOf('agent:operational_v1'))['status'] === 'offline' || undefined);
  });
});

it('A second try that crashes after a timeout leaves the timeout’s message with the answer, and is one failure', async () => {
  let turn = 0;
  await adoptGovernance(app, SHORT_TURN);
  install('math_agent', () =>
    turn++ === 0 ? new Promise<never>(() => undefined) : Promise.reject(new RangeError('x')),
  );
  install('generic_agent', async () => answer('I can only say that it is a number.'));
  const { status, body } = await tuff.ask(SUM, { job_seed: seedWhere(retryAllowed) });
  expect(status).toBe(200);
  expect(body.user_message).toBe(TIMEOUT);
  expect(body.notices.map(({ error_code }) => error_code)).toEqual(['AGENT_TIMEOUT']);
  const crash = (await app.stream(`job-${body.job_id}`)).find(({ type }) => type === 'AGENT_EXCEPTION')!;
  expect(crash.data).toMatchObject({ retry: 1, reason: 'RangeError' });
  // Modules are appended to side by side: once the reactor is past the job, each has what it did.
  await app.parts.app.nest.get(TrustReactor).waitFor(await app.parts.platform.eventStore.head());
  await eventually(async () => (await moduleOf('agent:generic_v1'))['apt'] !== 0.7 || undefined);
  expect((await moduleOf('agent:math_v1'))['metrics']).toMatchObject({ consecutive_failures: 1 });
});

function install(agent_id: string, reply: Agent['answer'], external = false): void {
  app.parts.app.nest.get(InstalledAgents).set(agent_id, { agent_id, external, answer: reply });
}

function decline(agent_id: string): void {
  install(agent_id, async () => ({ kind: 'declined', reason: 'not mine' }));
}

/** Puts a critic in a seat, in the place of whoever is there. */
function sit(critic_id: string, cast: Critic['vote']): void {
  app.parts.app.nest.get(Critics).install({ critic_id, external: false, vote: cast });
}

function answer(text: string): Extract<AgentReply, { kind: 'answer' }> {
  return { kind: 'answer', text, confidence: 0.9, reasoning_trace: [], evidence: [], memory_write: null };
}

function vote(council_agent_id: string, approve: boolean): CouncilVote {
  const scores = { factuality: 1, coherence: 1, safety: 1 };
  return { council_agent_id, scores, approve, suggested_changes: '', note: 'a synthetic vote', confidence: 1 };
}

function idOf({ job_id, meta }: AnyBody): string {
  return job_id ?? (meta['job_id'] as string);
}

async function typesOf(jobId: string): Promise<readonly string[]> {
  return (await app.stream(`job-${jobId}`)).map(({ type }) => type);
}

async function moduleOf(nodeId: string): Promise<JsonObject> {
  return (await operator.get<JsonObject>(`/modules/${nodeId}`)).body;
}

function seedWhere(holds: (seed: string) => boolean): string {
  for (let i = 0; ; i++) if (holds(`second-try-${i}`)) return `second-try-${i}`;
}
