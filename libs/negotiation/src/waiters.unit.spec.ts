import { MAX_WAITERS, Waiters } from './waiters.js';

const HOUR_MS = 3_600_000;
const later = (): number => performance.now() + HOUR_MS;
const nothing = (): Promise<null> => Promise.resolve(null);

describe('a call that waits', () => {
  let waiters: Waiters;
  let gone: AbortController;
  beforeEach(() => {
    waiters = new Waiters();
    gone = new AbortController();
  });
  afterEach(() => expect(waiters.size).toBe(0));

  it('is answered by what it finds at once, or after a wake', async () => {
    expect(await waiters.wait('a', later(), gone.signal, () => Promise.resolve('there'))).toBe('there');
    const found = [null, null, 'there'];
    const waiting = waiters.wait('a', later(), gone.signal, async () => found.shift() ?? null);
    while (found.length > 0) {
      waiters.wake('another');
      waiters.wake('a');
      await Promise.resolve();
    }
    expect(await waiting).toBe('there');
  });

  it('misses no wake that comes while it looks', async () => {
    let looks = 0;
    const look = async (): Promise<number | null> => {
      if (++looks === 1) waiters.wake('a');
      return looks === 2 ? looks : null;
    };
    expect(await waiters.wait('a', later(), gone.signal, look)).toBe(2);
  });

  it.each<[string, (look: () => void) => Promise<null>]>([
    ['before it begins', nothing],
    ['while it looks', async (end) => (end(), null)],
    [
      'while it waits',
      async (end) => {
        setImmediate(end);
        return null;
      },
    ],
  ])('and is broken off %s lets go of its place at once', async (when, look) => {
    const end = (): void => gone.abort(new Error('gone'));
    if (when === 'before it begins') end();
    await expect(waiters.wait('a', later(), gone.signal, () => look(end))).rejects.toThrow('gone');
  });

  it.each<[string, (end: () => void) => void]>([
    ['while it looks', (end) => end()],
    ['while it waits', (end) => void setImmediate(end)],
  ])('ends with the process, also where that stops %s', async (_, when) => {
    const look = async (): Promise<null> => {
      when(() => waiters.end());
      return null;
    };
    await expect(waiters.wait('a', later(), gone.signal, look)).rejects.toMatchObject({ code: 'DATA_UNAVAILABLE' });
  });

  it('is told once its time is over, having looked once at least', async () => {
    const look = jest.fn(nothing);
    await expect(waiters.wait('a', 0, gone.signal, look)).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
    expect(look).toHaveBeenCalledTimes(1);
  });

  it('is one of so many on its artifact, and keeps nobody from another', async () => {
    const callers = Array.from({ length: MAX_WAITERS }, () => new AbortController());
    const all = callers.map(({ signal }) => waiters.wait('a', later(), signal, nothing));
    const ended = Promise.allSettled(all);
    await expect(waiters.wait('a', later(), gone.signal, nothing)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await waiters.wait('b', later(), gone.signal, () => Promise.resolve('there'))).toBe('there');
    expect(waiters.size).toBe(MAX_WAITERS);
    for (const caller of callers) caller.abort(new Error('gone'));
    expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
