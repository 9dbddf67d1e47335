import { MemoryEventStore } from '../../../../libs/event-store/src/memory/memory-event-store.js';
import { HealthController } from './health.controller.js';

describe('GET /health/ready', () => {
  it('is 503 with the reason once no event can be appended, although events can be read', async () => {
    let fault: string | null = null;
    const health = new HealthController(new MemoryEventStore(), () => fault);
    expect(await health.ready()).toEqual({ status: 'ready' });
    fault = 'event-log ended with code 3';
    await expect(health.ready()).rejects.toMatchObject({
      code: 'DATA_UNAVAILABLE',
      developerMessage: 'no event can be stored: event-log ended with code 3; start MACE again',
    });
  });
});
