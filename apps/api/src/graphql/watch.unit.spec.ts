import { Watch } from './watch.js';

const isOver = (thing: object): boolean => (thing as { state: string }).state === 'ready';

it('tells of a thing once for each change, until it will change no more', async () => {
  const states = ['running', 'running', 'ready'];
  const watch = new Watch({ state: 'running' }, async () => ({ state: states.shift() }), isOver, 1);
  const told = [await watch.next(), await watch.next(), await watch.next()];
  expect(told).toEqual([
    { kind: 'frames', things: [{ kind: 'progress', position: '', value: { state: 'running' } }] },
    { kind: 'frames', things: [{ kind: 'progress', position: '', value: { state: 'ready' } }] },
    { kind: 'ended', data: { reason: 'ended' } },
  ]);
  expect(states).toEqual([]);
});

it('ends where it waits once it is closed, and asks no more', async () => {
  let asked = 0;
  const again = async (): Promise<object> => ({ state: 'running', asked: (asked += 1) });
  const watch = new Watch({ state: 'running' }, again, isOver, 60_000);
  await watch.next();
  const waiting = watch.next();
  watch.close();
  expect(await waiting).toEqual({ kind: 'ended', data: { reason: 'closed' } });
  expect([asked, watch.mustEnd]).toEqual([0, true]);
});

it('fails as asking again fails', async () => {
  const watch = new Watch({ state: 'running' }, () => Promise.reject(new Error('away')), isOver, 1);
  await watch.next();
  await expect(watch.next()).rejects.toThrow('away');
});
