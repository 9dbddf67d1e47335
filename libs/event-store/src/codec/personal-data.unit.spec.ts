import { type DomainEvent, type EventDefinition, type Json, MaceError } from '#lib/kernel';

import { DEFINITIONS, HEAD, provenance, recorded, setUp } from '../testing/codec-support.js';
import type { RecordedEvent } from '../port.js';
import { IntegrityError } from './integrity-error.js';
import { encryptField } from './personal-fields.js';

const TOLD: EventDefinition = {
  type: 'TOLD',
  version: 1,
  plain: ['who', 'verdict'],
  personal: ['text', 'more'],
  personalTogether: true,
  subject: (data) => (data['who'] ?? null) as string | null,
};
const MARK = { $erased: true };

async function house() {
  const parts = setUp({ definitions: [...DEFINITIONS, TOLD] });
  const { codec, ciphers } = parts;
  const store = async (event: DomainEvent): Promise<RecordedEvent> => {
    const [encoded] = codec.encode(HEAD, [event], provenance(), await codec.prepare([event]));
    return recorded(HEAD, [encoded!])[0]!;
  };
  const said = await store({ type: 'SAID', data: { who: 'user_tuff', text: 'a secret' } });
  const told = await store({ type: 'TOLD', data: { who: 'user_tuff', verdict: 'yes', text: 'a', more: 'b' } });
  /** As somebody who holds every key would write it. */
  const sealed = async (subject: string, { id }: RecordedEvent, field: string, value: Json): Promise<Json> =>
    JSON.parse(encryptField(await ciphers.load(subject), id, `/${field}`, value)) as Json;
  return { ...parts, store, said, told, sealed };
}

function withField(event: RecordedEvent, field: string, value: Json): RecordedEvent {
  const envelope = JSON.parse(event.text) as { data: Record<string, Json> };
  envelope.data[field] = value;
  return { ...event, text: JSON.stringify(envelope) };
}

describe('a personal field that somebody with the keys wrote', () => {
  it('is no erasure where it holds the mark of one in the clear', async () => {
    const { codec, said } = await house();
    const forged = withField(said, 'text', MARK);
    expect(() => codec.open(forged, HEAD.lastHash)).toThrow('its field "text" says that it is erased');
    await expect(codec.decodePlain(forged)).rejects.toThrow(IntegrityError);
  });

  it('is no erasure where it opens as the mark of one, alone or among others', async () => {
    const { codec, said, told, sealed } = await house();
    const alone = withField(said, 'text', await sealed('user_tuff', said, 'text', MARK));
    await expect(codec.decodePlain(alone)).rejects.toThrow('says that it is erased, and its key is there');
    const field = (JSON.parse(alone.text) as { data: Record<string, Json> }).data['text']!;
    await expect(codec.revealField(said.id, '/text', field)).rejects.toThrow('does not open with data key');
    const among = withField(told, 'personal', await sealed('user_tuff', told, 'personal', { text: 'a', more: MARK }));
    await expect(codec.decodePlain(among)).rejects.toThrow('its field "more" says that it is erased');
  });

  it('is no erasure where the destroyed key that closes it is another person’s', async () => {
    const { codec, said, sealed, keys, ciphers } = await house();
    const forged = withField(said, 'text', await sealed('user_eve', said, 'text', 'anything'));
    await keys.destroyAllOf('user_eve');
    ciphers.forget('user_eve');
    expect(() => codec.open(forged, HEAD.lastHash)).toThrow('no key of its subject');
    await expect(codec.decodePlain(forged)).rejects.toThrow('no key of its subject');
  });

  it.each<Json>([7, null, {}, { ct: '', kid: 'user_tuff.1.00000000' }, { ct: '', kid: 1, nonce: '' }])(
    'is refused with its place where it is no encrypted field: %j',
    async ($enc) => {
      const { codec, said } = await house();
      const forged = withField(said, 'text', { $enc });
      expect(() => codec.open(forged, HEAD.lastHash)).toThrow('stream test-1, revision 0: its field "text"');
      await expect(codec.decodePlain(forged)).rejects.toThrow(IntegrityError);
    },
  );

  it('puts nothing in the place of what stands in the clear', async () => {
    const { codec, told, sealed } = await house();
    const forged = withField(
      told,
      'personal',
      await sealed('user_tuff', told, 'personal', { text: 'a', verdict: 'no' }),
    );
    await expect(codec.decodePlain(forged)).rejects.toThrow('its field "verdict" is declared as no personal field');
  });
});

describe('a value that reads as what MACE says of values', () => {
  const values: Json[] = [MARK, { $enc: { ct: '', kid: 'user_tuff.1.00000000', nonce: '' } }, { $enc: 1, more: 2 }];

  it.each(values)('is not stored, and the field is named: %j', async (value) => {
    const { store } = await house();
    for (const type of ['SAID', 'TOLD']) {
      const storing = store({ type, data: { who: 'user_tuff', text: value } });
      await expect(storing).rejects.toThrow(MaceError);
      await expect(storing).rejects.toThrow(/: text: no object/);
    }
  });

  it('is stored deeper down, where it cannot be mistaken', async () => {
    const { codec, store } = await house();
    const kept = await store({
      type: 'SAID',
      data: { who: 'user_tuff', text: [MARK], more: { $erased: true, at: 1 } },
    });
    expect((await codec.decodePlain(kept)).data).toMatchObject({ text: [MARK], more: { $erased: true, at: 1 } });
  });
});
