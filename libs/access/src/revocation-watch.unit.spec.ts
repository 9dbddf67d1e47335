import { getEventListeners } from 'node:events';

import { type EventStore, START, StoreUnavailableError, type SubscribeOptions } from '#lib/event-store';

import { RevocationWatch } from './revocation-watch.js';
import type { RevocationList } from './revocations.js';

it('a watch of a store that is out of reach leaves no listener behind with each pause', async () => {
  let signal: AbortSignal | undefined;
  const store = {
    head: () => Promise.resolve(START),
    subscribeAll: (options: SubscribeOptions) => {
      signal = options.signal;
      throw new StoreUnavailableError('out of reach');
    },
  };
  const list = { lookAgain: () => undefined } as unknown as RevocationList;
  let faults = 0;
  let failedOften = (): void => undefined;
  const often = new Promise<void>((resolve) => (failedOften = resolve));
  const onFault = (): void => {
    if (++faults === 8) failedOften();
  };
  const watch = new RevocationWatch(store as unknown as EventStore, list, onFault, { pauseMs: 1 });
  watch.start();
  await often;
  expect(getEventListeners(signal!, 'abort').length).toBeLessThanOrEqual(1);
  await watch.stop();
});

it('a watch of a store that comes back says so once', async () => {
  let isAway = true;
  const store = {
    head: () => (isAway ? Promise.reject(new StoreUnavailableError('away')) : Promise.resolve(START)),
    subscribeAll: async function* ({ signal }: SubscribeOptions) {
      yield { kind: 'caughtUp' as const, position: START };
      yield { kind: 'page' as const, page: { events: [], scannedTo: START, atHead: true } };
      await new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  const list = { lookAgain: () => undefined } as unknown as RevocationList;
  const told: unknown[] = [];
  const onFault = (fault: unknown): void => void told.push(fault);
  const watch = new RevocationWatch(store as unknown as EventStore, list, onFault, { pauseMs: 1 });
  watch.start();
  while (told.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  isAway = false;
  while (told.at(-1) !== null) await new Promise((resolve) => setTimeout(resolve, 1));
  await watch.stop();
  expect(told.filter((one) => one === null)).toHaveLength(1);
});
