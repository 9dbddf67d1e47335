import { givenEvents } from '#lib/projections';

import { type CountsWanted, JobCounts } from './job-counts.js';
import { jobCountsProjection } from './read-models/job-counts.projection.js';

type Given = Parameters<typeof givenEvents>[1];

const DAY = '2026-11-21';
const NOW = Date.parse(`${DAY}T12:10:00.000Z`);
const at = (time: string): string => `${DAY}T${time}Z`;

const asked = (time: string): Given => ({ type: 'JOB_ACCEPTED', data: { created_at: at(time) } });
const ended = (time: string, log: Record<string, string | null>): Given => ({
  type: 'REFLECTIVE_LOG_WRITTEN',
  data: { status: 'completed', error_code: null, ...log },
  metadata: { recorded_at: at(time) },
});
const failed = (time: string, error_code: string): Given => ended(time, { status: 'failed', error_code });

async function counted(wanted: Partial<CountsWanted>, ...events: Given[]) {
  const counts = new JobCounts(await givenEvents(jobCountsProjection, ...events).readModel());
  return counts.list({ now: NOW, ...wanted });
}

const SOME = [
  asked('12:00:00.000'),
  asked('12:00:59.999'),
  ended('12:01:00.000', { created_at: at('12:00:00.000') }),
  failed('12:03:00.000', 'AGENT_TIMEOUT'),
  failed('12:03:59.000', 'AGENT_TIMEOUT'),
  failed('12:03:59.000', 'SEM_NOT_FOUND'),
  ended('12:03:59.500', { status: 'blocked', error_code: 'PRIVACY_BLOCKED' }),
  asked('13:00:00.000'),
];

describe('counts of jobs over time', () => {
  it('have an item a step, in which each job is counted where it began and where it ended', async () => {
    const from = { from_time: at('12:00:30.000'), to_time: at('12:03:00.001') };
    const { from_time, to_time, counts: items } = await counted({ ...from, step: 60 }, ...SOME);
    expect([from_time, to_time]).toEqual([at('12:00:00.000'), at('12:04:00.000')]);
    expect(items.map(({ begun, completed, blocked, failed }) => [begun, completed, blocked, failed])).toEqual([
      [2, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 1, 3],
    ]);
    expect(items[3]!.errors).toEqual([
      { error_code: 'AGENT_TIMEOUT', jobs: 2 },
      { error_code: 'PRIVACY_BLOCKED', jobs: 1 },
      { error_code: 'SEM_NOT_FOUND', jobs: 1 },
    ]);
  });

  it.each([
    [300, '12:00:00.000', [2, 0, 0]],
    [3600, '12:00:00.000', [2, 1]],
    [21_600, '12:00:00.000', [3]],
    [86_400, '00:00:00.000', [3]],
  ] as const)('of %i seconds add up to the same', async (step, begin, begun) => {
    const ends = new Date(Date.parse(at(begin)) + begun.length * step * 1000).toISOString();
    const { counts: items } = await counted({ from_time: at('12:00:00.000'), to_time: ends, step }, ...SOME);
    expect(items.map((item) => item.begun)).toEqual(begun);
    expect(items[0]!.time).toBe(at(begin));
  });

  it('say how long jobs took, the middle and the slowest within the bounds of a histogram', async () => {
    const quick = Array.from({ length: 18 }, () => ended('12:00:00.020', { created_at: at('12:00:00.000') }));
    const slow = Array.from({ length: 2 }, () => ended('12:00:04.000', { created_at: at('12:00:00.000') }));
    const { counts: items } = await counted({ step: 3600, from_time: at('12:00:00.000') }, ...quick, ...slow);
    const { mean, median, p95 } = items[0]!.duration_ms!;
    expect(mean).toBe((18 * 20 + 2 * 4000) / 20);
    expect([median > 10 && median <= 25, p95 > 2500 && p95 <= 5000]).toEqual([true, true]);
  });

  it('say no error and no duration of what an earlier version recorded, and nothing of an end without a time', async () => {
    const old = { type: 'REFLECTIVE_LOG_WRITTEN', data: { status: 'failed' } };
    const { counts: items } = await counted(
      { step: 86_400, from_time: at('00:00:00.000') },
      {
        ...old,
        metadata: { recorded_at: at('12:00:00.000') },
      },
    );
    expect(items).toMatchObject([{ failed: 1, errors: [{ error_code: null, jobs: 1 }], duration_ms: null }]);
    expect(jobCountsProjection.project({ ...old, metadata: {} } as never)).toEqual([]);
  });

  it('are of the last 60 steps where no time is said, and of 500 at most', async () => {
    const { counts: items, to_time } = await counted({ step: 60 });
    expect([items.length, to_time]).toEqual([60, at('12:11:00.000')]);
    await expect(counted({ from_time: '2026-11-21T00:00:00Z', step: 60 })).rejects.toThrow(/500 steps/);
    await expect(counted({ from_time: '2027-01-01T00:00:00Z' })).rejects.toThrow(/500 steps/);
  });
});
