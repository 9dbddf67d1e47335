import { OnceATurn } from './once-a-turn.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('something that is done once a turn of the event loop', () => {
  it('is due at the first question of a turn, not again after promises of the same turn, and again in the next', async () => {
    const once = new OnceATurn();
    expect([once.isDue(), once.isDue()]).toEqual([true, false]);
    await Promise.resolve();
    expect(once.isDue()).toBe(false);
    await nextTurn();
    expect([once.isDue(), once.isDue()]).toEqual([true, false]);
  });

  it('is due at once where it is said to be', () => {
    const once = new OnceATurn();
    once.isDue();
    once.again();
    expect([once.isDue(), once.isDue()]).toEqual([true, false]);
  });
});
