import { workingMemoryId } from '#lib/kernel';

import { rewardOf, routingHints } from './attention.js';
import { initialBrainState, tick, type BrainState, type TickInput } from './brainstate.js';
import { BRAINSTATE_DEFAULTS, resolveConstants } from './constants.js';
import { episodicSummary } from './episodic-summary.js';
import { goalPriority } from './goals.js';
import type { BrainStateConstants } from './snapshot-body.js';
import { tokensOf } from './working-memory.js';

const SILENT: TickInput = { insert: [], council_approves: null, user_upvotes: null };
const fact = (value: string, ttl_ticks?: number) => ({
  type: 'fact',
  value,
  ...(ttl_ticks === undefined ? {} : { ttl_ticks }),
});

function run(inputs: readonly Partial<TickInput>[], body: BrainStateConstants = BRAINSTATE_DEFAULTS): BrainState {
  return inputs.reduce((state, input) => tick(state, { ...SILENT, ...input }, 'seed-1', body), initialBrainState(body));
}

const times = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one);

describe('working memory', () => {
  it('holds an item for three ticks, the one of its insertion included', () => {
    expect(run([{ insert: [fact('a')] }, {}]).WM).toHaveLength(1);
    expect(run([{ insert: [fact('a')] }, {}, {}]).WM).toHaveLength(0);
  });

  it('has the newest item first', () => {
    const { WM } = run([{ insert: [fact('a'), fact('b')] }, { insert: [fact('c')] }]);
    expect(WM.map(({ value }) => value)).toEqual(['c', 'b', 'a']);
  });

  it('lets the same value of another type be another item', () => {
    const state = run([{ insert: [fact('a')] }, { insert: [{ type: 'context', value: 'a' }] }]);
    expect(state.WM).toHaveLength(2);
    expect(state.CWM.items).toEqual([]);
  });

  it('knows the same value by its canonical form, whatever the order of its keys', () => {
    const state = run([
      { insert: [{ type: 'fact', value: { a: 1, b: 2 } }] },
      { insert: [{ type: 'fact', value: { b: 2, a: 1 } }] },
    ]);
    expect(state.CWM.items).toHaveLength(1);
  });

  it('promotes nothing whose references lie further apart than the window', () => {
    const within = [{ insert: [fact('a', 9)] }, {}, {}, { insert: [fact('a', 9)] }];
    const beyond = [{ insert: [fact('a', 9)] }, {}, {}, {}, { insert: [fact('a', 9)] }];
    expect(run(within).CWM.items).toHaveLength(1);
    expect(run(beyond).CWM.items).toHaveLength(0);
  });
});

describe('consolidated memory', () => {
  const promoted = [{ insert: [fact('a')] }, { insert: [fact('a')] }];

  it('holds an item for ten ticks without a reference', () => {
    expect(run([...promoted, ...times(8, {})]).CWM.items).toHaveLength(1);
    expect(run([...promoted, ...times(9, {})]).CWM).toEqual({ topic: '', tokens_used: 0, items: [] });
  });

  it('holds an item ten ticks more for each reference, and makes no second item of it', () => {
    const again = run([...promoted, ...times(7, {}), { insert: [fact('a')] }, ...times(8, {})]);
    expect(again.CWM.items).toMatchObject([{ value: 'a', references: [1, 2, 10] }]);
    expect(again.WM).toEqual([]);
    expect(again.wm_counter).toBe(1);
  });

  it('ranks by references and then by age, anew only at a promotion or a new goal', () => {
    const both = [
      { insert: [fact('old')] },
      { insert: [fact('old'), fact('new')] },
      { insert: [fact('new')] },
      { insert: [fact('new')] },
    ];
    const values = ({ CWM }: BrainState) => CWM.items.map(({ value }) => value);
    expect(values(run(both))).toEqual(['old', 'new']);
    expect(values(run([...both, {}]))).toEqual(['old', 'new']);
    expect(values(run([...both, { goals: [{ type: 'plan' }] }]))).toEqual(['new', 'old']);
  });

  it('fills at most a quarter of the token budget; what finds no room stays in working memory', () => {
    const body = { ...BRAINSTATE_DEFAULTS, token_budget: 16 };
    const fits = 'x'.repeat(16);
    const tooLong = 'x'.repeat(17);
    const twice = (value: string) => [{ insert: [fact(value)] }, { insert: [fact(value)] }];
    expect(run(twice(fits), body).CWM).toMatchObject({ tokens_used: 4, items: [{ value: fits }] });
    const state = run(twice(tooLong), body);
    expect(state.CWM.items).toEqual([]);
    expect(state.WM).toMatchObject([{ value: tooLong, ttl_ticks: 2 }]);
  });

  it('counts a token for every four characters begun', () => {
    expect(['', 'abcd', 'abcde'].map(tokensOf)).toEqual([0, 1, 2]);
    expect(tokensOf({ a: 1 })).toBe(2);
  });
});

describe('reward', () => {
  it.each([
    [true, true, 1],
    [true, null, 0.8],
    [true, false, 0.8],
    [false, true, 0],
    [false, null, 0],
    [null, true, 0],
    [null, null, 0],
  ])('is that of the council where council says %s and user says %s: %s', (council_approves, user_upvotes, reward) => {
    expect(rewardOf({ council_approves, user_upvotes })).toBe(reward);
  });
});

