import fc from 'fast-check';

import { canonicalize, EventRegistry, type DomainEvent, type EventDefinition, type Json } from '#lib/kernel';

import { HEAD, provenance, recorded, setUp } from '../testing/codec-support.js';
import { ERASED, UnreadableFieldError } from './personal-fields.js';

const TOLD: EventDefinition = {
  type: 'TOLD',
  version: 1,
  plain: ['a', 'who', 'personality'],
  personal: ['text', 'more'],
  personalTogether: true,
  subject: (data) => (data['who'] ?? null) as string | null,
};
const json = fc.jsonValue({ maxDepth: 3 }).filter(isCanonical) as fc.Arbitrary<Json>;

async function stored(event: DomainEvent, parts = setUp({ definitions: [TOLD] })) {
  const { codec } = parts;
  const [encoded] = codec.encode(HEAD, [event], provenance(), await codec.prepare([event]));
  return { ...parts, event: recorded(HEAD, [encoded!])[0]! };
}

const told = (data: Readonly<Record<string, Json>> = {}): DomainEvent => ({
  type: 'TOLD',
  data: { who: 'user_tuff', a: 1, personality: 2, text: 'a secret', more: ['another'], ...data },
});

describe('personal fields that are stored together', () => {
  it('are one encrypted member in canonical place, and none of them shows', async () => {
    const { event } = await stored(told());
    const { data } = JSON.parse(event.text) as { data: Record<string, unknown> };
    expect(Object.keys(data)).toEqual(['a', 'personal', 'personality', 'who']);
    expect(data['personal']).toEqual({
      $enc: { ct: expect.any(String), kid: expect.stringMatching(/^user_tuff\.1\./), nonce: expect.any(String) },
    });
    expect(event.text).not.toMatch(/secret|another|"text"|"more"/);
  });

  it('read back as they were said, whatever they hold, and their text is canonical', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, fc.boolean(), async (text, more, whole) => {
        const { personality: _, ...some } = told({ text, more }).data;
        const event = { type: 'TOLD', data: whole ? told({ text, more }).data : some };
        const { codec, event: there } = await stored(event);
        expect(there.text).toBe(canonicalize(JSON.parse(there.text)));
        expect(canonicalize((await codec.decodePlain(there)).data)).toBe(canonicalize(event.data));
      }),
    );
  });

  it('stay as they are, under their own names, where the content is nobody’s', async () => {
    const { codec, event } = await stored(told({ who: null }));
    expect(codec.decode(event).data).toEqual(told({ who: null }).data);
    expect((await codec.decodePlain(event)).data).toEqual(told({ who: null }).data);
  });

  it('read each as erased once their key is destroyed', async () => {
    const { codec, ciphers, keys, event } = await stored(told());
    await keys.destroyAllOf('user_tuff');
    ciphers.forget('user_tuff');
    expect((await codec.decodePlain(event)).data).toEqual(told({ text: ERASED, more: ERASED }).data);
    expect(() => codec.verify(event, HEAD.lastHash)).not.toThrow();
  });

  it('do not open in another event', async () => {
    const { codec, event } = await stored(told());
    const moved = event.text.replace(/"event_id":"[0-9a-f]{64}"/, `"event_id":"${'0'.repeat(64)}"`);
    await expect(codec.decodePlain({ ...event, text: moved })).rejects.toThrow(UnreadableFieldError);
  });

  it('are recognised as the same body', async () => {
    const { codec, event } = await stored(told());
    expect(await codec.sameBodies([event], [told()], provenance())).toBe(true);
    expect(await codec.sameBodies([event], [told({ more: 'else' })], provenance())).toBe(false);
  });

  it('leave no room for a plain field of the name under which they stand', () => {
    const clash = { ...TOLD, plain: ['who', 'personal'] };
    expect(() => new EventRegistry([clash])).toThrow(
      'event type TOLD: personal is the name of what is stored together',
    );
  });
});

function isCanonical(value: unknown): boolean {
  try {
    canonicalize(value);
    return true;
  } catch {
    return false;
  }
}
