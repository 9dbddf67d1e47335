import { canonicalize, type JsonObject } from '#lib/kernel';

import { InstalledAgents } from '../jobs/agents.js';
import { JobApp, type Caller } from '../../../../test/support/job-app.js';

/** The whole application; every job made here must replay to MATCH (JobApp.dispose). */
let app: JobApp;
let tuff: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff', ['admin'], ['otp']);
});
afterAll(() => app.dispose());

/** Type, status and number of misses of each goal at the end of a job, by id. */
async function goalsAfter(query: string, job_seed: string, goals: readonly object[]) {
  const made = await tuff.send('POST', '/brainstate/create_snapshot', { job_seed, goals });
  expect(made.status).toBe(200);
  const { body: job } = await tuff.ask(query, { job_seed });
  expect(job.status).toBe('completed');
  const tick = (await app.stream(`job-${job.job_id}`)).find(({ type }) => type === 'BRAINSTATE_TICK')!;
  const ended = tick.data['goals'] as unknown as readonly { goal_id: string; type: string; status: string }[];
  return ended.map(({ goal_id, type, status }) => `${goal_id} ${type} ${status}`);
}

describe('a job under a snapshot with goals of its own', () => {
  it('succeeds at its own goal, and leaves one of another kind as it was, however urgent', async () => {
    const goals = [
      { goal_id: 'bigplan', type: 'plan', priority: 1, origin: 'user' },
      { goal_id: 'low', type: 'save', priority: 0.1 },
    ];
    expect(await goalsAfter('what is 3+4', 'goal-plan', goals)).toEqual([
      'bigplan plan active',
      // What a goal outranks by more than the gap waits.
      'low save paused',
      'g3 answer succeeded',
    ]);
  });

  it('succeeds at a goal of the snapshot that an answer like its own serves', async () => {
    const goals = [
      { goal_id: 'know', type: 'answer', priority: 0.6 },
      { goal_id: 'keep', type: 'save', priority: 0.6 },
    ];
    expect(await goalsAfter('what is 5+4', 'goal-answer', goals)).toEqual([
      'know answer succeeded',
      'keep save active',
      'g3 answer succeeded',
    ]);
  });
});

describe('T-BS-04 over HTTP: a goal', () => {
  it('succeeds with an answer that the council approves, and fails with the third that it refuses', async () => {
    const good = await decisionsOf('What is 6 * 7?', 't-bs-04-good');
    const agents = app.parts.app.nest.get(InstalledAgents);
    const evidence = [
      { key: 'world/fact/nothing/definition', revision: 7, value: 'x', timestamp: '2025-01-01T00:00:00.000Z' },
    ];
    agents.set('knowledge_agent', {
      agent_id: 'knowledge_agent',
      external: false,
      answer: () =>
        Promise.resolve({
          kind: 'answer',
          text: 'Something else.',
          confidence: 0.9,
          reasoning_trace: [],
          evidence,
          memory_write: null,
        }),
    });
    const refused = await decisionsOf("What is Ohm's law?", 't-bs-04-refused');
    expect(await statusesAfter('t-bs-04-a', good)).toEqual(['succeeded']);
    expect(await statusesAfter('t-bs-04-b', refused.slice(0, 3))).toEqual(['active', 'active', 'failed']);
  });

  /** Ids of what the council decided in a job. */
  async function decisionsOf(query: string, job_seed: string): Promise<string[]> {
    const { body } = await tuff.ask(query, { job_seed });
    const events = await app.stream(`job-${body.job_id ?? (body.meta['job_id'] as string)}`);
    return events.flatMap(({ type, metadata }) => (type === 'COUNCIL_DECISION' ? [metadata.event_id] : []));
  }

  /** The status of the one goal after a tick with each of these decisions. */
  async function statusesAfter(job_seed: string, decisions: readonly string[]): Promise<string[]> {
    const goals = [{ goal_id: 'know', type: 'answer', priority: 0.9, origin: 'user' }];
    const made = await tuff.send<JsonObject>('POST', '/brainstate/create_snapshot', { job_seed, goals });
    const { brainstate_snapshot_id } = made.body;
    const statuses: string[] = [];
    for (const decision of decisions) {
      const ticked = await tuff.send<{ goals: readonly { status: string }[] }>('POST', '/brainstate/tick', {
        brainstate_snapshot_id,
        event_ids: [decision],
      });
      expect(ticked.status).toBe(200);
      statuses.push(ticked.body.goals[0]!.status);
    }
    return statuses;
  }
});

describe('T-BS-06 over HTTP: snapshot, seed and query', () => {
  const REQUEST = {
    job_seed: 'trace-1',
    goals: [{ goal_id: 'know', type: 'answer', priority: 0.9, origin: 'user' }],
    attention: { attention_gain: 0.6 },
  };

  /** The BrainState trace of one job, to the byte, and of the state as it is read afterwards, without real time. */
  async function trace(on: JobApp): Promise<readonly string[]> {
    const who = await on.caller('tuff', ['admin'], ['otp']);
    const made = await who.send<{ brainstate_snapshot_id: string }>('POST', '/brainstate/create_snapshot', REQUEST);
    const { body: job } = await who.ask('what is 12 * 12', { job_seed: REQUEST.job_seed });
    const events = await on.stream(`job-${job.job_id}`);
    const ticks = events.filter(({ type }) => type === 'BRAINSTATE_TICK').map(({ data }) => canonicalize(data));
    const read = await who.get<JsonObject>(`/brainstate/${made.body.brainstate_snapshot_id}`);
    const { last_updated: _, ...state } = read.body;
    return [...ticks, canonicalize(state)];
  }

  it('give the same trace in another installation, and in the same one after a restart', async () => {
    const first = await trace(app);
    expect(first).toHaveLength(2);
    await app.whileClosed(() => undefined);
    expect(await trace(app)).toEqual(first);
    const other = await JobApp.open();
    try {
      expect(await trace(other)).toEqual(first);
    } finally {
      await other.dispose();
    }
  });
});
