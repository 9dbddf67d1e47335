import crypto, { createHmac, hkdfSync } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

import fc from 'fast-check';

import { canonicalize, timestampSeeded, type DomainEvent, type EventDefinition, type Json } from '#lib/kernel';

import {
  FIRST_KEY,
  HEAD,
  key,
  provenance,
  recorded,
  setUp,
  sha256,
  signatureOf,
  type SetUp,
} from '../testing/codec-support.js';
import { rotateSubjectKey } from '../data-key-rotation.js';
import { UnusableSubjectKeyError } from '../key-wrapping.js';
import { emptyHead, type EncodedEvent } from './codec.js';
import { IntegrityError, NewerEventError } from './integrity-error.js';
import { type EncryptedField, isErased, UnreadableFieldError } from './personal-fields.js';
import { RingKeyWrapping } from './ring-key-wrapping.js';
import { SubjectRefusedError, UnknownSubjectKeyError, UNWRAPPED_KEY_MS } from './subject-ciphers.js';

const json = fc.jsonValue({ maxDepth: 4 }).filter(isCanonical) as fc.Arbitrary<Json>;
const said = (who: string | null, text: Json): DomainEvent => ({ type: 'SAID', data: { who, text } });
const noted = (what: Json): DomainEvent => ({ type: 'NOTED', data: { what } });

async function encodeWith(options: SetUp, events: readonly DomainEvent[], by = provenance(), head = HEAD) {
  const parts = setUp(options);
  return { ...parts, encoded: parts.codec.encode(head, events, by, await parts.codec.prepare(events)) };
}

interface Envelope {
  readonly data: Record<string, Json>;
  readonly metadata: Record<string, Json>;
}
const envelopeOf = ({ text }: EncodedEvent): Envelope => JSON.parse(text) as Envelope;

