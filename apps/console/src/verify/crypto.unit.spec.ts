import * as node from 'node:crypto';

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
});
