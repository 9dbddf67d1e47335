import { GENESIS_HASH } from './envelope.js';

test('the chain of a stream begins with 64 zeros', () => {
  expect(GENESIS_HASH).toBe('0000000000000000000000000000000000000000000000000000000000000000');
});
