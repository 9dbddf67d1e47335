import type { MerkleLog } from '#lib/proof';

import { MemoryEventStore } from '../../../../libs/event-store/src/memory/memory-event-store.js';
import { HealthController } from './health.controller.js';

describe('GET /health/ready', () => {
  it('is 503 with the reason once no event can be appended, although events can be read', async () => {
    let fault: string | null = null;
    const health = new HealthController(new MemoryEventStore(), () => fault, { unready: null } as MerkleLog);
    expect(await health.ready()).toEqual({ status: 'ready', ready_for_bundles: true, bundles_wait_for: null });
    fault = 'event-log ended with code 3';
    await expect(health.ready()).rejects.toMatchObject({
      code: 'DATA_UNAVAILABLE',
      developerMessage: 'no event can be stored: event-log ended with code 3; start MACE again',
    });
  });

  it('is 200 while nothing can be proven to others, and says why not', async () => {
    const unready = 'the witness does not answer: ECONNREFUSED';
    const health = new HealthController(new MemoryEventStore(), () => null, { unready } as MerkleLog);
    expect(await health.ready()).toEqual({ status: 'ready', ready_for_bundles: false, bundles_wait_for: unready });
  });
});
