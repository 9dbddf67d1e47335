import * as node from 'node:crypto';

import { Point } from '@noble/ed25519';

import * as ours from './crypto.js';

/** What stands in place of `node:crypto` in a browser says the same as it. */
describe('the cryptography of the verifier in a browser', () => {
  const { privateKey, publicKey } = node.generateKeyPairSync('ed25519');
  const spki = publicKey.export({ format: 'der', type: 'spki' });

  it('hashes texts and bytes as Node does', () => {
    for (const input of ['', 'abc', 'ü\u{1f600}\0', node.randomBytes(1000)]) {
      for (const encoding of ['hex', 'binary'] as const)
        expect(ours.hash('sha256', input, encoding)).toBe(node.hash('sha256', input, encoding));
      const inParts = ours.createHash('sha256').update('x').update(input).digest('hex');
      expect(inParts).toBe(node.createHash('sha256').update('x').update(input).digest('hex'));
    }
  });

  it('verifies what Node signed, and nothing of which a bit is another', () => {
    const message = Buffer.from('mace.local/0\n1\nroot\n');
    const signature = node.sign(null, message, privateKey);
    const key = ours.createPublicKey({ key: spki });
    expect(ours.verify(null, message, key, signature)).toBe(true);
    for (let i = 0; i < 64; i++) {
      const other = Buffer.from(signature);
      other[i]! ^= 1 << (i % 8);
      expect(ours.verify(null, message, key, other)).toBe(node.verify(null, message, publicKey, other));
    }
    expect(ours.verify(null, Buffer.from('other'), key, signature)).toBe(false);
  });

  it('takes no key that is no point, and no signature of another length', () => {
    const key = ours.createPublicKey({ key: Buffer.alloc(44, 0xff) });
    expect(ours.verify(null, Buffer.from('a'), key, Buffer.alloc(64))).toBe(false);
    expect(ours.verify(null, Buffer.from('a'), ours.createPublicKey({ key: spki }), Buffer.alloc(63))).toBe(false);
  });

  it('refuses what holds only after both sides are multiplied by the cofactor, as Node does', () => {
    const scalar = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
    const written = (n: bigint): Buffer => Buffer.from(n.toString(16).padStart(64, '0'), 'hex').reverse();
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    // A point of order 8; a key and a nonce that nobody uses.
    const torsion = Point.fromBytes(
      Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex'),
    );
    const [a, r] = [12345n, 67890n];
    const key = Buffer.from(Point.BASE.multiply(a).toBytes());
    const message = Buffer.from('a checkpoint');
    const nonce = Buffer.from(Point.BASE.multiply(r).add(torsion).toBytes());
    const k = scalar(node.createHash('sha512').update(nonce).update(key).update(message).digest()) % order;
    const signature = Buffer.concat([nonce, written((r + k * a) % order)]);
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
    const theirs = node.verify(
      null,
      message,
      node.createPublicKey({ key: der, format: 'der', type: 'spki' }),
      signature,
    );
    expect([ours.verify(null, message, ours.createPublicKey({ key: der }), signature), theirs]).toEqual([false, false]);
  });
});
