import { MemoryReadStore, ReadStoreUnavailableError } from '#lib/read-store';
import { Ownership, ownerSign } from './ownership.js';
import { inTurns, Turn } from './turn.js';

const never = new AbortController().signal;

describe('a turn', () => {
  let documents: MemoryReadStore;
  beforeEach(() => (documents = new MemoryReadStore()));

  const lease = (holder: string, durationMs: number) => ({ holder, durationMs });
  const faults: unknown[] = [];
  const begin = (holder: string, durationMs: number, work: (signal: AbortSignal) => Promise<void>) => {
    const stopping = new AbortController();
    const onFault = (error: unknown): void => void faults.push(error);
    const options = { documents, name: 'duty', lease: lease(holder, durationMs), stopping: stopping.signal, onFault };
    const settled = inTurns(options, work);
    return { settled, stop: () => stopping.abort() };
  };
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

  it('is one process’s at a time, and the next one’s at once when it is given back', async () => {
    const doing: string[] = [];
    const first = begin('first', 200, async (signal) => {
      doing.push('first');
      await untilAborted(signal);
      doing.push('first ends');
    });
    while (doing.length === 0) await tick();
    const second = begin('second', 200, async () => void doing.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(doing).toEqual(['first']);
    first.stop();
    await first.settled;
    await second.settled;
    expect(doing).toEqual(['first', 'first ends', 'second']);
    expect(faults).toEqual([]);
  });

  it('is one process’s where many find it free at once, and none of the others has a fault to tell', async () => {
    let doing = 0;
    const held: number[] = [];
    const all = Array.from({ length: 8 }, (_, nth) =>
      begin(`process-${nth}`, 4000, async (signal) => {
        held.push(nth);
        doing++;
        await untilAborted(signal);
        doing--;
      }),
    );
    while (held.length === 0) await tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ doing, faults }).toEqual({ doing: 1, faults: [] });
    for (const { stop } of all) stop();
    await Promise.all(all.map(({ settled }) => settled));
    expect(faults).toEqual([]);
  });

  it('that fails long after it went well is begun again as soon as at its first fault, and says once that it goes again', async () => {
    const told: unknown[] = [];
    const begun: number[] = [];
    const stopping = new AbortController();
    const onFault = (error: unknown): void => void told.push(error);
    const options = { documents, name: 'duty', lease: undefined, stopping: stopping.signal, onFault, firstPauseMs: 10 };
    await inTurns(options, (_, goes) => {
      begun.push(performance.now());
      if (begun.length === 8) return Promise.resolve();
      if (begun.length === 7) {
        goes();
        goes();
      }
      return Promise.reject(new Error('away'));
    });
    const away = new Error('away');
    expect(told).toEqual([...Array.from({ length: 6 }, () => away), null, away, null]);
    const pauses = begun.slice(1).map((at, i) => at - begun[i]!);
    expect(pauses[5]).toBeGreaterThan(300);
    expect(pauses[6]).toBeLessThan(300);
  });

  it('ends where another process has taken it, and gives nothing back that is not its own', async () => {
    const first = await Turn.await(documents, 'duty', lease('first', 40), never);
    const second = await Ownership.take(documents, { name: 'duty', version: 1 }, 'second');
    while (!first.lost.aborted) await tick();
    await first.end();
    expect(await ownerSign(documents, { name: 'duty', version: 1 })).toMatchObject({ holder: 'second' });
    await second.release();
  });

  it('ends where nobody can hear that its process lives, for as long as the lease', async () => {
    const turn = await Turn.await(documents, 'duty', lease('first', 20), never);
    jest.spyOn(documents, 'apply').mockRejectedValue(new ReadStoreUnavailableError('away'));
    while (!turn.lost.aborted) await tick();
    await turn.end();
  });

  it('ends where the store gives no answer at all for as long as the lease', async () => {
    const turn = await Turn.await(documents, 'duty', lease('first', 20), never);
    let answer = (): void => undefined;
    const silent = new Promise<'applied'>((resolve) => (answer = () => resolve('applied')));
    jest.spyOn(documents, 'apply').mockReturnValue(silent);
    while (!turn.lost.aborted) await tick();
    answer();
    await turn.end();
  });
});

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
