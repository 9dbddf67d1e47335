import { MemoryEventStore } from './memory/memory-event-store.js';
import type { StreamPart } from './port.js';
import { StreamReads } from './stream-reads.js';
import { newEvents } from './testing/contract-support.js';

/** A store that can answer for several streams, and what it was asked. */
class Several extends MemoryEventStore {
  readonly asked: string[] = [];
  broken: string | undefined;

  override readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.asked.push(args[0]);
    return this.read(...args);
  }

  override streamVersion(stream: string) {
    this.asked.push(`version of ${stream}`);
    return super.streamVersion(stream);
  }

  async readStreams(parts: readonly StreamPart[]) {
    this.asked.push(parts.map(({ stream }) => stream).join('+'));
    return Promise.all(parts.map(({ stream, from, limit }) => this.read(stream, { from, limit })));
  }

  private read(...args: Parameters<MemoryEventStore['readStream']>) {
    if (args[0] === this.broken) throw new Error(`${args[0]} is broken`);
    return super.readStream(...args);
  }
}

async function house() {
  const store = new Several();
  for (const [stream, count] of [
    ['a', 3],
    ['b', 1],
  ] as const)
    await store.append(stream, 'none', newEvents(count));
  return { store, reads: new StreamReads(store) };
}

describe('streams that are read side by side', () => {
  it('are one question, parts and versions together, each part once, and each is as by itself', async () => {
    const { store, reads } = await house();
    const [a, again, rest, none, version, absent] = await Promise.all([
      reads.slice('a', 0, 10),
      reads.slice('a', 0, 10),
      reads.slice('a', 2, 10),
      reads.slice('none', 0, 10),
      reads.version('b'),
      reads.version('none'),
    ]);
    expect(store.asked).toEqual(['a+a+none+b+none']);
    expect([a, again]).toEqual(Array(2).fill(await store.readStream('a', { from: 0, limit: 10 })));
    expect(rest).toEqual(await store.readStream('a', { from: 2, limit: 10 }));
    expect(none).toEqual({ events: [], version: 0 });
    expect([version, absent]).toEqual([1, 0]);
  });

  it('are read by themselves where only one is asked for', async () => {
    const { store, reads } = await house();
    await reads.slice('a', 0, 10);
    await reads.version('a');
    await Promise.all([reads.slice('b', 0, 10), reads.slice('b', 0, 10)]);
    expect(store.asked).toEqual(['a', 'version of a', 'b', 'b']);
  });

  it('fail each for itself: what is wrong with one is told to nobody who asked for another', async () => {
    const { store, reads } = await house();
    store.broken = 'b';
    const [a, b] = await Promise.allSettled([reads.slice('a', 0, 10), reads.slice('b', 0, 10)]);
    expect(a).toMatchObject({ status: 'fulfilled', value: { version: 3 } });
    expect(b).toMatchObject({ status: 'rejected', reason: { message: 'b is broken' } });
  });

  it('are read by themselves where the store leaves them to that', async () => {
    const { store, reads } = await house();
    jest.spyOn(store, 'readStreams').mockImplementation(async (parts) => parts.map(() => undefined) as never);
    const [a, version] = await Promise.all([reads.slice('a', 0, 10), reads.version('b')]);
    expect([a.version, version]).toEqual([3, 1]);
    expect(store.asked).toEqual(['a', 'version of b']);
  });

  it('are read one by one in a store that knows no other way, and not at all where a version is known', async () => {
    const store = new MemoryEventStore();
    await store.append('a', 'none', newEvents(2));
    const known = jest.spyOn(store, 'streamVersion');
    const reads = new StreamReads({
      readStream: store.readStream.bind(store),
      streamVersion: store.streamVersion.bind(store),
      knownVersion: (stream) => (stream === 'k' ? 7 : undefined),
    });
    const [a, version] = await Promise.all([reads.slice('a', 1, 10), reads.version('k')]);
    expect([a.events.length, a.version, version, known.mock.calls]).toEqual([1, 2, 7, []]);
  });
});
