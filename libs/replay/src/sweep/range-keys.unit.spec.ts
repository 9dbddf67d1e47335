import { createSecretKey } from 'node:crypto';

import { UnknownSubjectKeyError, UNWRAPPED_KEY_MS } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';

import { RangeKeys } from './range-keys.js';

const KEY = createSecretKey(Buffer.alloc(32, 1));

function lending({ answeredAfter = 0 } = {}) {
  let now = 0;
  const questions: (readonly string[])[] = [];
  const keys = new RangeKeys(
    (kids) => {
      questions.push(kids);
      now += answeredAfter;
      return Promise.resolve(new Map(kids.map((kid) => [kid, KEY])));
    },
    new KeyRing([]),
    () => now,
  );
  return { keys, questions, pass: (ms: number) => (now += ms) };
}

describe('data keys lent for a range', () => {
  it('are asked for in one question, and given out until their lease ends', async () => {
    const { keys, questions, pass } = lending();
    await keys.begin(['a', 'b']);
    pass(UNWRAPPED_KEY_MS - 1);
    expect([keys.cachedKid('a'), keys.cachedKid('b')]).toMatchObject([{ dataKey: KEY }, { dataKey: KEY }]);
    expect(questions).toEqual([['a', 'b']]);
  });

  it('lapse after 30 s, counted from before they were asked for, also within a range', async () => {
    const { keys, questions, pass } = lending({ answeredAfter: 5000 });
    await keys.begin(['a']);
    pass(UNWRAPPED_KEY_MS - 5000);
    expect(keys.cachedKid('a')).toBeUndefined();
    await keys.forKid('a');
    expect(questions).toHaveLength(2);
  });

  it('end together, with the first of their leases', async () => {
    const { keys, pass } = lending();
    await keys.begin(['a']);
    pass(1000);
    await keys.forKid('b');
    pass(UNWRAPPED_KEY_MS - 1000);
    expect(keys.cachedKid('b')).toBeUndefined();
  });

  it('are not used where the answer took as long as their lease', async () => {
    const { keys } = lending({ answeredAfter: UNWRAPPED_KEY_MS });
    await expect(keys.forKid('a')).rejects.toBeInstanceOf(UnknownSubjectKeyError);
  });

  it('are dropped at the end of the range', async () => {
    const { keys } = lending();
    await keys.begin(['a', 'b']);
    keys.end();
    expect([keys.cachedKid('a'), keys.cachedKid('b')]).toEqual([undefined, undefined]);
  });
});