describe('goals', () => {
  it('have a priority in which the user’s word counts four fifths', () => {
    const c = BRAINSTATE_DEFAULTS;
    expect([1, 0.5, 0, undefined].map((user) => goalPriority(user, c))).toEqual([0.9, 0.5, 0.1, 0.5]);
  });

  it('wait while another outranks them by more than 0.2, and go on when it has ended', () => {
    const apart = (low: number) =>
      [
        { type: 'plan', priority: low },
        { type: 'answer', priority: 1 },
      ] as const;
    const statuses = ({ goals }: BrainState) => goals!.map(({ status }) => status);
    expect(statuses(run([{ goals: apart(0.75) }]))).toEqual(['active', 'active']);
    expect(statuses(run([{ goals: apart(0.7) }]))).toEqual(['paused', 'active']);
    const done = { outcomes: [{ goal_id: 'g2', deliverable_produced: true, final_confidence: 1 }] };
    expect(statuses(run([{ goals: apart(0.7) }, done]))).toEqual(['active', 'succeeded']);
  });

  it('wait where the token budget is spent', () => {
    const spent = (tokens_spent: number) => run([{ goals: [{ type: 'answer' }] }, { tokens_spent }]).goals![0]!.status;
    expect([spent(2047), spent(2048)]).toEqual(['active', 'paused']);
  });

  it('take an outcome without a name for the active goal of the highest priority', () => {
    const create = {
      goals: [
        { type: 'plan', priority: 0.9 },
        { type: 'answer', priority: 1 },
      ],
    } as const;
    const missed = { outcomes: [{ deliverable_produced: false, final_confidence: 0 }] };
    expect(run([create, missed]).goals!.map(({ attempts }) => attempts)).toEqual([0, 1]);
  });

  it('keep their ids apart, and make none for an id that is taken', () => {
    const { goals } = run([
      { goals: [{ type: 'plan', goal_id: 'g2' }, { type: 'plan' }, { type: 'save', goal_id: 'g2' }] },
    ]);
    expect(goals!.map(({ goal_id, type }) => [goal_id, type])).toEqual([
      ['g2', 'plan'],
      ['g3', 'plan'],
    ]);
  });
});

describe('recent failures', () => {
  it('are kept, the newest first, as many as the snapshot says', () => {
    const failures = (...names: string[]) => ({ failures: names.map((node_id) => ({ node_id, reason: 'timeout' })) });
    const body = { ...BRAINSTATE_DEFAULTS, max_recent_failures: 3 };
    const state = run([failures('agent:a', 'agent:b'), failures('agent:c', 'agent:d')], body);
    expect(state.recent_failures!.map(({ node_id }) => node_id)).toEqual(['agent:d', 'agent:c', 'agent:b']);
  });
});

describe('hints to the router', () => {
  it('take a product that rounding left just below an integer for that integer', () => {
    const state = initialBrainState({ ...BRAINSTATE_DEFAULTS, attention_gain: 0.29, max_depth_allowed: 100 });
    expect(0.29 * 100).toBeLessThan(29);
    expect(routingHints(state).max_depth_allowed).toBe(29);
  });

  it('prefer trust from 0.6 on and exploring from 0.2 on', () => {
    const hints = (attention_gain: number, explore_bias: number) =>
      routingHints(initialBrainState({ ...BRAINSTATE_DEFAULTS, attention_gain, explore_bias }));
    expect(hints(0.6, 0.2)).toMatchObject({ prefer_high_APT: true, allow_explore: true });
    expect(hints(0.59, 0.19)).toMatchObject({ prefer_high_APT: false, allow_explore: false });
  });
});

describe('constants', () => {
  it('that a snapshot lacks are the defaults, and each is named in a warning', () => {
    const { a_gain: _, ...rest } = BRAINSTATE_DEFAULTS;
    const { constants, warnings } = resolveConstants({ ...rest, attention_gain: Number.NaN });
    expect(constants).toEqual(BRAINSTATE_DEFAULTS);
    expect(warnings).toEqual([
      { constant: 'attention_gain', used: 0.5, reason: 'out of range' },
      { constant: 'a_gain', used: 0.25, reason: 'missing' },
    ]);
  });
});

describe('an episodic summary', () => {
  const episode = {
    job_seed: 'seed-1',
    brainstate_id: 'bs:seed-1:t',
    user_id: 'user_tuff',
    redact: (value: unknown) => `redacted ${String(value)}`,
  };

  it('is what was consolidated, without personal data', () => {
    const state = run([{ insert: [fact('a')] }, { insert: [fact('a')] }]);
    expect(episodicSummary(state, episode)).toEqual({
      type: 'episodic_summary',
      data: {
        episodic_id: expect.stringMatching(/^ep:[0-9a-f]{64}$/) as string,
        brainstate_id: 'bs:seed-1:t',
        user_id: 'user_tuff',
        ticks: 2,
        tokens_used: 1,
        topic: 'fact',
        items: [{ wm_id: workingMemoryId('seed-1', 0), type: 'fact', value: 'redacted a', references: 2 }],
      },
    });
  });

  it('is left out where nothing was consolidated', () => {
    expect(episodicSummary(run([{ insert: [fact('a')] }]), episode)).toBeNull();
  });
});
