import fc from 'fast-check';

import { RateLimitedError } from '#lib/kernel';

import { RateLimits } from './rate-limits.js';

const NOW = Date.UTC(2026, 0, 1);

function refusal(call: () => void): RateLimitedError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof RateLimitedError) return error;
    throw error;
  }
}

describe('the limit of rates', () => {
  test('so many requests are let through at once and no more, and the refusal says when the next one is', () => {
    const limits = new RateLimits({ requests: 30, seconds: 60 });
    for (let i = 0; i < 30; i++) limits.takeOfPrincipal('user_tuff', NOW);
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW))).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 2,
    });
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW + 1999))).toBeDefined();
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW + 2000))).toBeUndefined();
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW + 2000))).toBeDefined();
  });

  test('a refused request costs nothing: who waits as long as told is let through', () => {
    const limits = new RateLimits({ requests: 1, seconds: 10 });
    limits.takeOfPrincipal('user_tuff', NOW);
    for (let i = 0; i < 100; i++) expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW))).toBeDefined();
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW + 10_000))).toBeUndefined();
  });

  test('one principal does not use up another’s, nor an address a principal’s', () => {
    const limits = new RateLimits({ requests: 10, seconds: 60 });
    for (let i = 0; i < 10; i++) limits.takeOfPrincipal('user_tuff', NOW);
    expect(refusal(() => limits.takeOfPrincipal('user_eve', NOW))).toBeUndefined();
    expect(refusal(() => limits.takeOfAddress('user_tuff', NOW))).toBeUndefined();
  });

  test('an address without a token has a tenth, and one request at least', () => {
    const limits = new RateLimits({ requests: 30, seconds: 60 });
    for (let i = 0; i < 3; i++) limits.takeOfAddress('192.0.2.1', NOW);
    expect(refusal(() => limits.takeOfAddress('192.0.2.1', NOW))).toMatchObject({ retryAfterSeconds: 20 });
    const small = new RateLimits({ requests: 3, seconds: 60 });
    small.takeOfAddress('192.0.2.1', NOW);
    expect(refusal(() => small.takeOfAddress('192.0.2.1', NOW))).toBeDefined();
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['2001:db8::1', '2001:db8:0:0:1:2:3:4'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ])('%s and %s are one network', (one, other) => {
    const limits = new RateLimits({ requests: 10, seconds: 60 });
    limits.takeOfAddress(one, NOW);
    expect(refusal(() => limits.takeOfAddress(other, NOW))).toBeDefined();
    expect(refusal(() => limits.takeOfAddress('2001:db8:1:3::1', NOW))).toBeUndefined();
  });

  test('a clock that was set back keeps nobody waiting for longer than the rate says', () => {
    const limits = new RateLimits({ requests: 1, seconds: 10 });
    limits.takeOfPrincipal('user_tuff', NOW);
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW - 3_600_000))).toBeDefined();
    expect(refusal(() => limits.takeOfPrincipal('user_tuff', NOW - 3_590_000))).toBeUndefined();
  });

  test('in no run of requests are more let through than the bucket holds and what flowed in', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 60 }),
        gaps,
        (requests, seconds, waits) => {
          const limits = new RateLimits({ requests, seconds });
          let now = NOW;
          let passed = 0;
          for (const wait of waits) {
            now += wait;
            if (refusal(() => limits.takeOfPrincipal('user_tuff', now)) === undefined) passed += 1;
          }
          return passed <= requests + ((now - NOW) / (seconds * 1000)) * requests + 1e-6;
        },
      ),
    );
  });
});
