import fc from 'fast-check';

import type { EventToAppend } from '../port.js';
import { type AppendRequest, packAppends, unpackAppends } from './append-messages.js';

const events = fc.array(
  fc.record({
    id: fc.stringMatching(/^[0-9a-f]{64}$/),
    type: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    text: fc.string({ unit: 'grapheme', maxLength: 40 }),
    hasBytes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
const request = fc
  .record({
    stream: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    expected: fc.oneof(fc.nat(), fc.constantFrom<'none' | 'exists'>('none', 'exists')),
    events,
  })
  .map(({ stream, expected, events: said }): AppendRequest => {
    const made = said.map(({ id, type, text, hasBytes }): EventToAppend => ({
      id,
      type,
      text,
      ...(hasBytes ? { utf8: Buffer.from(text) } : {}),
    }));
    return { stream, expected, bytes: Buffer.byteLength(made.map(({ text }) => text).join('')), events: made };
  });

describe('a batch of appends', () => {
  it('arrives as it was sent, each text in UTF-8, whether its bytes were at hand or not', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 5 }), (requests) => {
        const arrived = unpackAppends(structuredClone(packAppends(requests)));
        const asText = arrived.map((one) => ({
          ...one,
          events: one.events.map(({ id, type, text }) => ({ id, type, text: Buffer.from(text).toString() })),
        }));
        // A version of 0 and no stream are one thing to the writer.
        const sent = requests.map((one) => ({
          ...one,
          expected: one.expected === 'none' ? 0 : one.expected,
          events: one.events.map(({ id, type, text }) => ({ id, type, text })),
        }));
        expect(asText).toEqual(sent);
      }),
    );
  });
});
