import { randomBytes } from 'node:crypto';

import { KeyRing } from '#lib/kernel';

import { key } from '../testing/codec-support.js';
import { describeKeyWrappingContract } from '../testing/key-wrapping.contract.js';
import { RingKeyWrapping } from './ring-key-wrapping.js';

describeKeyWrappingContract('the key ring', async () => ({
  wrapping: new RingKeyWrapping(new KeyRing([key('data-key-wrapping', 'w1', 1)])),
  rotate: async () =>
    new RingKeyWrapping(
      new KeyRing([key('data-key-wrapping', 'w1', 1, 'verify-only'), key('data-key-wrapping', 'w2', 2)]),
    ),
  dispose: () => Promise.resolve(),
}));

it('a data key whose wrapping key left the ring says which one it was', async () => {
  const wrapped = await new RingKeyWrapping(new KeyRing([key('data-key-wrapping', 'w1', 1)])).wrap(
    'ann.1',
    randomBytes(32),
  );
  const without = new RingKeyWrapping(new KeyRing([key('data-key-wrapping', 'w2', 2)]));
  await expect(without.unwrap(wrapped)).rejects.toThrow(
    'data key ann.1 is wrapped by w1, which is not in the key ring',
  );
});
