import type { Fold } from '../event-log.js';
import { MemoryEventStore } from '../memory/memory-event-store.js';
import { MemorySubjectKeys } from '../memory/memory-subject-keys.js';
import { provenance, setUp } from '../testing/codec-support.js';
import { GuardedStateCache } from './guarded-state-cache.js';
import { MemoryStateCache } from './memory-state-cache.js';

const COUNT: Fold<number> = { name: 'count', initial: 0, evolve: (count) => count + 1 };
const NOTED = { type: 'NOTED', data: { what: 'a' } };
const STREAM = 'test-1';

/** Processes over one store that share one cache of states. */
function world() {
  const [store, keys, cache] = [new MemoryEventStore(), new MemorySubjectKeys(), new MemoryStateCache(10_000)];
  const reads = jest.spyOn(store, 'readStream');
  const process = () => {
    const { log } = setUp({ store, keys });
    const watch = { down: jest.fn(), up: jest.fn() };
    log.shareStates(COUNT, new GuardedStateCache(cache, { watch }));
    return log;
  };
  let written = 0;
  const write = (log: ReturnType<typeof process>) =>
    log.execute({ stream: STREAM, fold: COUNT, provenance: provenance(`s${written++}`), decide: () => [NOTED] });
  return { cache, reads, process, write, key: `count ${STREAM}` };
}

describe('states shared between processes', () => {
  it('save a process that never read the stream from reading it', async () => {
    const { process, write, reads } = world();
    await write(process());
    reads.mockClear();
    expect((await process().fold(STREAM, COUNT)).state).toBe(1);
    expect(reads).not.toHaveBeenCalled();
  });

  it('are used only while they are of the stream’s version: an older one is a miss, and replaced', async () => {
    const { process, write, cache, key } = world();
    await write(process());
    const old = cache.get(key)!;
    await write(setWithoutCache(process()));
    jest.spyOn(cache, 'get').mockReturnValueOnce(old);
    const other = process();
    expect(await other.fold(STREAM, COUNT)).toMatchObject({ state: 2, head: { version: 2 } });
    expect(cache.get(key)).toMatchObject({ state: 2 });
  });

  it('are never what a writer decides and chains on, whatever the cache says', async () => {
    const { process, write, cache, key } = world();
    await write(process());
    const lie = { state: 99, head: { stream: STREAM, version: 1, lastHash: 'ff'.repeat(32) } };
    cache.put(key, lie);
    const writer = process();
    const { state } = await write(writer);
    expect(state).toBe(2);
    expect((await process().load(STREAM)).events).toHaveLength(2);
  });

  it('are forgotten with those of the process, once each cache has let them go', async () => {
    const { process, write, cache, key } = world();
    const log = process();
    await write(log);
    expect(cache.get(key)).toBeDefined();
    await log.forgetStates();
    expect(cache.get(key)).toBeUndefined();
    expect((await log.fold(STREAM, COUNT)).state).toBe(1);
  });

  it('are refused for a fold that sees personal fields in plain', () => {
    const { process } = world();
    const cache = new GuardedStateCache(new MemoryStateCache(1000), { watch: { down: jest.fn(), up: jest.fn() } });
    expect(() => process().shareStates({ name: 'said', personal: 'plain' }, cache)).toThrow(
      'states of said hold personal fields in plain',
    );
  });
});

/** The same log, whose cache loses what it is given from now on. */
function setWithoutCache<T extends ReturnType<ReturnType<typeof world>['process']>>(log: T): T {
  const lossy = { get: () => undefined, put: () => undefined, purge: () => undefined };
  log.shareStates(COUNT, new GuardedStateCache(lossy, { watch: { down: jest.fn(), up: jest.fn() } }));
  return log;
}
