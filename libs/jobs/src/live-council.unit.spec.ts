import { type CollectedVotes, type Critic, Critics, type CouncilVote } from '#lib/council';

import type { LateVote } from './domain/late-votes.events.js';
import type { CollectVotes } from './engine/effects.js';
import { collectLiveVotes, type CouncilParts } from './live-council.js';
import { COLOR, engineInput, MOMENT } from './testing/scripted-job.js';

const NEVER = new AbortController().signal;
const BUILT_IN = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];
const PIECE = { key: COLOR, revision: 3, value: 'blue', timestamp: MOMENT };
const CANDIDATE = {
  query_text: '2+2',
  agent_id: 'profile_agent',
  text: 'It is blue.',
  confidence: 1,
  evidence: [PIECE],
};
const EFFECT: CollectVotes = {
  kind: 'collect_votes',
  candidate: CANDIDATE,
  candidate_event_id: 'e1',
  critics: BUILT_IN,
  timeout_ms: 1000,
};

const holding = (now: { revision: number; value: string } | null): CouncilParts['memory'] => ({
  read: async () => now,
  mayRead: () => true,
});

function collect(options: Partial<CouncilParts> = {}, effect: Partial<CollectVotes> = {}): Promise<CollectedVotes> {
  const parts: CouncilParts = {
    critics: new Critics(),
    memory: holding({ revision: 3, value: 'blue' }),
    recompute: () => null,
    personalDataIn: () => [],
    lateVotes: { record: () => undefined },
    outside: { collect: () => Promise.reject(new Error('nobody is asked outside')) },
    called: { criticsOf: () => [] },
    ...options,
  };
  return collectLiveVotes({ ...EFFECT, ...effect }, engineInput(), parts, NEVER);
}

describe('the critics in a job', () => {
  it.each([
    ['that memory still holds', { revision: 3, value: 'blue' }],
    ['that was true then, and is something else now', { revision: 4, value: 'green' }],
  ])('approve evidence %s', async (_, now) => {
    const { votes } = await collect({ memory: holding(now) });
    expect(votes.map(({ approve }) => approve)).toEqual([true, true, true]);
  });

  it.each([
    ['that is gone', null],
    ['that is older than what was read', { revision: 2, value: 'blue' }],
    ['that never said so', { revision: 3, value: 'green' }],
  ])('refuse evidence %s', async (_, now) => {
    const { votes } = await collect({ memory: holding(now) });
    expect(votes[0]).toMatchObject({ approve: false, scores: { factuality: 0 } });
  });

  it('neither read nor approve evidence that the asking person may not read, whatever it holds', async () => {
    const key = 'user/profile/user_eve/ssn';
    const votes = [];
    for (const now of [null, { revision: 3, value: 'blue' }, { revision: 4, value: 'green' }]) {
      const read = jest.fn(async () => now);
      const mayRead = (asked: string, userId: string): boolean => asked !== key && userId === 'user_tuff';
      const candidate = { ...CANDIDATE, evidence: [PIECE, { ...PIECE, key }] };
      votes.push((await collect({ memory: { read, mayRead } }, { candidate })).votes[0]);
      expect(read.mock.calls).toEqual([[COLOR]]);
    }
    expect(new Set(votes.map((vote) => vote!.approve))).toEqual(new Set([false]));
  });

  it.each(['math_agent', 'verification_agent', 'generic_agent'])('compute again what %s says', async (agent_id) => {
    const recompute = jest.fn(() => 'differs' as const);
    const candidate = { ...CANDIDATE, agent_id, evidence: [] };
    const { votes } = await collect({ recompute }, { candidate });
    expect(recompute.mock.calls).toEqual([[CANDIDATE.query_text, CANDIDATE.text]]);
    expect(votes[0]).toMatchObject({ approve: false, note: 'computed again, the result differs' });
  });

  it.each<[string, string, boolean]>([
    ['that is right', 'Perhaps 4.', true],
    ['that is wrong', 'Perhaps 5.', false],
    ['beside the sum itself, that is right', 'Take 2 and 2, and you have 4 apples.', true],
    ['beside the sum itself, that is wrong', 'Take 2 and 2, and you have 5 apples.', false],
    ['among several', 'Some say 4, others 5.', false],
  ])('take the number of an unreadable answer for its result, where there is one number %s', async (_, text, fits) => {
    const recompute = (__: string, said: string) =>
      /^\d+$/.test(said) ? (said === '4' ? ('agrees' as const) : ('differs' as const)) : ('unread' as const);
    const candidate = { ...CANDIDATE, query_text: 'What is 2 + 2?', text, evidence: [] };
    const { votes } = await collect({ recompute }, { candidate });
    expect(votes.map(({ approve }) => approve)).toEqual(Array(3).fill(fits));
  });

  it('look for personal data in the answer', async () => {
    const { votes } = await collect({ personalDataIn: (text) => (text === CANDIDATE.text ? ['email'] : []) });
    expect(votes[2]).toMatchObject({ approve: false, note: 'the answer holds email' });
  });

  it('all refuse where a check crashed, and an outside critic is told that nothing was checked', async () => {
    const seen: unknown[] = [];
    const outside: Critic = {
      critic_id: 'outside',
      external: true,
      vote: ({ checks }) => {
        seen.push(checks);
        throw new TypeError('x');
      },
    };
    const critics = new Critics();
    critics.install(outside);
    const memory = { ...holding(null), read: () => Promise.reject(new TypeError('x')) };
    const { votes } = await collect({ memory, critics }, { critics: [...BUILT_IN, 'outside'] });
    expect(votes.map(({ approve, note }) => [approve, note])).toEqual(
      BUILT_IN.map(() => [false, 'the check ended with TypeError']),
    );
    expect(seen).toEqual([null]);
  });

  it('note a late vote with the answer it was about, and without its words', async () => {
    const late: LateVote[] = [];
    let cast = (_: CouncilVote): void => undefined;
    const slow: Critic = {
      critic_id: 'slow',
      external: true,
      vote: () => new Promise<CouncilVote>((resolve) => (cast = resolve)),
    };
    const options = { critics: new Critics([slow]), lateVotes: { record: (one: LateVote) => late.push(one) } };
    expect(await collect(options, { critics: ['slow'], timeout_ms: 1 })).toMatchObject({
      votes: [],
      unavailable: { slow: 'no vote in time' },
    });
    const scores = { factuality: 1, coherence: 1, safety: 1 };
    const words = { suggested_changes: 'blue', note: 'it said blue' };
    cast({ council_agent_id: 'slow', scores, approve: true, confidence: 0.5, ...words });
    await new Promise((resolve) => setImmediate(resolve));
    const { job_id } = engineInput().accepted;
    expect(late).toEqual([
      { job_id, candidate_event_id: 'e1', council_agent_id: 'slow', scores, approve: true, confidence: 0.5 },
    ]);
  });
});
