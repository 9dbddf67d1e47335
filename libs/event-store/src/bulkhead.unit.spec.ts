import { setImmediate as nextTurn } from 'node:timers/promises';

import { RateLimitedError } from '#lib/kernel';

import { Bulkhead } from './bulkhead.js';

/** Tasks that run until they are let end, in the order in which they began. */
function held() {
  const begun: { readonly name: string; readonly end: () => void }[] = [];
  const task = (name: string) => () => new Promise<string>((resolve) => begun.push({ name, end: () => resolve(name) }));
  return { begun, task, names: () => begun.map(({ name }) => name) };
}

describe('a bulkhead', () => {
  it('runs so many tasks at once in all, and so many for one who asks', async () => {
    const bulkhead = new Bulkhead('tasks', { inAll: 3, ofOne: 2 });
    const { begun, task, names } = held();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => bulkhead.run(name[0]!, task(name)));
    await nextTurn();
    expect(names()).toEqual(['a1', 'a2', 'b1']);
    for (let i = 0; i < 5; i++) {
      begun[i]!.end();
      await nextTurn();
      expect(begun.length).toBeLessThanOrEqual(i + 4);
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  });

  it('lets in by turns of who asks: a hundred tasks of one hold up no other one', async () => {
    const bulkhead = new Bulkhead('tasks', { inAll: 1, ofOne: 1 });
    const { begun, task, names } = held();
    for (let i = 0; i < 100; i++) void bulkhead.run('a', task(`a${i}`));
    void bulkhead.run('b', task('b0'));
    begun[0]!.end();
    await nextTurn();
    begun[1]!.end();
    await nextTurn();
    expect(names()).toContain('b0');
  });

  it('refuses by number what more would wait, and nobody else for it', async () => {
    const bulkhead = new Bulkhead('reads', { inAll: 2, ofOne: 1, waiting: 2 });
    const { begun, task } = held();
    for (let i = 0; i < 3; i++) void bulkhead.run('a', task('a'));
    await expect(bulkhead.run('a', task('a'))).rejects.toThrow(RateLimitedError);
    await expect(bulkhead.run('a', task('a'))).rejects.toThrow('at most 2 reads of a principal wait for their turn');
    void bulkhead.run('b', task('b'));
    expect(begun).toHaveLength(2);
  });

  it('gives the place of a task that failed to the next', async () => {
    const bulkhead = new Bulkhead('tasks', { inAll: 1, ofOne: 1 });
    const failed = bulkhead.run('a', () => Promise.reject(new Error('no')));
    const next = bulkhead.run('a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
  });
});
