import { createSecretKey } from 'node:crypto';

import { UNWRAPPED_KEY_MS } from '#lib/event-store';

import { KeptKeys } from './kept-keys.js';

const KEY = createSecretKey(Buffer.alloc(32, 1));

function keeping({ answeredAfter = 0 } = {}) {
  let now = 0;
  const questions: (readonly string[])[] = [];
  const source = {
    keys: (kids: readonly string[]) => {
      questions.push(kids);
      now += answeredAfter;
      return Promise.resolve(new Map(kids.map((kid) => [kid, KEY])));
    },
  };
  return { keys: new KeptKeys(source, () => now), questions, pass: (ms: number) => (now += ms) };
}

describe('the data keys that a walk has asked for', () => {
  afterEach(() => jest.useRealTimers());

  it('are asked for once', async () => {
    const { keys, questions, pass } = keeping();
    await keys.with(['a', 'b']);
    pass(1000);
    expect([...(await keys.with(['b', 'c'])).keys()]).toEqual(['a', 'b', 'c']);
    expect(questions).toEqual([['a', 'b'], ['c']]);
  });

  it('are asked for again well before the lease of an unwrapped key ends, counted from before the first question', async () => {
    const { keys, questions, pass } = keeping({ answeredAfter: 5000 });
    await keys.with(['a']);
    pass(UNWRAPPED_KEY_MS / 2 - 5000);
    expect([...(await keys.with(['b'])).keys()]).toEqual(['b']);
    expect(questions).toEqual([['a'], ['b']]);
  });

  it('are dropped by themselves where nothing is asked any more', async () => {
    jest.useFakeTimers();
    const { keys, questions } = keeping();
    await keys.with(['a']);
    jest.advanceTimersByTime(UNWRAPPED_KEY_MS / 2);
    await keys.with(['a']);
    expect(questions).toEqual([['a'], ['a']]);
  });
});
