import { MemoryEventStore, StoreUnavailableError } from '#lib/event-store';

import { PolicyWatch } from './policy-watch.js';

it('a watch of policies tells of each failed attempt, and once that it follows again', async () => {
  const store = new MemoryEventStore();
  let isAway = true;
  const head = store.head.bind(store);
  jest
    .spyOn(store, 'head')
    .mockImplementation(() => (isAway ? Promise.reject(new StoreUnavailableError('away')) : head()));
  const told: unknown[] = [];
  let looks = 0;
  const policies = { lookAgain: async () => void looks++ };
  const watch = new PolicyWatch(store, policies, (fault) => void told.push(fault), 1);
  watch.start();
  while (told.length < 3) await tick();
  expect(looks).toBe(0);
  isAway = false;
  while (told.at(-1) !== null) await tick();
  const before = told.length;
  await store.append('policy-router', 'none', [{ id: 'a'.repeat(64), type: 'POLICY_CHANGED', text: '{}' }]);
  while (looks < 2) await tick();
  await watch.stop();
  expect(told.slice(before)).toEqual([]);
  expect(told.filter((one) => one === null)).toHaveLength(1);
});

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
