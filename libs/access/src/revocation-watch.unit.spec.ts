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
