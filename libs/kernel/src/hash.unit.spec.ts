import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { equalInConstantTime, hmacSha256, hmacSha256Hex, sha1Hex, sha256Bytes, sha256Hex } from './hash.js';

const KEY = Buffer.alloc(32, 7);

describe('hashes', () => {
  test('the vectors of FIPS 180', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha1Hex('abc')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
  });

  test('text counts as its UTF-8 bytes', () => {
    expect(sha256Hex('ü€😀')).toBe(createHash('sha256').update(Buffer.from('ü€😀', 'utf8')).digest('hex'));
    expect(sha256Bytes('ü').toString('hex')).toBe(sha256Hex('ü'));
  });

  test('an HMAC covers its parts one after the other, under a Buffer or a KeyObject', () => {
    const expected = createHmac('sha256', KEY).update('abü').digest('hex');
    expect(hmacSha256Hex(KEY, 'a', 'bü')).toBe(expected);
    expect(hmacSha256Hex(createSecretKey(KEY), 'abü')).toBe(expected);
    expect(hmacSha256(KEY, Buffer.from('ab'), 'ü').toString('hex')).toBe(expected);
  });

  test('texts are equal only when every byte is, whatever their length', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true);
    expect(equalInConstantTime('abc', 'abd')).toBe(false);
    expect(equalInConstantTime('abc', 'abcd')).toBe(false);
    expect(equalInConstantTime('', '')).toBe(true);
  });
});
