import type { ReadModel } from '#lib/projections';

import { PinnedJobs } from './pinned-jobs.js';

const SETS = { one: ['a', 'b'], two: ['b'], three: ['c'] };
const LOGS = { one: 2, two: 3, three: 1 };

function pinned(maxCount?: number) {
  const find = jest.fn((collection: string, options: { readonly where?: readonly { readonly equals: string }[] }) => {
    const set = options.where?.[0]?.equals as keyof typeof LOGS;
    const documents =
      collection === 'pin_sets'
        ? Object.entries(SETS).map(([id, snapshots]) => ({ id, body: { snapshots } }))
        : Array.from({ length: LOGS[set] }, (_, i) => ({ id: `${set}-${i}`, body: {} }));
    return Promise.resolve({ documents, next: null });
  });
  return { find, jobs: new PinnedJobs({ find } as unknown as Pick<ReadModel, 'find'>, maxCount) };
}

it('counts the jobs that pin each of several snapshots, and looks once at what pins them together', async () => {
  const { find, jobs } = pinned();
  const exactly = (count: number) => ({ jobs: count, at_least: false });
  expect(await jobs.counts(['b', 'nothing', 'a'])).toEqual([exactly(5), exactly(0), exactly(2)]);
  expect(find).toHaveBeenCalledTimes(3);
  expect(await jobs.counts([])).toEqual([]);
});

it('counts up to a bound, and says where there are more', async () => {
  const { jobs } = pinned(4);
  expect(await jobs.counts(['a', 'b', 'c'])).toEqual([
    { jobs: 2, at_least: false },
    { jobs: 4, at_least: true },
    { jobs: 1, at_least: false },
  ]);
});
