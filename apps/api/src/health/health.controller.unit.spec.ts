import type { MerkleLog } from '#lib/proof';

import { MemoryEventStore } from '../../../../libs/event-store/src/memory/memory-event-store.js';
import { HealthController } from './health.controller.js';

describe('GET /health/ready', () => {
  it('is 503 with the reason once no event can be appended, although events can be read', async () => {
    let fault: string | null = null;
    const health = healthOf({ appendFault: () => fault });
    expect(await health.ready()).toEqual({ status: 'ready', ready_for_bundles: true, bundles_wait_for: null });
    fault = 'event-log ended with code 3';
    await expect(health.ready()).rejects.toMatchObject({
      code: 'DATA_UNAVAILABLE',
      developerMessage: 'no event can be stored: event-log ended with code 3; start MACE again',
    });
  });

  it('is 200 while nothing can be proven to others, and says why not', async () => {
    const unready = 'the witness does not answer: ECONNREFUSED';
    const ready = await healthOf({ unready }).ready();
    expect(ready).toEqual({ status: 'ready', ready_for_bundles: false, bundles_wait_for: unready });
  });

  it('says what the shared cache does, and does not fail for it', async () => {
    let cache: 'up' | 'down' = 'up';
    const health = healthOf({ cache: () => cache });
    expect(await health.ready()).toMatchObject({ status: 'ready', ready_for_bundles: true, cache: 'up' });
    cache = 'down';
    expect(await health.ready()).toMatchObject({ status: 'ready', ready_for_bundles: true, cache: 'down' });
  });
});

interface Given {
  readonly appendFault?: () => string | null;
  readonly cache?: () => 'up' | 'down' | undefined;
  readonly unready?: string | null;
}

function healthOf({ appendFault = () => null, cache = () => undefined, unready = null }: Given): HealthController {
  return new HealthController(new MemoryEventStore(), appendFault, cache, { unready } as MerkleLog);
}
