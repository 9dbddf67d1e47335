import { MemoryEventStore } from '../../../../libs/event-store/src/memory/memory-event-store.js';
import { HealthController } from './health.controller.js';

describe('GET /health/ready', () => {
  it('is 503 with the reason once no event can be appended, although events can be read', async () => {
    let fault: string | null = null;
    const health = new HealthController(
      new MemoryEventStore(),
      () => fault,
      () => undefined,
    );
    expect(await health.ready()).toEqual({ status: 'ready' });
    fault = 'event-log ended with code 3';
    await expect(health.ready()).rejects.toMatchObject({
      code: 'DATA_UNAVAILABLE',
      developerMessage: 'no event can be stored: event-log ended with code 3; start MACE again',
    });
  });

  it('says what the shared cache does, and does not fail for it', async () => {
    let cache: 'up' | 'down' = 'up';
    const health = new HealthController(
      new MemoryEventStore(),
      () => null,
      () => cache,
    );
    expect(await health.ready()).toEqual({ status: 'ready', cache: 'up' });
    cache = 'down';
    expect(await health.ready()).toEqual({ status: 'ready', cache: 'down' });
  });
});
