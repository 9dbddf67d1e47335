import { createHash } from 'node:crypto';
import { commandSeed, isCallerSeed, reactionSeed, replaySeed, systemSeed } from './seeds.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('seeds', () => {
  test.each(['a', 'A.b_c:d-9', 'x'.repeat(128), 'job:cmd:1', 'Cmd:1', 'cmd'])('a caller may choose %p', (seed) => {
    expect(isCallerSeed(seed)).toBe(true);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a\n', 'ü', 'a/b', 'cmd:1', 'after:r:e', 'system:c:1', 'replay:1'])(
    'a caller may not choose %p',
    (seed) => {
      expect(isCallerSeed(seed)).toBe(false);
    },
  );

  test('a command seed is cmd: and the first 32 hex of the hash of principal, method, path and key', () => {
    expect(commandSeed('user_tuff', 'PUT', '/sem/a', 'k1')).toBe(
      `cmd:${sha256('user_tuff\nPUT\n/sem/a\nk1').slice(0, 32)}`,
    );
  });

  test('one key of two people, or on two routes, never meets', () => {
    const seeds = [
      commandSeed('user_a', 'PUT', '/sem/a', 'k1'),
      commandSeed('user_b', 'PUT', '/sem/a', 'k1'),
      commandSeed('user_a', 'POST', '/sem/a', 'k1'),
      commandSeed('user_a', 'PUT', '/sem/b', 'k1'),
    ];
    expect(new Set(seeds).size).toBe(4);
  });

  test('what the system makes is never a seed that a caller could send', () => {
    const seeds = [
      commandSeed('u', 'GET', '/', 'k'),
      reactionSeed('r', 'e'),
      systemSeed('store', '1'),
      replaySeed('1'),
    ];
    expect(seeds.slice(1)).toEqual(['after:r:e', 'system:store:1', 'replay:1']);
    expect(seeds.filter(isCallerSeed)).toEqual([]);
  });
});
