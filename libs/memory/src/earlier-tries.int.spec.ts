import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { MemoryEventStore } from '#lib/event-store';
import { EarlierTries } from './earlier-tries.js';
import { ctxOf, memoryProcess, TUFF } from './testing/memory-harness.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const STREAM = `sem-${KEY}`;
const WRITES = 150;

/** Counts how many events are read. */
class CountingStore extends MemoryEventStore {
  read = 0;

  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    const slice = await super.readStream(...args);
    this.read += slice.events.length;
    return slice;
  }
}

describe('earlier tries on a stream with many writes', () => {
  let store: CountingStore;
  let seeds: string[];

  beforeEach(async () => {
    store = new CountingStore();
    const { writes } = memoryProcess({ store });
    seeds = [];
    for (let i = 0; i < WRITES; i++) {
      const ctx = ctxOf(TUFF, { key: `k${i}` });
      seeds.push(ctx.seed);
      await writes.put(ctx, { key: KEY, value: i });
    }
  });

  it('are found, each and every one, by a process that never saw them written', async () => {
    const { log } = memoryProcess({ store });
    const tries = new EarlierTries(log);
    for (const [revision, seed] of seeds.entries()) {
      expect((await tries.inWindow(STREAM, seed, WRITES))?.revision).toBe(revision);
    }
    expect(await tries.inWindow(STREAM, 'cmd:none', WRITES)).toBeNull();
  });

  it('are found where another process wrote them since the last look', async () => {
    const mine = memoryProcess({ store });
    const tries = new EarlierTries(mine.log);
    expect(await tries.inWindow(STREAM, 'cmd:none', WRITES)).toBeNull();
    const other = memoryProcess({ store, keys: mine.keys });
    const ctx = ctxOf(TUFF, { key: 'later' });
    await other.writes.put(ctx, { key: KEY, value: 'later' });
    expect((await tries.inWindow(STREAM, ctx.seed, WRITES + 1))?.revision).toBe(WRITES);
  });

  it('that are not there cost no read of the whole stream after the first', async () => {
    const tries = new EarlierTries(memoryProcess({ store }).log);
    await tries.inWindow(STREAM, 'cmd:none', WRITES);
    store.read = 0;
    for (let i = 0; i < 50; i++) await tries.inWindow(STREAM, `cmd:none-${i}`, WRITES);
    expect(store.read).toBe(0);
  });

  it('are those of the seed and the sequence_index, from the revision on', async () => {
    const tries = new EarlierTries(memoryProcess({ store }).log);
    expect((await tries.since(STREAM, seeds[100]!, 0, 100))?.revision).toBe(100);
    expect(await tries.since(STREAM, seeds[100]!, 0, 101)).toBeNull();
    expect(await tries.since(STREAM, seeds[100]!, 1, 0)).toBeNull();
  });
});

describe('what is kept of earlier tries', () => {
  it('is not the texts of the events, however large they are', async () => {
    const [count, size] = [1500, 16_384];
    /** Texts that nobody but their reader holds. */
    const store = {
      readStream: (_: string, { from = count - 1, limit = 0, backwards = false }) => {
        const revisions = Array.from({ length: limit }, (__, i) => (backwards ? from - i : from + i));
        const events = revisions
          .filter((revision) => revision >= 0 && revision < count)
          .map((revision) => ({
            revision,
            text: `{"data":"${'x'.repeat(size)}","job_seed":"${`${revision}`.padStart(64, '0')}"}`,
          }));
        return Promise.resolve({ events, version: count });
      },
      streamVersion: () => Promise.resolve(count),
    };
    const tries = new EarlierTries({ store, findBySeed: () => Promise.resolve('found') } as never);
    const before = heapUsed();
    for (let i = 0; i < 4; i++) expect(await tries.inWindow(`s${i}`, 'none', count)).toBeNull();
    expect(heapUsed() - before).toBeLessThan((count * size) / 4);
    expect(await tries.inWindow('s0', `${count - 1}`.padStart(64, '0'), count)).toBe('found');
  });
});

/** After everything that nobody holds was collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
