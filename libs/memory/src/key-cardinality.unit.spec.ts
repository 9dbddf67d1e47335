import type { Change } from '#lib/read-store';
import { MemoryReadStore } from '#lib/read-store';

import { KeyCardinality } from './key-cardinality.js';
import { SEM_COLLECTION } from './read-models/sem.projection.js';

const LIVE = { projection: 'sem', name: 'v1' };
const NONE = { user: 0, world: 0, mace: 0, agent: 0, system: 0, config: 0 };

let store: MemoryReadStore;
let now: number;
let keys: KeyCardinality;

beforeEach(async () => {
  store = new MemoryReadStore();
  now = 0;
  await store.prepare(LIVE, [SEM_COLLECTION]);
  await store.claim(LIVE);
  keys = new KeyCardinality(store, () => now);
});

const key = (id: string, deleted = false): Change => {
  const [scope, entity_type, entity_id] = id.split('/') as [string, string, string];
  const body = { scope, entity_type, entity_id, deleted };
  return { op: 'put', collection: SEM_COLLECTION.name, id, body };
};

async function write(...changes: readonly Change[]): Promise<void> {
  const from = (await store.checkpoint(LIVE))!;
  await store.apply(LIVE, { changes, from, to: from.position });
}

it('counts the keys of each scope that hold a value, over more than one page', async () => {
  await write(...Array.from({ length: 1500 }, (_, i) => key(`user/profile/user_a/k${i}`)));
  await write(key('world/fact/pi/value'), key('world/fact/e/value', true), key('config/a/b/c'));
  expect(await keys.latest()).toEqual({ ...NONE, user: 1500, world: 1, config: 1 });
});

it('tells the last count until another is due, and counts behind whoever asks then', async () => {
  const find = jest.spyOn(store, 'find');
  expect(await keys.latest()).toEqual(NONE);
  await write(key('mace/a/b/c'));
  const asked = find.mock.calls.length;
  now = 59_999;
  expect(await keys.latest()).toEqual(NONE);
  expect(find.mock.calls.length).toBe(asked);
  now = 60_000;
  expect(await keys.latest()).toEqual(NONE);
  await keys['counting'];
  expect(await keys.latest()).toEqual({ ...NONE, mace: 1 });
  expect(find.mock.calls.length).toBe(2 * asked);
});

it('rests two hundred times as long as a count took', async () => {
  const find = store.find.bind(store);
  jest.spyOn(store, 'find').mockImplementation((...asked) => ((now += 1000), find(...asked)));
  await keys.latest();
  await write(key('mace/a/b/c'));
  now = 6000 + 1_199_999;
  await keys.latest();
  expect(keys['counting']).toBeUndefined();
  now += 1;
  await keys.latest();
  await keys['counting'];
  expect(await keys.latest()).toEqual({ ...NONE, mace: 1 });
});

it('counts once however many ask, and tells a fault to those who wait, and to the next who asks', async () => {
  await expect(Promise.all([keys.latest(), keys.latest()])).resolves.toEqual([NONE, NONE]);
  const fault = new Error('away');
  const find = jest.spyOn(store, 'find').mockRejectedValue(fault);
  now = 60_000;
  expect(await keys.latest()).toEqual(NONE);
  await keys['counting']?.catch(() => undefined);
  await expect(keys.latest()).rejects.toBe(fault);
  find.mockRestore();
  expect(await keys.latest()).toEqual(NONE);
});
