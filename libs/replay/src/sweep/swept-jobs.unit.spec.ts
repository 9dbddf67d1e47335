import { positionOf, type StreamReader } from '#lib/event-store';

import { jobsInFolder } from './swept-jobs.js';

type StreamPlace = ReturnType<StreamReader['streamsAfter']>[number];

/** @param firsts position of the first event that is left of each stream, in the order in which the streams began */
function folderOf(firsts: readonly number[]) {
  const streams: StreamPlace[] = firsts.map((first, i) => ({
    number: i + 1,
    stream: `job-${i + 1}`,
    first: positionOf(first),
  }));
  return jobsInFolder({
    streamsAfter: (number, _, limit) => streams.filter((one) => one.number > number).slice(0, limit),
  });
}

async function pagesOf(firsts: readonly number[], after = 0, to = 100_000) {
  const pages: { jobs: number; upTo: string }[] = [];
  for await (const { places, upTo } of folderOf(firsts).pages(positionOf(after), positionOf(to)))
    pages.push({ jobs: places.length, upTo });
  return pages;
}

const JOBS = Array.from({ length: 300 }, (_, i) => 10 * (i + 1));

describe('the pages of the jobs of a folder', () => {
  it('reach up to where the next one begins, and the last up to the end', async () => {
    expect(await pagesOf(JOBS)).toEqual([
      { jobs: 128, upTo: '1289' },
      { jobs: 128, upTo: '2569' },
      { jobs: 44, upTo: '100000' },
    ]);
  });

  it('do not reach past jobs of later ones for one that lost its first events', async () => {
    const [last, first] = [127, 128];
    const damaged = JOBS.map((position, i) => (i === last || i === first ? 50_000 : position));
    expect((await pagesOf(damaged))[0]).toEqual({ jobs: 128, upTo: '1299' });
  });

  it('hold the jobs of the part that is asked for, and none else', async () => {
    expect(await pagesOf(JOBS, 1300, 2000)).toEqual([{ jobs: 70, upTo: '2000' }]);
  });

  it('hold one that lost its first events in one part alone, wherever the log is parted, as they are counted', async () => {
    const damaged = JOBS.map((position, i) => (i === 5 ? 50_000 : position));
    for (const parted of [640, 1289, 1500, 2569, 60_000]) {
      const before = await pagesOf(damaged, 0, parted);
      const behind = await pagesOf(damaged, parted);
      const [held, left] = [before, behind].map((pages) => pages.reduce((sum, { jobs }) => sum + jobs, 0));
      expect([parted, held! + left!]).toEqual([parted, 300]);
      const counted = folderOf(damaged);
      expect(await counted.count(positionOf(0), positionOf(parted))).toBe(held);
      expect(await counted.count(positionOf(parted), positionOf(100_000))).toBe(left);
    }
    // Whoever goes on behind the page that it is on does not meet it again.
    expect(await pagesOf(damaged, 1289)).toEqual((await pagesOf(damaged)).slice(1));
  });
});
