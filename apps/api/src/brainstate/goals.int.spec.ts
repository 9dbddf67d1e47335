import { canonicalize, type JsonObject } from '#lib/kernel';

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

describe('T-BS-06 over HTTP: snapshot, seed and query', () => {
  const REQUEST = {
    job_seed: 'trace-1',
    goals: [{ goal_id: 'know', type: 'answer', priority: 0.9, origin: 'user' }],
    attention: { attention_gain: 0.6 },
  };

  /** The BrainState trace of one job, to the byte, and of the state as it is read afterwards. */
  async function trace(on: JobApp): Promise<readonly string[]> {
    const who = await on.caller('tuff', ['admin'], ['otp']);
    const made = await who.send<{ brainstate_snapshot_id: string }>('POST', '/brainstate/create_snapshot', REQUEST);
    const { body: job } = await who.ask('what is 12 * 12', { job_seed: REQUEST.job_seed });
    const events = await on.stream(`job-${job.job_id}`);
    const ticks = events.filter(({ type }) => type === 'BRAINSTATE_TICK').map(({ data }) => canonicalize(data));
    const read = await who.get<JsonObject>(`/brainstate/${made.body.brainstate_snapshot_id}`);
    return [...ticks, canonicalize(read.body)];
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