describe('the stored text', () => {
  it('is the canonical form of what it says, for any data', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, fc.option(fc.constant('user_tuff')), async (first, second, who) => {
        const events = [noted(first), { type: 'SAID', data: { who, text: second, more: first } }];
        const by = provenance('seed-ü"\\', {
          causationId: 'c'.repeat(64),
          jobId: 'job:1',
          requestDigest: 'd'.repeat(64),
        });
        const { encoded } = await encodeWith({}, events, by);
        for (const { text, utf8, hash } of encoded) {
          expect(text).toBe(canonicalize(JSON.parse(text)));
          expect([Buffer.from(text).equals(utf8), hash]).toEqual([true, sha256(text)]);
        }
      }),
    );
  });

  it('holds the envelope of spec/kernel.md and nothing else', async () => {
    const { encoded } = await encodeWith(
      {},
      [noted(1), noted(2)],
      provenance('seed-1', { sequenceIndex: 4, jobId: 'job:1' }),
    );
    const [first, second] = encoded;
    expect(JSON.parse(second!.text)).toEqual({
      data: { what: 2 },
      metadata: {
        $causationId: first!.id,
        $correlationId: provenance().traceId,
        actor: { id: 'user_tuff', role: 'user' },
        event_id: sha256('seed-1:5:NOTED'),
        job_id: 'job:1',
        job_seed: 'seed-1',
        kid: 'k1',
        prev_hash: sha256(first!.text),
        recorded_at: '2026-11-24T12:00:00.000Z',
        schema_version: 1,
        sequence_index: 5,
        signature: envelopeOf(second!).metadata['signature'],
        timestamp_seeded: timestampSeeded('seed-1', 5),
        trace_id: provenance().traceId,
      },
      stream: 'test-1',
      type: 'NOTED',
    });
  });

  it.each([0, 999, 1000, 59_999, 123_456_789])('has the seeded time of index %d', async (sequenceIndex) => {
    const { encoded } = await encodeWith({}, [noted(1), noted(2)], provenance('s', { sequenceIndex }));
    expect(encoded.map((event) => envelopeOf(event).metadata['timestamp_seeded'])).toEqual([
      timestampSeeded('s', sequenceIndex),
      timestampSeeded('s', sequenceIndex + 1),
    ]);
  });

  it('bears the signature that HKDF and HMAC give for the rest of it', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.stringMatching(/^[A-Za-z0-9._:/-]{1,40}$/), async (what, stream) => {
        const { encoded } = await encodeWith({}, [noted(what)], provenance(), emptyHead(stream));
        const { metadata, ...rest } = envelopeOf(encoded[0]!);
        const { signature, ...unsigned } = metadata;
        expect(signature).toBe(signatureOf(FIRST_KEY.secret, stream, canonicalize({ ...rest, metadata: unsigned })));
      }),
    );
  });

  it('chains each event to the stored text of the one before, the first to 64 zeros', async () => {
    const { encoded } = await encodeWith({}, [noted(1), noted(2), noted(3)]);
    expect(encoded.map((event) => envelopeOf(event).metadata['prev_hash'])).toEqual([
      '0'.repeat(64),
      sha256(encoded[0]!.text),
      sha256(encoded[1]!.text),
    ]);
    expect(encoded.map(({ hash }) => hash)).toEqual(encoded.map(({ text }) => sha256(text)));
  });

  it('of a seal names the hash of the event before it', async () => {
    const { encoded } = await encodeWith({}, [noted(1), { type: 'SEALED', data: { count: 1 } }]);
    expect(envelopeOf(encoded[1]!).data).toEqual({ count: 1, last_hash: sha256(encoded[0]!.text) });
  });

  it('carries a request’s digest on the first event only', async () => {
    const { encoded } = await encodeWith({}, [noted(1), noted(2)], provenance('s', { requestDigest: 'd'.repeat(64) }));
    expect(encoded.map((event) => envelopeOf(event).metadata['request_digest'])).toEqual(['d'.repeat(64), undefined]);
  });

  it.each([
    ['a field that nobody declared', { type: 'NOTED', data: { what: 1, secret: 2 } }, 'declares no field "secret"'],
    ['a type that nobody registered', { type: 'OTHER', data: {} }, 'event type OTHER is not registered'],
    ['what has no canonical form', { type: 'NOTED', data: { what: '\ud800' } }, 'a lone surrogate'],
  ])('is never made of %s', async (_, event, reason) => {
    await expect(encodeWith({}, [event])).rejects.toThrow(reason);
  });

  it.each(['', 'a b', 'x'.repeat(301), 'a"b', 'é'])('is never made for the stream %j', async (stream) => {
    await expect(encodeWith({}, [noted(1)], provenance(), emptyHead(stream))).rejects.toThrow('not a stream name');
  });
});

