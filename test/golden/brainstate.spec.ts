import {
  initialBrainState,
  resolveConstants,
  routingHints,
  tick,
  type BrainState,
  type BrainStateConstants,
  type TickInput,
} from '#lib/brainstate';
import { canonicalize, sha256Hex, timestampSeeded } from '#lib/kernel';

import { configFile } from '../../apps/api/src/configuration-files.js';

/** Seed 003 section 10: T-BS-01 to T-BS-06, on the constants of config/brainstate.json. */
const CONSTANTS = configFile('brainstate') as unknown as BrainStateConstants;
const SEED = 'seed-1';
const SILENT: TickInput = { insert: [], council_approves: null, user_upvotes: null };

const run = (inputs: readonly Partial<TickInput>[], body: BrainStateConstants = CONSTANTS): BrainState[] => {
  const trace: BrainState[] = [];
  for (const input of inputs)
    trace.push(tick(trace.at(-1) ?? initialBrainState(body), { ...SILENT, ...input }, SEED, body));
  return trace;
};
const last = (trace: readonly BrainState[]): BrainState => trace.at(-1)!;

describe('BrainState, golden', () => {
  it('T-BS-01: an entry of working memory with two ticks to live is gone after two ticks', () => {
    const [first, second] = run([{ insert: [{ type: 'fact', value: 'blue', ttl_ticks: 2 }] }, {}]);
    expect(first!.WM).toEqual([
      {
        wm_id: `wm:${sha256Hex('seed-1:0')}`,
        type: 'fact',
        value: 'blue',
        ttl_ticks: 1,
        created_at_tick: 1,
        references: [1],
      },
    ]);
    expect(second!.WM).toEqual([]);
    expect(second!.CWM).toEqual({ topic: '', tokens_used: 0, items: [] });
  });

  it('T-BS-02: the same item inserted twice within the window is promoted at the second tick', () => {
    const same = { insert: [{ type: 'fact', value: 'the sky is blue' }] };
    const [first, second] = run([same, same]);
    expect(first!.WM).toHaveLength(1);
    expect(first!.CWM.items).toEqual([]);
    expect(second!.WM).toEqual([]);
    expect(second!.CWM).toEqual({
      topic: 'fact',
      tokens_used: 4,
      items: [
        {
          wm_id: `wm:${sha256Hex('seed-1:0')}`,
          type: 'fact',
          value: 'the sky is blue',
          ttl_ticks: 9,
          created_at_tick: 1,
          references: [1, 2],
        },
      ],
    });
  });

  it('T-BS-03: approval by the council raises attention from 0.5 to 0.675 and exploring from 0.15 to 0.1755', () => {
    expect(last(run([{ council_approves: true }])).attention).toEqual({
      attention_gain: 0.675,
      explore_bias: 0.1755,
      reward_signal: 0.8,
    });
    expect(last(run([{ council_approves: true, user_upvotes: true }])).attention).toEqual({
      attention_gain: 0.725,
      explore_bias: 0.1455,
      reward_signal: 1,
    });
    expect(last(run([{ council_approves: false, user_upvotes: true }])).attention).toEqual({
      attention_gain: 0.475,
      explore_bias: 0.2955,
      reward_signal: 0,
    });
  });

  it('T-BS-04: a goal whose deliverable is sure enough succeeds, and one that fails three times has failed', () => {
    const create = { goals: [{ type: 'answer', priority: 0.9, origin: 'user' }] } as const;
    const reached = { outcomes: [{ deliverable_produced: true, final_confidence: 0.7 }] };
    const unsure = { outcomes: [{ deliverable_produced: true, final_confidence: 0.69 }] };
    const exhausted = { outcomes: [{ deliverable_produced: false, final_confidence: 0, repairs_exhausted: true }] };

    expect(run([create])[0]!.goals).toEqual([
      {
        goal_id: 'g1',
        priority: 0.82,
        type: 'answer',
        status: 'active',
        created_at: timestampSeeded(SEED, 1),
        origin: 'user',
        metadata: {},
        attempts: 0,
      },
    ]);
    const statuses = (trace: readonly BrainState[]) => trace.map(({ goals }) => goals![0]!.status);
    expect(statuses(run([create, reached]))).toEqual(['active', 'succeeded']);
    expect(statuses(run([create, unsure, unsure, unsure]))).toEqual(['active', 'active', 'active', 'failed']);
    expect(statuses(run([create, unsure, reached]))).toEqual(['active', 'active', 'succeeded']);
    expect(statuses(run([create, exhausted, reached]))).toEqual(['active', 'failed', 'failed']);
  });

  it('T-BS-05: a snapshot of depth 3 with attention 0.4 lets the router go to depth 1', () => {
    const state = initialBrainState({ ...CONSTANTS, max_depth_allowed: 3, attention_gain: 0.4 });
    expect(routingHints(state, resolveConstants(CONSTANTS).constants)).toEqual({
      max_depth_allowed: 1,
      prefer_high_APT: false,
      allow_explore: false,
    });
  });

  it('T-BS-06: the same snapshot, seed and events give the same trace, bit for bit', () => {
    const events: readonly Partial<TickInput>[] = [
      {
        goals: [
          { type: 'answer', priority: 1, origin: 'user' },
          { type: 'plan', priority: 0.2 },
        ],
        insert: [{ type: 'context', value: 'What is Ohm’s law?' }],
      },
      {
        insert: [
          { type: 'fact', value: { volts: 12, ohms: 3 } },
          { type: 'context', value: 'What is Ohm’s law?' },
        ],
      },
      { failures: [{ node_id: 'agent:math_v1', reason: 'timeout' }], council_approves: false },
      { council_approves: true, user_upvotes: true, outcomes: [{ deliverable_produced: true, final_confidence: 0.9 }] },
    ];
    const bytes = canonicalize(run(events));
    // What a replay is given has been through the record: the same values in other objects.
    const recorded = JSON.parse(canonicalize({ body: CONSTANTS, events })) as {
      body: BrainStateConstants;
      events: Partial<TickInput>[];
    };
    expect(canonicalize(run(recorded.events, recorded.body))).toBe(bytes);
    expect(sha256Hex(bytes)).toBe('5eede4396d3b8b1a19b9f0434fbfbc72d31e97c4ff2c3f9368fa334ef0babe46');
  });
});
