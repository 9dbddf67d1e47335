import fc from 'fast-check';

import { type Announced, MessagePrefixes } from './message-prefixes.js';

const framed = ({ isCompressed, bytes }: Announced): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, Buffer.alloc(bytes, 1)]);
};

test('each message is announced once, as its prefix says, however its bytes are cut', () => {
  const message = fc.record({ isCompressed: fc.boolean(), bytes: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 9 })), (messages, cuts) => {
      const prefixes = new MessagePrefixes();
      let rest = Buffer.concat(messages.map(framed));
      const found: Announced[] = [];
      for (const cut of cuts) {
        found.push(...prefixes.in(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      expect([...found, ...prefixes.in(rest)]).toEqual(messages);
    }),
  );
});
