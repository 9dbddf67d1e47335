import fc from 'fast-check';

import type { JsonObject } from '#lib/kernel';
import { eventLeafHash } from '#lib/verifier';

import { HEAD, provenance, recorded, setUp } from '../../event-store/src/testing/codec-support.js';
import { cutParts, leafOf, leafOfBytes, parsedParts } from './leaf-of-event.js';

/** Values that look like the seams of an envelope, in any depth. */
const TEASING = [',"metadata":{', '},"stream":"test-1","type":"NOTED"}', '{"data":', '"', '\\', '\\"', '€', '\u0000'];
const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...TEASING),
    fc.string(),
    fc.integer(),
    fc.constantFrom(null, true, 0.5),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('metadata', 'data', 'stream', 'type', ...TEASING), fc.string()),
    tie('value'),
    { maxKeys: 4 },
  ),
})).value;

async function stored(data: JsonObject, actor = 'user_tuff') {
  const { codec } = setUp();
  const events = [{ type: 'NOTED', data }] as const;
  const by = provenance('seed-1', { actor: { id: actor, role: 'user' } });
  const [event] = recorded(HEAD, codec.encode(HEAD, events, by, await codec.prepare(events)));
  return event!;
}

describe('the leaf of an event', () => {
  it('is cut from the text as reading the text gives it, whatever the event says and who said it', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.oneof(fc.string(), fc.constantFrom(...TEASING)), async (what, actor) => {
        const event = await stored({ what, more: 'x' } as JsonObject, actor.toWellFormed());
        const cut = cutParts(event);
        expect(cut).not.toBeNull();
        expect(cut).toEqual(parsedParts(event));
        expect(leafOf(event)).toEqual(eventLeafHash(cut!));
        expect(leafOfBytes(event, Buffer.from(event.text))).toEqual(leafOf(event));
      }),
      { numRuns: 300 },
    );
  });

  it('is another one where anything in it, or its place, is another one', async () => {
    const event = await stored({ what: 1, more: null });
    const leaf = leafOf(event).toString('hex');
    const others: (typeof event)[] = [
      { ...event, stream: 'test-2' },
      { ...event, revision: 1 },
      { ...event, type: 'SAID' },
      { ...event, text: event.text.replace('"what":1', '"what":2') },
      { ...event, text: event.text.replace('"user"', '"admin"') },
      { ...event, text: event.text.replace(/"signature":"./, '"signature":"x') },
      { ...event, text: event.text.slice(1) },
      { ...event, text: '{"data":' },
      { ...event, text: '' },
    ];
    expect(new Set([leaf, ...others.map((other) => leafOf(other).toString('hex'))]).size).toBe(others.length + 1);
    for (const other of others) expect(leafOfBytes(other, Buffer.from(other.text))).toEqual(leafOf(other));
  });

  it.each(['a"b', 'a\\b', 'ä', '€', 'a\u0001b', 'a\u007fb', '\ud83d\ude00', ''])(
    'is the same by bytes as by text where its stream or its type is %j',
    async (name) => {
      const event = await stored({ what: 1, more: 'x' });
      for (const place of [{ stream: name }, { type: name }, { stream: name, type: name }]) {
        const moved = { ...event, ...place };
        const tail = `,"stream":${JSON.stringify(moved.stream)},"type":${JSON.stringify(moved.type)}}`;
        const bare = `,"stream":"${moved.stream}","type":"${moved.type}"}`;
        for (const end of [tail, bare]) {
          const text = event.text.replace(/,"stream":"[^"]*","type":"[^"]*"}$/, () => end);
          expect(leafOfBytes(moved, Buffer.from(text))).toEqual(leafOf({ ...moved, text }));
        }
      }
    },
  );

  it.each([0, 9, 10, 1_234_567_890, Number.MAX_SAFE_INTEGER])('is the same by bytes as event %i', async (revision) => {
    const event = { ...(await stored({ what: 1 })), revision };
    expect(leafOfBytes(event, Buffer.from(event.text))).toEqual(leafOf(event));
  });

  it.each([15, 16, 17, 40])('is the same by bytes with metadata of %i KiB', async (kib) => {
    const event = await stored({ what: 1 }, 'u'.repeat(kib * 1024));
    expect(leafOfBytes(event, Buffer.from(event.text))).toEqual(leafOf(event));
  });
});