describe('personal fields', () => {
  it('read back as they were said, and their text stands nowhere in what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (text) => {
        const marked = { secret: `§${JSON.stringify(text)}§` };
        const { encoded, codec } = await encodeWith({}, [said('user_tuff', text), said('user_tuff', marked)]);
        const plain = await Promise.all(recorded(HEAD, encoded).map((event) => codec.decodePlain(event)));
        expect(canonicalize(plain.map(({ data }) => data['text']))).toBe(canonicalize([text, marked]));
        expect(encoded[1]!.text).not.toContain('§');
        expect(envelopeOf(encoded[0]!).data['text']).toEqual({
          $enc: {
            ct: expect.any(String),
            kid: expect.stringMatching(/^user_tuff\.1\.[0-9a-f]{8}$/),
            nonce: expect.any(String),
          },
        });
      }),
    );
  });

  it('are stored in plain where the content is nobody’s, and read back untouched', async () => {
    const { encoded, codec } = await encodeWith({}, [said(null, 'a fact')]);
    expect(envelopeOf(encoded[0]!).data).toEqual({ who: null, text: 'a fact' });
    expect((await codec.decodePlain(recorded(HEAD, encoded)[0]!)).data['text']).toBe('a fact');
  });

  it('have the same bytes when the same event is made again, and others at any other place', async () => {
    const { keys, encoded } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const again = async (event: DomainEvent, by = provenance()) =>
      envelopeOf((await encodeWith({ keys }, [event], by)).encoded[0]!).data;
    const first = envelopeOf(encoded[0]!).data;
    expect(await again(said('user_tuff', 'blue'))).toEqual(first);
    const elsewhere = [
      (await again(said('user_tuff', 'blue'), provenance('seed-2')))['text'],
      (await again({ type: 'SAID', data: { who: 'user_tuff', more: 'blue' } }))['more'],
      (await again(said('user_tuff', 'green')))['text'],
      (await again(said('user_eve', 'blue')))['text'],
    ];
    const bytes = [first['text'], ...elsewhere].map((field) => JSON.stringify(field));
    expect(new Set(bytes).size).toBe(5);
  });

  it('of one event do not open in another, nor at another place of the same', async () => {
    const { encoded, codec } = await encodeWith({}, [said('user_tuff', 'blue'), said('user_tuff', 'green')]);
    const [first, second] = encoded.map((event) => codec.decode(recorded(HEAD, [event])[0]!));
    const moved = { ...second!, data: { ...second!.data, text: first!.data['text']! } };
    await expect(codec.reveal(moved)).rejects.toThrow(UnreadableFieldError);
    const shifted = { ...first!, data: { who: 'user_tuff', more: first!.data['text']! } };
    await expect(codec.reveal(shifted)).rejects.toThrow(UnreadableFieldError);
    await expect(codec.revealField(first!.metadata.event_id, '/text', first!.data['text']!)).resolves.toBe('blue');
  });

  it('open at once where their key is in memory, and are erased from the moment on in which it is destroyed', async () => {
    const { encoded, codec, keys, ciphers } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const { data, metadata } = codec.decode(recorded(HEAD, encoded)[0]!);
    const openAtOnce = (): unknown => codec.revealFieldCached(metadata.event_id, '/text', data['text']!);
    expect(openAtOnce()).toBe('blue');
    ciphers.forget('user_tuff');
    expect(openAtOnce()).toBeUndefined();
    await keys.destroyAllOf('user_tuff');
    await codec.revealField(metadata.event_id, '/text', data['text']!);
    expect(openAtOnce()).toEqual({ $erased: true });
    expect(codec.revealFieldCached(metadata.event_id, '/more', 'plain')).toBe('plain');
  });

  it('that were opened as a text are opened once while their key is in memory, and open nowhere else for it', async () => {
    const { encoded, codec, ciphers } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const { data, metadata } = codec.decode(recorded(HEAD, encoded)[0]!);
    const field = data['text'] as Record<string, Json>;
    const open = (value: Json, id = metadata.event_id, pointer = '/text'): unknown =>
      codec.revealFieldCached(id, pointer, value);
    const opening = jest.spyOn(crypto, 'createDecipheriv');
    // The codec imports it by its name.
    syncBuiltinESMExports();
    expect([open(field), open(field), opening.mock.calls.length]).toEqual(['blue', 'blue', 1]);
    expect(() => open(field, 'another')).toThrow(UnreadableFieldError);
    expect(() => open(field, undefined, '/more')).toThrow(UnreadableFieldError);
    const parts = field['$enc'] as Record<string, string>;
    const first = parts['ct']!.startsWith('A') ? 'B' : 'A';
    expect(() => open({ $enc: { ...parts, ct: first + parts['ct']!.slice(1) } })).toThrow(UnreadableFieldError);
    ciphers.forget('user_tuff');
    expect(open(field)).toBeUndefined();
    await codec.revealField(metadata.event_id, '/text', field);
    opening.mockClear();
    expect([open(field), open(field), opening.mock.calls.length]).toEqual(['blue', 'blue', 1]);
    opening.mockRestore();
    syncBuiltinESMExports();
  });

  it('read as erased once their key is destroyed, and the chain still verifies', async () => {
    const { encoded, codec, keys, ciphers } = await encodeWith({}, [
      said('user_tuff', 'blue'),
      said('user_eve', 'red'),
    ]);
    await keys.destroyAllOf('user_tuff');
    ciphers.forget('user_tuff');
    const events = recorded(HEAD, encoded);
    expect((await codec.decodePlain(events[0]!)).data).toEqual({ who: 'user_tuff', text: { $erased: true } });
    expect((await codec.decodePlain(events[1]!)).data['text']).toBe('red');
    expect(() => codec.verify(events[1]!, codec.verify(events[0]!, HEAD.lastHash))).not.toThrow();
  });

  it('are out of reach of another process too, 30 seconds after their key was destroyed', async () => {
    let now = 0;
    const { encoded, codec, keys } = await encodeWith({ now: () => now }, [said('user_tuff', 'blue')]);
    const [event] = recorded(HEAD, encoded);
    await keys.destroyAllOf('user_tuff');
    now = UNWRAPPED_KEY_MS;
    expect((await codec.decodePlain(event!)).data['text']).toEqual({ $erased: true });
  });

  it('of somebody who was erased and returns are under a new key', async () => {
    const { keys } = await encodeWith({}, [said('user_tuff', 'blue')]);
    await keys.destroyAllOf('user_tuff');
    const { encoded } = await encodeWith({ keys }, [said('user_tuff', 'green')], provenance('seed-2'));
    expect(envelopeOf(encoded[0]!).data['text']).toMatchObject({
      $enc: { kid: expect.stringMatching(/^user_tuff\.2\.[0-9a-f]{8}$/) },
    });
  });

  it('of somebody whose erasure began read as erased, and none can be written', async () => {
    const { encoded, keys } = await encodeWith({}, [said('user_tuff', 'blue'), said('user_eve', 'red')]);
    await keys.refuse('user_tuff');
    const { codec } = setUp({ keys });
    const events = recorded(HEAD, encoded);
    expect((await codec.decodePlain(events[0]!)).data['text']).toEqual({ $erased: true });
    expect((await codec.decodePlain(events[1]!)).data['text']).toBe('red');
    await expect(codec.prepare([said('user_tuff', 'green')])).rejects.toThrow(SubjectRefusedError);
    await expect(codec.prepare([said('user_new', 'green')])).resolves.toBeDefined();
    await keys.refuse('user_unknown');
    await expect(codec.prepare([said('user_unknown', 'green')])).rejects.toThrow(SubjectRefusedError);
  });

  it('of somebody whose erasure began are out of reach of a process that had the key, after 30 seconds', async () => {
    let now = 0;
    const { encoded, codec, keys } = await encodeWith({ now: () => now }, [said('user_tuff', 'blue')]);
    const read = async (): Promise<unknown> => (await codec.decodePlain(recorded(HEAD, encoded)[0]!)).data['text'];
    await keys.refuse('user_tuff');
    now = UNWRAPPED_KEY_MS - 1;
    expect(await read()).toBe('blue');
    now = UNWRAPPED_KEY_MS;
    expect(await read()).toEqual({ $erased: true });
    await expect(codec.prepare([said('user_tuff', 'green')])).rejects.toThrow(SubjectRefusedError);
  });

  it('are under a new key after a rotation, and those before it read as they did', async () => {
    const { encoded, keys, ring } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const rotated = await rotateSubjectKey(keys, new RingKeyWrapping(ring), 'user_tuff');
    const after = await encodeWith({ keys }, [said('user_tuff', 'green')], provenance('seed-2'));
    const kidOf = (event: EncodedEvent): string =>
      (envelopeOf(event).data['text'] as unknown as EncryptedField).$enc.kid;
    expect([kidOf(encoded[0]!), kidOf(after.encoded[0]!)]).toEqual([rotated!.previousKid, rotated!.kid]);
    for (const [event, text] of [
      [encoded[0]!, 'blue'],
      [after.encoded[0]!, 'green'],
    ] as const) {
      expect((await after.codec.decodePlain(recorded(HEAD, [event])[0]!)).data['text']).toBe(text);
    }
    await keys.refuse('user_tuff');
    await expect(rotateSubjectKey(keys, new RingKeyWrapping(ring), 'user_tuff')).rejects.toThrow(SubjectRefusedError);
    expect(await rotateSubjectKey(keys, new RingKeyWrapping(ring), 'user_nobody')).toBeNull();
  });

  it('whose key nobody knows are a fault, never an erasure', async () => {
    const { encoded } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const { codec } = setUp();
    await expect(codec.decodePlain(recorded(HEAD, encoded)[0]!)).rejects.toThrow(UnknownSubjectKeyError);
  });

  it('whose key was lost are a fault also once the person has a new key', async () => {
    const { encoded } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const { codec, keys } = await encodeWith({}, [said('user_tuff', 'green')], provenance('seed-2'));
    expect(await keys.listFor('user_tuff')).toHaveLength(1);
    await expect(codec.decodePlain(recorded(HEAD, encoded)[0]!)).rejects.toThrow(UnknownSubjectKeyError);
  });

  it('whose key is damaged or wrapped by a foreign key are a fault that says so', async () => {
    const { encoded, keys, ring } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const [record] = await keys.listFor('user_tuff');
    if (record?.state !== 'present') throw new Error('the key is not there');
    const wrapping = record.key;
    const reading = (): Promise<unknown> => setUp({ keys }).codec.decodePlain(recorded(HEAD, encoded)[0]!);
    await keys.rewrap({ ...wrapping, wrapped: Buffer.alloc(60).toString('base64') });
    await expect(reading()).rejects.toThrow(UnusableSubjectKeyError);
    await expect(reading()).rejects.toThrow(
      `${wrapping.kid} does not open with ${ring.active('data-key-wrapping').kid}`,
    );
    await keys.rewrap({ ...wrapping, wrappedBy: 'w0' });
    await expect(reading()).rejects.toThrow('is wrapped by w0, which is not in the key ring');
  });

  it('with a cut tag are refused', async () => {
    const { encoded, codec } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const event = codec.decode(recorded(HEAD, encoded)[0]!);
    const { $enc } = event.data['text'] as unknown as EncryptedField;
    const cut = { $enc: { ...$enc, ct: Buffer.from($enc.ct, 'base64').subarray(-12).toString('base64') } };
    await expect(codec.revealField(event.metadata.event_id, '/text', cut)).rejects.toThrow(UnreadableFieldError);
  });

  it('of two who ask at once for a new person are under one key', async () => {
    const { ciphers, keys } = setUp();
    const [first, second] = await Promise.all([ciphers.load('user_new'), ciphers.load('user_new')]);
    expect(first.kid).toBe(second.kid);
    expect(await keys.listFor('user_new')).toHaveLength(1);
  });

  it('have nonces of the key that HKDF derives from the data key', async () => {
    const { encoded, ciphers } = await encodeWith({}, [said('user_tuff', 'blue')]);
    const { data } = envelopeOf(encoded[0]!);
    const { dataKey } = await ciphers.load('user_tuff');
    const key = Buffer.from(hkdfSync('sha256', dataKey, '', 'field-nonce', 32));
    const mac = createHmac('sha256', key).update(`${encoded[0]!.id}\n/text\n"blue"`).digest();
    expect(data['text']).toMatchObject({ $enc: { nonce: mac.subarray(0, 12).toString('base64') } });
  });

  it.each([
    [{ $erased: true }, true],
    [{ $erased: 'yes' }, false],
    [{ $erased: true, more: 1 }, false],
    [null, false],
    ['$erased', false],
  ])('reading %j is an erasure: %s', (value, expected) => {
    expect(isErased(value)).toBe(expected);
  });
});

