import { hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { KeyRing, type RingKey } from './key-ring.js';

function key(change: Partial<RingKey> = {}): RingKey {
  return {
    kid: 'e1',
    purpose: 'event-hmac',
    state: 'active',
    secret: Buffer.alloc(32, 1),
    notBefore: '2025-01-01T00:00:00.000Z',
    ...change,
  };
}

describe('key ring', () => {
  test('the one active key of a purpose signs', () => {
    const ring = new KeyRing([
      key(),
      key({ kid: 'e0', state: 'verify-only' }),
      key({ kid: 's1', purpose: 'snapshot-hmac' }),
    ]);
    expect(ring.active('event-hmac').kid).toBe('e1');
    expect(ring.active('snapshot-hmac').kid).toBe('s1');
    expect(ring.all()).toHaveLength(3);
  });

  test('without an active key nothing signs', () => {
    const ring = new KeyRing([key({ state: 'verify-only' })]);
    expect(() => ring.active('event-hmac')).toThrow('no active key for event-hmac');
  });

  test('a key signs from its beginning to its end and two seconds around them, and verifies always', () => {
    const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    let now = 0;
    const ring = new KeyRing([key({ notBefore: from, notAfter: to })], () => now);
    for (const [moment, signs] of [
      [Date.parse(from) - 2_001, false],
      [Date.parse(from) - 2_000, true],
      [Date.parse(to) + 2_000, true],
      [Date.parse(to) + 2_001, false],
    ] as const) {
      now = moment;
      if (signs) expect(ring.active('event-hmac').kid).toBe('e1');
      else expect(() => ring.active('event-hmac')).toThrow(`key e1 signs from ${from} to ${to}, and it is `);
      expect(ring.verifying('e1', 'event-hmac')?.kid).toBe('e1');
    }
    expect(new KeyRing([key({ notBefore: from, notAfter: to })]).active('event-hmac').kid).toBe('e1');
  });

  test('every key but a revoked one verifies, and only for its purpose', () => {
    const ring = new KeyRing([key(), key({ kid: 'old', state: 'verify-only' }), key({ kid: 'bad', state: 'revoked' })]);
    expect(ring.verifying('e1', 'event-hmac')?.kid).toBe('e1');
    expect(ring.verifying('old', 'event-hmac')?.kid).toBe('old');
    expect(ring.verifying('bad', 'event-hmac')).toBeUndefined();
    expect(ring.verifying('e1', 'snapshot-hmac')).toBeUndefined();
    expect(ring.verifying('unknown', 'event-hmac')).toBeUndefined();
  });

  test.each([
    ['a kid twice', [key(), key({ state: 'verify-only' })], 'key e1 is in the ring twice'],
    ['two active keys of one purpose', [key(), key({ kid: 'e2' })], 'two active keys for event-hmac'],
    ['a key without a readable beginning', [key({ notBefore: 'soon' })], 'key e1 has no readable interval'],
    ['a key of 31 bytes', [key({ secret: Buffer.alloc(31) })], 'key e1 is shorter than 32 bytes'],
  ])('%s is refused', (_name, keys, message) => {
    expect(() => new KeyRing(keys)).toThrow(message);
  });

  test('a subkey is HKDF-SHA256 without salt, as node computes it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 200 }), fc.string(), (secret, info) => {
        const ours = key({ secret: Buffer.from(secret) });
        const ring = new KeyRing([ours]);
        const expected = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), Buffer.from(info), 32)).toString(
          'hex',
        );
        expect(ring.subkey(ours, info).toString('hex')).toBe(expected);
        expect(ring.subkey(ours, info).toString('hex')).toBe(expected);
      }),
    );
  });

  test('two streams, and two keys, never share a subkey', () => {
    const [a, b] = [key(), key({ kid: 'e0', state: 'verify-only', secret: Buffer.alloc(32, 2) })];
    const ring = new KeyRing([a, b]);
    const subkeys = [ring.subkey(a, 'job-1'), ring.subkey(a, 'job-2'), ring.subkey(b, 'job-1')];
    expect(new Set(subkeys.map((subkey) => subkey.toString('hex'))).size).toBe(3);
  });
});
