import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { HmacKey } from './hmac-key.js';

const oracle = (key: Buffer, ...texts: string[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const text of texts) mac.update(text);
  return mac.digest();
};

describe('HmacKey', () => {
  it('says what node:crypto says, for keys up to a block and texts of every script', () => {
    const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
    const texts = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(keys, texts, texts, (bytes, first, second) => {
        const key = Buffer.from(bytes);
        expect(new HmacKey(key).hex(first, second)).toBe(oracle(key, first, second).toString('hex'));
        expect(new HmacKey(key).latin1(first)).toBe(oracle(key, first).toString('latin1'));
        expect(new HmacKey(key).latin1(Buffer.from(first))).toBe(oracle(key, first).toString('latin1'));
      }),
    );
  });

  it('puts a signature where it belongs, of what stands around it, in UTF-8', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 300 });
    const times = fc.constantFrom(1, 1, 1, 60, 300, 3000);
    const key = Buffer.alloc(32, 7);
    fc.assert(
      fc.property(texts, times, texts, times, (before, n, after, m) => {
        const [head, tail] = [before.repeat(n), after.repeat(m)];
        const bytes = new HmacKey(key).sign(head, ['"signature":"', '",'], tail);
        const text = `${head}"signature":"${oracle(key, head, tail).toString('hex')}",${tail}`;
        expect(bytes.equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  it.each([21_845, 21_846, 65_536, 300_000])('says the same of %d characters of three bytes each', (length) => {
    const key = Buffer.alloc(32, 5);
    const text = '語'.repeat(length);
    expect(new HmacKey(key).hex(text)).toBe(oracle(key, text).toString('hex'));
    for (const content of [text, Buffer.from(text)])
      expect(new HmacKey(key).latin1(content)).toBe(oracle(key, text).toString('latin1'));
    expect(new HmacKey(key).hex(text.slice(1), text.slice(0, 1))).toBe(oracle(key, text).toString('hex'));
  });

  it('keeps two keys apart that are used in turn', () => {
    const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const [first, second] = [new HmacKey(a), new HmacKey(b)];
    const found = [first.hex('x'), second.hex('x'), first.hex('x')];
    expect(found).toEqual([a, b, a].map((key) => oracle(key, 'x').toString('hex')));
  });

  it('has forgotten its key where it is told to: by whatever name it was kept, in rooms that all keys share too', async () => {
    const rooms: Buffer[] = [];
    const allocate = jest.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((size) => {
      const room = Buffer.alloc(size);
      rooms.push(room);
      return room;
    });
    // The module anew: it allocates what keys share while it is evaluated.
    const fresh = new URL('./hmac-key.js?fresh', import.meta.url).href;
    const { HmacKey: Fresh } = (await import(fresh)) as { HmacKey: typeof HmacKey };
    const bytes = Buffer.alloc(32, 0x5a);
    const key = new Fresh(bytes);
    key.hex('x');
    const traces = [0, 0x36, 0x5c].map((pad) => Buffer.alloc(32, 0x5a ^ pad));
    const left = (): boolean[] => traces.map((trace) => [bytes, ...rooms].some((room) => room.includes(trace)));
    expect(left()).toEqual([true, true, true]);
    key.forget();
    expect(left()).toEqual([false, false, false]);
    const nothing = Buffer.alloc(32);
    expect(key.hex('x')).toBe(oracle(nothing, 'x').toString('hex'));
    allocate.mockRestore();
  });

  it('refuses a key that is longer than a block', () => {
    expect(() => new HmacKey(Buffer.alloc(65))).toThrow(RangeError);
  });
});
