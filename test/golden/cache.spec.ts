import type { Folded, StateCache } from '#lib/event-store';

import { MemoryStateCache } from '../../libs/event-store/src/cache/memory-state-cache.js';
import { eventually } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

/** A cache as another machine would hold it, which is there or fails as the test says. */
class RemoteCache implements StateCache {
  mode: 'up' | 'refuses' | 'hangs' | 'lies' = 'up';
  asked = 0;
  readonly inner = new MemoryStateCache(1_000_000);
  readonly entries: string[] = [];

  async get(key: string): Promise<Folded<unknown> | undefined> {
    await this.answer();
    const entry = this.inner.get(key);
    if (this.mode !== 'lies' || !entry) return entry;
    return { ...entry, head: { ...entry.head, version: 'newest' as never } };
  }

  async put(key: string, entry: Folded<unknown>): Promise<void> {
    await this.answer();
    this.entries.push(JSON.stringify(entry));
    this.inner.put(key, entry);
  }

  async purge(): Promise<void> {
    await this.answer();
    this.inner.purge();
  }

  private async answer(): Promise<void> {
    this.asked++;
    if (this.mode === 'refuses') throw new Error('connect ECONNREFUSED');
    if (this.mode === 'hangs') await new Promise(() => undefined);
  }
}

const KEY = '/sem/user/profile/user_tuff/favorite_color';
const cache = new RemoteCache();
let app: JobApp;
let tuff: Caller;
beforeAll(async () => {
  app = await JobApp.open({ cache, outageIntervalMs: 20 });
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

describe('Golden tests of the cache (seed 001, Group G)', () => {
  it('serves what was written, in its stored, encrypted form only, once this process has forgotten it', async () => {
    expect((await tuff.send('PUT', KEY, { value: 'ultramarine' })).status).toBe(200);
    await reopened();
    cache.asked = 0;
    expect(await read()).toBe('ultramarine');
    expect(cache.asked).toBe(1);
    expect(cache.entries.length).toBeGreaterThan(0);
    expect(cache.entries.filter((entry) => entry.includes('ultramarine'))).toEqual([]);
    expect(cache.entries.some((entry) => entry.includes('$enc'))).toBe(true);
  });

  it.each(['refuses', 'hangs', 'lies'] as const)('T30_CACHE_FALLBACK: a cache that %s', async (mode) => {
    expect((await tuff.send('PUT', KEY, { value: 'green' })).status).toBe(200);
    await reopened();
    const before = (await app.stream('system-cache')).length;
    cache.mode = mode;

    // The question that would hit the cache is answered from the store; nothing of the fault is in the answer.
    const asked = await tuff.ask('What is my favorite color?', { job_seed: `t30-${mode}` });
    expect(asked).toMatchObject({
      status: 200,
      body: {
        final_answer: 'Your favorite color is green.',
        user_message: 'Your favorite color is green.',
        notices: [],
      },
    });
    expect(JSON.stringify(asked.body)).not.toContain('CACHE_ERROR');

    // Reads and writes go on, and everybody reads what was written.
    for (const value of ['blue', 'red']) {
      expect((await tuff.send('PUT', KEY, { value })).status).toBe(200);
      expect(await read()).toBe(value);
    }
    expect((await tuff.get<{ status: string }>('/health/ready')).body).toMatchObject({ status: 'ready' });

    // One outage, on record once, with no key and no value.
    const [down, error, ...more] = await eventually(async () => {
      const events = (await app.stream('system-cache')).slice(before);
      return events.length > 1 ? events : null;
    });
    const { outage_id } = down!.data;
    const fault = { refuses: 'Error', hangs: 'CacheTimeoutError', lies: 'CacheEntryError' }[mode];
    expect([down!.type, down!.data['state'], down!.data['fault']]).toEqual(['SERVICE_UNAVAILABLE', 'down', fault]);
    expect([error!.type, error!.data]).toEqual(['CACHE_ERROR', { outage_id, state: 'down', fault }]);
    expect(more).toEqual([]);

    // Its end is on record too, once the cache answers again.
    cache.mode = 'up';
    const ends = await eventually(async () => {
      await read('/sem/user/profile/user_tuff/nothing');
      await tuff.send('PUT', KEY, { value: 'white' });
      const events = (await app.stream('system-cache')).slice(before + 2);
      return events.length > 1 ? events : null;
    });
    expect(ends.map(({ type, data }) => [type, data['outage_id'], data['state']])).toEqual([
      ['SERVICE_UNAVAILABLE', outage_id, 'up'],
      ['CACHE_ERROR', outage_id, 'up'],
    ]);
    expect(await read()).toBe('white');
  });

  it('lets nobody read an older value than the one written last, whatever it holds', async () => {
    for (let i = 0; i < 20; i++) {
      await tuff.send('PUT', KEY, { value: `v${i}` });
      expect(await read()).toBe(`v${i}`);
    }
    await reopened();
    expect(await read()).toBe('v19');
  });
});

async function read(path = KEY): Promise<unknown> {
  return (await tuff.get<{ value?: unknown }>(path)).body.value;
}

async function reopened(): Promise<void> {
  await app.whileClosed(() => undefined);
  tuff = await app.caller('tuff');
}
