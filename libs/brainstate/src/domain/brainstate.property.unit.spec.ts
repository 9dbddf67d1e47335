import fc from 'fast-check';

import { canonicalize } from '#lib/kernel';

import { routingHints } from './attention.js';
import { initialBrainState, tick, type BrainState, type TickInput } from './brainstate.js';
import { BRAINSTATE_DEFAULTS } from './constants.js';
import { GOAL_TYPES, type GoalOutcome, type GoalRequest } from './goals.js';
import type { BrainStateConstants } from './snapshot-body.js';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const verdict = fc.constantFrom(true, false, null);
const value = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc.string({ maxLength: 80 }),
  fc.integer(),
  fc.dictionary(fc.constantFrom('x', 'y'), fc.integer()),
);
const insertion = fc.record(
  { type: fc.constantFrom('fact', 'context', 'user_hint'), value, ttl_ticks: fc.integer({ min: 1, max: 6 }) },
  { requiredKeys: ['type', 'value'] },
);
const goal: fc.Arbitrary<GoalRequest> = fc.record(
  { type: fc.constantFrom(...GOAL_TYPES), priority: unit, goal_id: fc.constantFrom('g1', 'g2', 'other') },
  { requiredKeys: ['type'] },
);
const outcome: fc.Arbitrary<GoalOutcome> = fc.record(
  {
    goal_id: fc.constantFrom('g1', 'g2', 'other'),
    deliverable_produced: fc.boolean(),
    final_confidence: unit,
    repairs_exhausted: fc.boolean(),
  },
  { requiredKeys: ['deliverable_produced', 'final_confidence'] },
);
const input: fc.Arbitrary<TickInput> = fc.record(
  {
    insert: fc.array(insertion, { maxLength: 4 }),
    council_approves: verdict,
    user_upvotes: verdict,
    goals: fc.array(goal, { maxLength: 2 }),
    outcomes: fc.array(outcome, { maxLength: 2 }),
    failures: fc.array(fc.record({ node_id: fc.constantFrom('agent:a', 'agent:b'), reason: fc.constant('timeout') }), {
      maxLength: 3,
    }),
    tokens_spent: fc.nat(4096),
  },
  { requiredKeys: ['insert', 'council_approves', 'user_upvotes'] },
);
const body: fc.Arbitrary<BrainStateConstants> = fc
  .record({
    attention_gain: unit,
    explore_bias: unit,
    token_budget: fc.nat(400),
    max_depth_allowed: fc.nat(5),
    a_gain: unit,
    e_decay: unit,
  })
  .map((some) => ({ ...BRAINSTATE_DEFAULTS, ...some }));
const sequence = fc.array(input, { minLength: 1, maxLength: 25 });

function trace(constants: BrainStateConstants, inputs: readonly TickInput[]): BrainState[] {
  const states: BrainState[] = [];
  for (const one of inputs) states.push(tick(states.at(-1) ?? initialBrainState(constants), one, 'seed-1', constants));
  return states;
}

const isUnit = (x: number): boolean => x >= 0 && x <= 1;

describe('after any sequence of ticks', () => {
  it('every value is in its range, consolidated memory within its share, and every id unique', () => {
    fc.assert(
      fc.property(body, sequence, (constants, inputs) => {
        for (const state of trace(constants, inputs)) {
          const { attention, WM, CWM, goals = [], recent_failures = [], resource_budget } = state;
          expect(Object.values(attention).every(isUnit)).toBe(true);
          expect(CWM.tokens_used).toBeLessThanOrEqual(constants.token_budget / 4);
          const items = [...WM, ...CWM.items];
          expect(items.every(({ ttl_ticks }) => ttl_ticks > 0)).toBe(true);
          expect(new Set(items.map(({ wm_id }) => wm_id)).size).toBe(items.length);
          expect(new Set(items.map(({ type, value }) => canonicalize([type, value]))).size).toBe(items.length);
          expect(goals.every(({ priority, attempts }) => isUnit(priority) && attempts <= 3)).toBe(true);
          expect(new Set(goals.map(({ goal_id }) => goal_id)).size).toBe(goals.length);
          expect(recent_failures.length).toBeLessThanOrEqual(10);
          expect(resource_budget).toEqual(initialBrainState(constants).resource_budget);
          expect(routingHints(state).max_depth_allowed).toBeLessThanOrEqual(constants.max_depth_allowed);
        }
      }),
    );
  });

  it('what ended stays ended', () => {
    fc.assert(
      fc.property(body, sequence, (constants, inputs) => {
        const states = trace(constants, inputs);
        for (let i = 1; i < states.length; i++) {
          for (const before of states[i - 1]!.goals ?? []) {
            if (before.status === 'active' || before.status === 'paused') continue;
            expect(states[i]!.goals!.find(({ goal_id }) => goal_id === before.goal_id)).toEqual(before);
          }
        }
      }),
    );
  });

  it('the same inputs give the same bytes, also where state and inputs come from the record', () => {
    fc.assert(
      fc.property(body, sequence, (constants, inputs) => {
        const bytes = canonicalize(trace(constants, inputs));
        const copy = JSON.parse(canonicalize({ constants, inputs })) as {
          constants: BrainStateConstants;
          inputs: TickInput[];
        };
        const before = trace(copy.constants, copy.inputs);
        let state = initialBrainState(copy.constants);
        const again = copy.inputs.map((one) => {
          state = tick(JSON.parse(canonicalize(state)) as BrainState, one, 'seed-1', copy.constants);
          return state;
        });
        expect(canonicalize(before)).toBe(canonicalize(again));
        expect(canonicalize(trace(constants, inputs))).toBe(bytes);
      }),
    );
  });
});
