import fc from 'fast-check';

import { type DomainEvent, HmacKey } from '#lib/kernel';

import { packAppends, unpackAppends } from '../sqlite/append-messages.js';
import { textsOf } from '../sqlite/order-messages.js';
import { HEAD, provenance, recorded, setUp } from '../testing/codec-support.js';
import type { EncodedEvent } from './codec.js';

const word = fc.string({ unit: 'grapheme', maxLength: 30 });
const events = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('NOTED'), data: fc.record({ what: word, more: fc.array(word, { maxLength: 3 }) }) }),
    fc.record({
      type: fc.constant('SAID'),
      data: fc.record({ who: fc.constantFrom(null, 'ann', 'ben.2'), text: word, more: word }),
    }),
    fc.constant({ type: 'SEALED', data: { count: 3 } }),
  ),
  { minLength: 1, maxLength: 5 },
) as fc.Arbitrary<DomainEvent[]>;

async function ordered(said: readonly DomainEvent[]) {
  const { codec, ciphers } = setUp();
  const encode = async (): Promise<EncodedEvent[]> => codec.encode(HEAD, said, provenance(), await codec.prepare(said));
  return { codec, ciphers, encode, encoded: await encode() };
}

function message(encoded: readonly EncodedEvent[]) {
  const unsealed = encoded[0]!.order.unsealed!;
  return packAppends([
    { stream: HEAD.stream, expected: 'none', bytes: unsealed.utf8.length, events: encoded, unsealed },
    { stream: 'other', expected: 7, bytes: 2, events: [{ id: 'f'.repeat(64), type: 'T', text: '{}' }] },
  ]);
}

describe('an order to seal events', () => {
  it('gives the same bytes in another thread as here, whatever stands in it, and what follows it arrives too', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (said) => {
        const { codec, encode, encoded } = await ordered(said);
        const [there, other] = unpackAppends(structuredClone(message(encoded)));
        const here = await encode();
        expect(there!.events.map(({ id, type, text }) => ({ id, type, text: Buffer.from(text).toString() }))).toEqual(
          here.map(({ id, type, text }) => ({ id, type, text })),
        );
        expect(there!.sealed!.lastHash).toBe(here.at(-1)!.hash);
        expect(Buffer.from(other!.events[0]!.text).toString()).toBe('{}');
        let hash = HEAD.lastHash;
        for (const event of recorded(HEAD, here)) hash = codec.verify(event, hash);
        expect(hash).toBe(there!.sealed!.lastHash);
      }),
      { numRuns: 60 },
    );
  });

  it('takes what was sealed elsewhere, and has neither text nor keys from then on', async () => {
    const said: DomainEvent[] = [
      { type: 'SAID', data: { who: 'ann', text: 'secret words' } },
      { type: 'SEALED', data: { count: 1 } },
    ];
    const { encode, encoded } = await ordered(said);
    const [there] = unpackAppends(structuredClone(message(encoded)));
    const { order } = encoded[0]!;
    order.take({ texts: textsOf(there!.sealed!), lastHash: there!.sealed!.lastHash });

    const here = await encode();
    expect(encoded.map(({ text, hash }) => [text, hash])).toEqual(here.map(({ text, hash }) => [text, hash]));
    expect(order.unsealed).toBeNull();
    expect(order).toMatchObject({ text: '', utf8: undefined, ciphers: [], steps: [] });
  });

  it('leaves no key in the message that brought it, nor in what sealed with it', async () => {
    const { encoded } = await ordered([
      { type: 'SAID', data: { who: 'ann', text: 'x' } },
      { type: 'SAID', data: { who: 'ben.2', text: 'y' } },
    ]);
    const packed = message(encoded);
    expect(packed.keys).toHaveLength(5 * 32);
    expect(packed.keys.some((byte) => byte !== 0)).toBe(true);
    const used = new Set<HmacKey>();
    const { sign, latin1 } = HmacKey.prototype;
    jest.spyOn(HmacKey.prototype, 'sign').mockImplementation(function (this: HmacKey, ...given) {
      used.add(this);
      return sign.apply(this, given);
    });
    jest.spyOn(HmacKey.prototype, 'latin1').mockImplementation(function (this: HmacKey, ...given) {
      used.add(this);
      return latin1.apply(this, given);
    });
    unpackAppends(packed);
    jest.restoreAllMocks();
    expect(packed.keys.every((byte) => byte === 0)).toBe(true);
    const ofZeros = new HmacKey(Buffer.alloc(32)).hex('x');
    expect([...used].map((key) => key.hex('x'))).toEqual([ofZeros, ofZeros, ofZeros]);
  });

  it('names a bound that its texts keep, so that none is too large once it is sealed', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (said) => {
        const { encoded } = await ordered(said);
        const { mostBytes } = encoded[0]!.order;
        const bytes = encoded.reduce((sum, { utf8 }) => sum + utf8.length, 0);
        expect(bytes).toBeLessThanOrEqual(mostBytes);
      }),
      { numRuns: 60 },
    );
  });
});
