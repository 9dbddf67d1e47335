import { START } from '#lib/event-store';

import { RangeStore } from './range-store.js';

function store(known: readonly string[] | undefined) {
  const asked: string[] = [];
  const reads = {
    readStream: () => Promise.resolve({ events: [], version: 0 }),
    streamVersion: (stream: string) => {
      asked.push(stream);
      return Promise.resolve(7);
    },
    readAll: () => Promise.reject(new Error('nobody reads everything here')),
    head: () => Promise.resolve(START),
    ...(known ? { known: (streams: readonly string[]) => new Set(streams.filter((one) => known.includes(one))) } : {}),
  };
  return { asked, range: new RangeStore(reads) };
}

const BESIDE = ['amendment-a', 'amendment-b'];
const versions = (range: RangeStore): Promise<readonly number[]> =>
  Promise.all(BESIDE.map((stream) => range.streamVersion(stream)));

describe('what may stand beside the jobs of a range', () => {
  it('is asked for by itself where it was begun, and taken for empty where it was not', async () => {
    const { asked, range } = store(['amendment-b']);
    range.learnAbsent(BESIDE);
    expect(await versions(range)).toEqual([0, 7]);
    expect(asked).toEqual(['amendment-b']);
  });

  it('is asked for anew by the next range', async () => {
    const { asked, range } = store([]);
    range.learnAbsent(BESIDE);
    range.begin([]);
    expect(await versions(range)).toEqual([7, 7]);
    expect(asked).toEqual(BESIDE);
  });

  it('is asked for by itself in a store that has no such question', async () => {
    const { asked, range } = store(undefined);
    range.learnAbsent(BESIDE);
    expect(await versions(range)).toEqual([7, 7]);
    expect(asked).toEqual(BESIDE);
  });
});
