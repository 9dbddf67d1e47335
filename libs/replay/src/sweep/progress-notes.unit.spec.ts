import type { CommandContext } from '#lib/access';

import type { SweepProgress, UnmatchedJob } from '../domain/sweep.events.js';
import { ProgressNotes } from './progress-notes.js';
import type { SweepView } from './sweep-view.js';

const JOBS: readonly UnmatchedJob[] = ['a', 'b', 'c', 'd', 'e'].map((job_id) => ({
  job_id,
  verdict: 'MISMATCH',
  error_code: 'REPLAY_DIVERGENCE',
  replay_id: `replay-${job_id}`,
}));

/** A sweep that has met so many of them. */
const met = (count: number): SweepView => ({ unmatched: JOBS.slice(0, count), counts: {} }) as unknown as SweepView;

it('notes of a sweep list each job that is no match once: those that were on record before and those of the note before are left out', async () => {
  let at = 0;
  let isAway = false;
  const listed: string[][] = [];
  const note = ({ unmatched }: SweepProgress): Promise<void> => {
    if (isAway) return Promise.reject(new Error('away'));
    listed.push(unmatched.map(({ job_id }) => job_id));
    return Promise.resolve();
  };
  const ctx = {} as CommandContext;
  const notes = new ProgressNotes({ record: { note }, ctx, listed: 1, now: () => at, onTrouble: () => undefined });
  for (const [count, away] of [
    [1, false],
    [3, false],
    [4, true],
    [5, false],
  ] as const) {
    at += 10_000;
    isAway = away;
    notes.take(met(count));
    await notes.settled();
  }
  expect(listed).toEqual([[], ['b', 'c'], ['d', 'e']]);
});
