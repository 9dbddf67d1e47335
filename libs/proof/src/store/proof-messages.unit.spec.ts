import fc from 'fast-check';

import { positionOf } from '#lib/event-store';

import { leafOf } from '../leaf-of-event.js';
import { type FollowedEvent, leavesOf, packEvents } from './proof-messages.js';
import { eventPrefix } from './proof-schema.js';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const event: fc.Arbitrary<FollowedEvent> = fc
  .record({
    stream: text,
    type: text,
    revision: fc.nat(),
    position: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(positionOf),
    id: fc.stringMatching(/^[0-9a-f]{64}$/),
    text,
    hasBytes: fc.boolean(),
  })
  .map(({ hasBytes, ...told }) => (hasBytes ? { ...told, utf8: Buffer.from(told.text) } : told));

describe('events on their way to the thread that makes leaves', () => {
  it('arrive as the same leaves, whatever they say and whether or not their bytes were at hand', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), fc.nat(500), (events, before) => {
        const room = new Uint8Array(before).fill(0x7d).buffer;
        const leaves = [...leavesOf(structuredClone(packEvents(events, room)))];
        expect(leaves).toEqual(
          events.map((told) => ({ hash: leafOf(told), event: eventPrefix(told.id), position: BigInt(told.position) })),
        );
      }),
    );
  });

  it('get a leaf also where their id is shorter than any of ours', () => {
    const [leaf] = leavesOf(
      packEvents([{ stream: 's', type: 'T', revision: 0, position: positionOf(1), id: 'ab', text: '{}' }]),
    );
    expect(leaf!.event).toBe(eventPrefix('ab'.padEnd(16, '0')));
  });

  it('travel in the memory of those before them where they fit into it', () => {
    const told = { stream: 's', type: 'T', revision: 0, position: positionOf(1), id: 'ab', text: '{}' };
    const room = new ArrayBuffer(3);
    expect(packEvents([told], room).bytes.buffer).toBe(room);
    expect(packEvents([told, told], room).bytes.buffer).not.toBe(room);
  });
});