describe('decoding', () => {
  const OLD: EventDefinition = { type: 'NOTED', version: 1, plain: ['note'] };
  const NEW: EventDefinition = {
    type: 'NOTED',
    version: 3,
    plain: ['what', 'more'],
    upcasters: { 1: ({ note }) => ({ what: note! }), 2: (data) => ({ ...data, more: null }) },
  };

  it('brings an old event to the current version and leaves its stored text alone', async () => {
    const { encoded } = await encodeWith({ definitions: [OLD] }, [{ type: 'NOTED', data: { note: 'n' } }]);
    const { codec } = setUp({ definitions: [NEW] });
    const [event] = recorded(HEAD, encoded);
    expect(codec.decode(event!)).toMatchObject({ data: { what: 'n', more: null }, metadata: { schema_version: 1 } });
    expect(codec.verify(event!, HEAD.lastHash)).toBe(sha256(encoded[0]!.text));
  });

  it('of an event of a newer release says so', async () => {
    const { encoded } = await encodeWith({ definitions: [NEW] }, [{ type: 'NOTED', data: { what: 1 } }]);
    const { codec } = setUp({ definitions: [OLD] });
    expect(() => codec.decode(recorded(HEAD, encoded)[0]!)).toThrow('a newer release wrote it');
  });

  it('later gives the same as decoding now', async () => {
    const { encoded, codec } = await encodeWith({}, [noted({ a: [1] })]);
    const [event] = recorded(HEAD, encoded);
    const later = codec.decodeLater(event!, event!);
    expect({ ...later, data: later.data, metadata: later.metadata }).toEqual(codec.decode(event!));
  });
});

