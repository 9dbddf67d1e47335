import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { START } from '#lib/event-store';
import type { Projection } from '#lib/projections';

import { Reruns } from './reruns.js';

const PROJECTION = { name: 'sem', version: 1, types: [], project: () => [] } as unknown as Projection;

describe('a rerun under an Idempotency-Key', () => {
  let folder: string;
  let reruns: Reruns;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-reruns-'));
    const events = { head: async () => START, readAll: async () => ({ events: [], scannedTo: START, atHead: true }) };
    reruns = new Reruns([PROJECTION], { events } as never, join(folder, 'scratch'));
  });
  afterAll(async () => {
    await reruns.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is the same rerun for the same request, and refused for another', () => {
    const seed = 'cmd:1';
    const first = reruns.begin('sem', { from: '0' }, { seed, requestDigest: 'a' });
    expect(reruns.begin('sem', { from: '0' }, { seed, requestDigest: 'a' }).rerun_id).toBe(first.rerun_id);
    expect(() => reruns.begin('sem', { from: '5' }, { seed, requestDigest: 'b' })).toThrow(
      expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }) as Error,
    );
  });

  it('from beyond the last event is refused by the name of the last', async () => {
    await expect(reruns.check({ from: '0', to: '0' })).resolves.toBeUndefined();
    await expect(reruns.check({ from: '1' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      developerMessage: "from: a position up to the last event's, which is 0",
    });
    await expect(reruns.check({ from: '0', to: '1' })).rejects.toMatchObject({
      developerMessage: "to: a position up to the last event's, which is 0",
    });
  });
});
