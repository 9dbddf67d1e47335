import type { Goal } from '#lib/brainstate';

import {
  answer,
  engineInput,
  only,
  runScripted,
  votesOf,
  type InputOptions,
  type Script,
} from '../testing/scripted-job.js';

const SUM: InputOptions = { query: 'what is 3+4' };
const SEVEN: Script = { turns: [answer('7', { evidence: [] })] };

const goal = (goal_id: string, type: Goal['type'], priority: number, more: Partial<Goal> = {}): Goal => ({
  goal_id,
  type,
  priority,
  status: 'active',
  created_at: '2025-01-01T00:00:00.000Z',
  origin: 'user',
  metadata: {},
  attempts: 0,
  ...more,
});

/** What became of each goal: its status, and how often it was missed. */
function after(goals: readonly Goal[], options = SUM, script = SEVEN): Readonly<Record<string, string>> {
  const input = engineInput(options);
  const { events } = runScripted({ ...input, brainstate: { ...input.brainstate, goals } }, script);
  const ended = only(events, 'BRAINSTATE_TICK').data['goals'] as unknown as readonly Goal[];
  return Object.fromEntries(ended.map(({ goal_id, status, attempts }) => [goal_id, `${status} ${attempts}`]));
}

describe('what a job came to', () => {
  it('is credited to its own goal, and to no goal of another kind however urgent that is', () => {
    expect(after([goal('bigplan', 'plan', 0.9), goal('low', 'save', 0.72)])).toEqual({
      bigplan: 'active 0',
      low: 'active 0',
      g3: 'succeeded 0',
    });
  });

  it('reaches a goal of the snapshot that its intent serves too', () => {
    expect(after([goal('know', 'answer', 0.9), goal('bigplan', 'plan', 0.9)])).toEqual({
      know: 'succeeded 0',
      bigplan: 'active 0',
      g3: 'succeeded 0',
    });
  });

  it('changes no goal that has ended', () => {
    const ended = [
      goal('done', 'answer', 0.5, { status: 'succeeded' }),
      goal('lost', 'answer', 0.5, { status: 'failed' }),
    ];
    expect(after(ended)).toEqual({ done: 'succeeded 0', lost: 'failed 0', g3: 'succeeded 0' });
  });

  it('counts as missed for its own goal and those it serves alone, where there was no answer', () => {
    const limits = { max_repair_loops: 0 };
    const rejected = { ...SEVEN, votes: [votesOf([false, false, false], 0.1)] };
    const ended = after([goal('know', 'answer', 0.5), goal('bigplan', 'plan', 0.6)], { ...SUM, limits }, rejected);
    expect(ended).toEqual({ know: 'failed 1', bigplan: 'active 0', g3: 'failed 1' });
  });

  it('is told by an id that no goal of the snapshot has', () => {
    expect(after([goal('g2', 'plan', 0.5)])).toEqual({ g2: 'active 0', g3: 'succeeded 0' });
  });
});