describe('verifying', () => {
  it('finds every change of one character, wherever it is made', async () => {
    const { encoded, codec } = await encodeWith({}, [noted(['a', 1.5, null]), said('user_tuff', 'blue')]);
    const [event] = recorded(HEAD, encoded);
    const { text } = event!;
    const replacements = (at: number): string[] => ['', 'x', ' ', '"', '0', '\\', text[at]! + text[at]!];
    for (let at = 0; at < text.length; at++) {
      for (const other of replacements(at)) {
        if (other === text[at]) continue;
        const tampered = text.slice(0, at) + other + text.slice(at + 1);
        expectRefused(() => codec.verify({ ...event!, text: tampered }, HEAD.lastHash), tampered);
      }
    }
  });

  it('finds any other text in its place, and says so as an integrity failure', async () => {
    const { encoded, codec } = await encodeWith({}, [noted(1)]);
    const [event] = recorded(HEAD, encoded);
    const parts = fc.constantFrom('{', '}', '"signature":"', '"metadata":', 'null', '5', '[]', '"data":{}', ',', ':');
    const texts = fc.oneof(
      fc.json(),
      fc.array(parts, { maxLength: 8 }).map((some) => some.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => expectRefused(() => codec.verify({ ...event!, text }, HEAD.lastHash), text)),
    );
  });

  it.each([
    'null',
    '5',
    '[]',
    '{"metadata":null}',
    '{"data":{},"metadata":{"signature":5}}',
    '{"data":null,"metadata":{"signature":""}}',
  ])('of %s is an integrity failure, not a crash', async (text) => {
    const { encoded, codec } = await encodeWith({}, [noted(1)]);
    expectRefused(() => codec.verify({ ...recorded(HEAD, encoded)[0]!, text }, HEAD.lastHash), text);
  });

  it('finds an event that was dropped, moved within its stream, or moved to another', async () => {
    const { encoded, codec } = await encodeWith({}, [noted(1), noted(2), noted(3)]);
    const [first, second, third] = recorded(HEAD, encoded);
    const afterFirst = codec.verify(first!, HEAD.lastHash);
    expectRefused(() => codec.verify(third!, afterFirst), 'dropped');
    expectRefused(() => codec.verify(second!, HEAD.lastHash), 'moved');
    expectRefused(() => codec.verify({ ...first!, stream: 'test-2' }, HEAD.lastHash), 'other stream');
    expectRefused(() => codec.verify({ ...first!, type: 'SAID' }, HEAD.lastHash), 'other type');
    expectRefused(() => codec.verify({ ...first!, id: second!.id }, HEAD.lastHash), 'other id');
  });

  it('finds a seal that was signed again over another chain', async () => {
    const { codec } = setUp();
    const elsewhere = { ...HEAD, lastHash: 'f'.repeat(64) };
    const lying = codec.encode(elsewhere, [{ type: 'SEALED', data: { count: 0 } }], provenance(), new Map());
    expectRefused(() => codec.verify(recorded(HEAD, lying)[0]!, HEAD.lastHash), 'seal');
  });

  it('trusts a retired key and no revoked or unknown one', async () => {
    const { encoded } = await encodeWith({}, [noted(1)]);
    const [event] = recorded(HEAD, encoded);
    const withFirst = (state: 'verify-only' | 'revoked') =>
      setUp({ ring: [key('event-hmac', 'k1', 1, state), key('event-hmac', 'k2', 2)] }).codec;
    expect(withFirst('verify-only').verify(event!, HEAD.lastHash)).toBe(encoded[0]!.hash);
    expectRefused(() => withFirst('revoked').verify(event!, HEAD.lastHash), 'revoked');
    expectRefused(() => setUp({ ring: [key('event-hmac', 'k2', 2)] }).codec.verify(event!, HEAD.lastHash), 'unknown');
  });

  it('knows a body again by what it says and who said it, not by how it was signed', async () => {
    const by = provenance('seed-1', { causationId: 'c'.repeat(64) });
    const event = said('user_tuff', 'blue');
    const { encoded, codec } = await encodeWith({}, [event], by);
    const there = recorded(HEAD, encoded);
    expect(await codec.sameBodies(there, [event], by)).toBe(true);
    expect(await codec.sameBodies(there, [said('user_tuff', 'red')], by)).toBe(false);
    expect(await codec.sameBodies(there, [event], { ...by, actor: { id: 'user_eve', role: 'user' } })).toBe(false);
    expect(await codec.sameBodies(there, [event], { ...by, actor: { id: 'user_tuff', role: 'admin' } })).toBe(false);
    expect(await codec.sameBodies(there, [event], provenance())).toBe(false);
    expect(await codec.sameBodies(there, [event, event], by)).toBe(false);
  });
});

