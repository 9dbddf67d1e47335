import type { Position, RecordedEvent } from '#lib/event-store';
import { canonicalize, eventId, GENESIS_HASH, hmacSha256Hex, KeyRing, type RingKey } from '#lib/kernel';

import { EventCheck } from './event-check.js';

const KEY: RingKey = {
  kid: 'k1',
  purpose: 'event-hmac',
  state: 'active',
  secret: Buffer.alloc(32, 1),
  notBefore: '2025-01-01T00:00:00.000Z',
};
const SEED = 'a'.repeat(64);
const ring = new KeyRing([KEY]);
const RULES = { retired: {}, versions: { X: 1 } };

/** An event that whoever holds the key signs, of any form; members that are undefined are left out. */
function signed(changes: Readonly<Record<string, unknown>>, data: unknown = { n: 1 }): RecordedEvent {
  const id = eventId(SEED, 0, 'X');
  const metadata = {
    $correlationId: 'trace',
    actor: { id: 'system', role: 'system' },
    event_id: id,
    job_seed: SEED,
    kid: 'k1',
    prev_hash: GENESIS_HASH,
    schema_version: 1,
    sequence_index: 0,
    timestamp_seeded: '2025-01-01T00:00:00.000Z',
    trace_id: 'trace',
    ...changes,
  };
  const known = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
  const unsigned = canonicalize({ data, metadata: known, stream: 's', type: 'X' });
  const cut = unsigned.indexOf('"timestamp_seeded"');
  const signature = hmacSha256Hex(ring.subkey(ring.verifying('k1', 'event-hmac')!, 's'), unsigned);
  const text = `${unsigned.slice(0, cut)}"signature":"${signature}",${unsigned.slice(cut)}`;
  return { stream: 's', revision: 0, position: '1' as Position, id, type: 'X', text, recordedAt: 0 };
}

function detector(recorded: RecordedEvent): string | null {
  return new EventCheck(ring, RULES).check(recorded).found?.detector ?? null;
}

test('a signed event is sound, be it of ASCII or not, with escapes or without', () => {
  for (const said of ['plain', 'a "quoted" \\ line\nand \u0001', 'Gr\u00fc\u00dfe', '\u{1f600}'])
    expect(detector(signed({}, { said }))).toBeNull();
});

test('who holds the key cannot leave out or change what the id follows from', () => {
  for (const sequence_index of [undefined, null, 1, 0.5, '', '0x0', [], false])
    expect([sequence_index, detector(signed({ sequence_index }))]).toEqual([sequence_index, 'event-id']);
  for (const job_seed of [undefined, null, 'b'.repeat(64), `${SEED}"`])
    expect([job_seed, detector(signed({ job_seed }))]).toEqual([job_seed, 'event-id']);
});

test('metadata nested deeper are not taken for those of the event', () => {
  const { sequence_index, actor } = { sequence_index: undefined, actor: { id: 'x', role: 'y', sequence_index: 0 } };
  expect(detector(signed({ sequence_index, actor }))).toBe('event-id');
  expect(detector(signed({ kid: undefined, actor: { id: 'x', kid: 'k1', role: 'y' } }))).toBe('key');
});

test('a key by another name is no key', () => {
  for (const kid of [undefined, null, 'k2', 'k1\\']) expect([kid, detector(signed({ kid }))]).toEqual([kid, 'key']);
});

test('an event of another place says so, before anything else of it is believed', () => {
  const recorded = signed({});
  expect(detector({ ...recorded, stream: 'other' })).toBe('columns');
  expect(detector({ ...recorded, type: 'Y' })).toBe('columns');
  expect(detector({ ...recorded, id: 'f'.repeat(64) })).toBe('columns');
  expect(detector(signed({ event_id: 'f'.repeat(64) }))).toBe('columns');
});

test('of a sound event what it says and what it follows are read from its text', () => {
  const { event } = new EventCheck(ring, RULES).check(signed({}, { n: 7 }));
  expect(event?.prevHash).toBe(GENESIS_HASH);
  expect(event?.envelope.data).toEqual({ n: 7 });
});

test('of a sound event the time is read that was signed, and of an older one none, whatever its data says', () => {
  const timeOf = (changes: Readonly<Record<string, unknown>>, data: unknown) =>
    new EventCheck(ring, RULES).check(signed(changes, data)).event?.recordedAt;
  const [recorded_at, other] = ['2026-11-24T12:00:00.000Z', '2025-01-01T00:00:00.000Z'];
  for (const text of ['', 'not ASCII: ü']) {
    const data = { text, more: { a: 1, recorded_at: other } };
    expect(timeOf({ recorded_at }, data)).toBe(Date.parse(recorded_at));
    expect(timeOf({}, data)).toBeNull();
  }
});

test('a member that no event has, one of another form, and one that is missing are found, whoever signed them', () => {
  const changes = [
    { keep: 'anything' },
    { aaa: 'anything' },
    { actor: { id: 'system', role: 'system', more: '' } },
    { actor: null },
    { actor: undefined },
    { trace_id: 7 },
    { trace_id: undefined },
    { $correlationId: undefined },
    { job_id: 7 },
    { request_digest: null },
    { recorded_at: 7 },
    { recorded_at: 'yesterday' },
    { recorded_at: '2026-11-24T12:00:00Z' },
    { recorded_at: '2026-11-24T12:00:00.000Z"' },
    { schema_version: 0 },
    { schema_version: -1 },
    { schema_version: 'x' },
    { schema_version: undefined },
  ];
  for (const change of changes) expect([change, detector(signed(change))]).toEqual([change, 'form']);
  for (const change of [{ job_id: 'job:1' }, { request_digest: 'd' }, { $causationId: 'c' }])
    expect([change, detector(signed(change))]).toEqual([change, null]);
});

test('a version that no release up to this one writes is found, and an older one is not', () => {
  const found = (versions: Readonly<Record<string, number>>, schema_version: number) =>
    new EventCheck(ring, { retired: {}, versions }).check(signed({ schema_version })).found?.reason ?? null;
  expect(found({ X: 1 }, 2)).toBe('it is of version 2, and this release writes 1');
  expect(found({}, 1)).toBe('events of type X are not known to this release');
  expect(found({ X: 3 }, 2)).toBeNull();
});
