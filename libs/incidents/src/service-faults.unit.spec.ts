import { MemoryEventStore, START, StorageFullError, StoreUnavailableError } from '#lib/event-store';
import { MemoryReadStore, ReadStoreUnavailableError } from '#lib/read-store';

import { FaultyEventStore } from '../../event-store/src/faults/faulty-event-store.js';
import { describeEventStoreContract } from '../../event-store/src/testing/event-store.contract.js';
import { ServiceFaults, watchEventStore, watchReadStore } from './service-faults.js';

describeEventStoreContract('a watched event store', {
  open: async () => {
    const store = watchEventStore(new MemoryEventStore(), new ServiceFaults());
    return { store, dispose: () => store.close() };
  },
});

describe('a watched store', () => {
  it('tells of each call that finds it out of reach, and throws what was thrown', async () => {
    const failed = jest.fn();
    const store = watchEventStore(new FaultyEventStore(new MemoryEventStore(), () => ({ kind: 'refused' })), {
      failed,
    });
    await expect(store.head()).rejects.toThrow('refused by plan');
    await expect(store.readAll({ after: START, limit: 1 })).rejects.toThrow('refused by plan');
    expect(failed.mock.calls).toEqual(Array(2).fill(['event-store', 'StoreUnavailableError', 'refused by plan']));
  });

  it('asks for first events together where the store can, and tells where that finds it out of reach', async () => {
    const failed = jest.fn();
    const readFirst = jest.fn().mockRejectedValue(new StoreUnavailableError('gone'));
    const store = watchEventStore(Object.assign(new MemoryEventStore(), { readFirst }), { failed });
    await expect(store.readFirst!(['a', 'b'])).rejects.toThrow('gone');
    expect(readFirst.mock.calls).toEqual([[['a', 'b']]]);
    expect(failed.mock.calls).toEqual([['event-store', 'StoreUnavailableError', 'gone']]);
    expect(watchEventStore(new MemoryEventStore(), { failed }).readFirst).toBeUndefined();
  });

  it('tells nothing of what is no outage: a full disk, a mistake', async () => {
    const failed = jest.fn();
    const inner = new MemoryEventStore();
    jest.spyOn(inner, 'append').mockRejectedValueOnce(new StorageFullError('full'));
    const store = watchEventStore(inner, { failed });
    const event = { id: 'a'.repeat(64), type: 'T', text: '{}' };
    await expect(store.append('s', 'none', [event])).rejects.toThrow(StorageFullError);
    await expect(store.append('', 'none', [event])).rejects.toThrow(TypeError);
    expect(failed).not.toHaveBeenCalled();
  });

  it('tells of a read store alike', async () => {
    const failed = jest.fn();
    const inner = new MemoryReadStore();
    jest.spyOn(inner, 'generations').mockRejectedValueOnce(new ReadStoreUnavailableError('gone'));
    const store = watchReadStore(inner, { failed });
    await expect(store.generations()).rejects.toThrow('gone');
    expect(await store.generations()).toEqual([]);
    expect(failed.mock.calls).toEqual([
      ['read-store', 'ReadStoreUnavailableError', 'the read store is unavailable: gone'],
    ]);
  });
});

it('what failed before anybody watched is told to whoever begins to, unless it answers again by then', () => {
  const faults = new ServiceFaults();
  faults.failed('cache', 'Error');
  faults.failed('read-store', 'ReadStoreUnavailableError');
  faults.answered('cache');
  const watch = { failed: jest.fn(), answered: jest.fn(), isDown: () => false };
  expect([faults.isDown('cache'), faults.isDown('read-store')]).toEqual([false, true]);
  faults.follow(watch);
  expect(faults.isDown('read-store')).toBe(false);
  faults.failed('cache', 'Error');
  faults.answered('cache');
  expect(watch.failed.mock.calls).toEqual([
    ['read-store', 'ReadStoreUnavailableError'],
    ['cache', 'Error'],
  ]);
  expect(watch.answered.mock.calls).toEqual([['cache']]);
});