function expectRefused(verify: () => unknown, what: string): void {
  let thrown: unknown;
  try {
    verify();
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof IntegrityError))
    throw new Error(`not refused as an integrity failure: ${what}`, { cause: thrown });
}

function isCanonical(value: unknown): boolean {
  try {
    canonicalize(value);
    return true;
  } catch {
    return false;
  }
}

describe('an event that was signed in a form that no writer gives it', () => {
  /** The same event with another text in it, signed by whoever holds the key. */
  async function signedAgain(from: string, to: string) {
    const { codec, encoded } = await encodeWith({}, [{ type: 'NOTED', data: { what: 'a', more: 1 } }]);
    const [event] = recorded(HEAD, encoded);
    const unsigned = event!.text.replace(/"signature":"[0-9a-f]{64}",/, '');
    const changed = unsigned.replace(from, to);
    expect(changed).not.toBe(unsigned);
    const signature = signatureOf(FIRST_KEY.secret, HEAD.stream, changed);
    const text = changed.replace('"timestamp_seeded"', `"signature":"${signature}","timestamp_seeded"`);
    return () => codec.open({ ...event!, text }, HEAD.lastHash);
  }

  it('reads where nothing but its content is other', async () => {
    expect((await signedAgain('"what":"a"', '"what":"b"'))().event.data).toEqual({ what: 'b', more: 1 });
  });

  it.each([
    ['"more":1', '"more":2,"more":1', 'not in canonical form'],
    ['"more":1', '"more":1.0', 'not in canonical form'],
    ['"more":1', '"more": 1', 'not in canonical form'],
    ['"stream"', '"note":1,"stream"', 'a member that no event has'],
    ['"kid"', '"keep":1,"kid"', 'its metadata has a member "keep"'],
    ['"schema_version":1', '"schema_version":0', 'its metadata holds a "schema_version" of another form'],
  ])('is refused, with its place and why: %s as %s', async (from, to, reason) => {
    const open = await signedAgain(from, to);
    expect(open).toThrow(IntegrityError);
    expect(open).toThrow(reason);
    expect(open).toThrow('stream test-1, revision 0');
  });

  it('is said to be newer, and not tampered with, where a newer release signed it, and nobody else', async () => {
    const newer = await signedAgain('"schema_version":1', '"schema_version":2');
    expect(newer).toThrow(NewerEventError);
    expect(newer).not.toThrow(IntegrityError);
    expect(newer).toThrow(
      'stream test-1, revision 0: event type NOTED has version 2; this release reads up to 1; a newer',
    );
    const { codec, encoded } = await encodeWith({}, [noted('a')]);
    const [row] = recorded(HEAD, encoded);
    const text = row!.text.replace('"schema_version":1', '"schema_version":2');
    expect(() => codec.openAlone({ ...row!, text })).not.toThrow(NewerEventError);
    expect(() => codec.openAlone({ ...row!, text })).toThrow('its signature does not verify');
  });
});
