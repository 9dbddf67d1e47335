import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accessEvents, fixtureKeyRing, fixtureKeys } from '#lib/access';
import { forensicEvents } from '#lib/audit';
import { dsrEvents } from '#lib/dsr';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { type DomainEvent, EventRegistry, type JsonObject, KeyRing, sha256Hex, traceId } from '#lib/kernel';

import { ErasedKeys } from '../erased-keys.js';
import { type FalseErasure, FollowedErasures } from './followed-erasures.js';

const ID = `dr-${'1'.repeat(32)}`;
const STREAM = `dsr-${ID}`;
const REF = 'a'.repeat(64);
const TRAIL = `forensic-${REF}`;
const EVE = 'user_eve.1.00000001';
const BOB = 'user_bob.1.00000002';
const AT = '2026-11-22T00:00:00.000Z';
const OF = { dsr_id: ID, user_id: 'user_eve' };

const dsr = (type: string, data: JsonObject): DomainEvent => ({ type, data: { ...OF, ...data } });
const request = (change: JsonObject = {}): DomainEvent =>
  dsr('DSR_REQUEST', {
    kind: 'delete',
    requested_by: 'user_clara',
    requested_at: AT,
    identity_method: 'document',
    ...change,
  });
const approved: DomainEvent = { type: 'DSR_APPROVED', data: { dsr_id: ID, approved_by: 'user_ada', approved_at: AT } };
const begun = dsr('ERASURE_REQUESTED', { kids: [EVE], requested_at: AT });
const destroyed = (change: JsonObject = {}): DomainEvent =>
  dsr('SUBJECT_KEYS_DESTROYED', { kids: [EVE], destroyed_at: AT, ...change });
const kept: DomainEvent = {
  type: 'FORENSIC_KEPT',
  data: { evidence_ref: REF, event_type: 'AGENT_EXCEPTION', kid: 'forensic-evidence.fixture', user_id: 'user_eve' },
};
const purged: DomainEvent = { type: 'FORENSIC_ERASED', data: { evidence_ref: REF, dsr_id: ID } };

let folder: string;
let store: MemoryEventStore;
let list: ErasedKeys;
let told: FalseErasure[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-erasures-'));
  store = new MemoryEventStore();
  list = new ErasedKeys(folder, 'mace.local/0123456789abcdef');
  told = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Appends as a process does that holds these keys. */
async function append(stream: string, events: readonly DomainEvent[], ring = fixtureKeyRing()): Promise<void> {
  const registry = new EventRegistry([accessEvents, dsrEvents, forensicEvents].flat());
  const log = new EventLog(store, new EventCodec(registry, ring, new SubjectCiphers({} as SubjectKeyStore, ring)));
  const { events: before, version } = await store.readStream(stream);
  const lastHash = before.length === 0 ? '0'.repeat(64) : sha256Hex(before.at(-1)!.text);
  const jobSeed = `test:${stream}:${version}`;
  const provenance = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  await log.append({ stream, version, lastHash }, events, provenance);
}

/** Whoever can write to the store, and holds no key. */
async function write(stream: string, type: string, data: JsonObject): Promise<void> {
  const expected = (await store.streamVersion(stream)) || 'none';
  const text = JSON.stringify({ data, metadata: { schema_version: 1 }, stream, type });
  await store.append(stream, expected, [{ id: sha256Hex(text), type, text }]);
}

async function follow(ring = fixtureKeyRing()): Promise<void> {
  const erasures = new FollowedErasures(list, store, ring);
  erasures.onFalse((found) => told.push(found));
  const { events } = await store.readAll({ after: '0' as never, limit: 100 });
  await erasures.follow(events);
  // The same events again, as after a write that failed.
  await erasures.follow(events);
}

const listed = () => [list.all(), list.evidence(), list.requests()];

it('takes up keys and evidence of an approved deletion that the server has signed', async () => {
  await append(STREAM, [request(), dsr('DSR_DELETE_REQUEST', {}), approved, begun, destroyed()]);
  await append(TRAIL, [kept, purged]);
  await follow();
  expect(listed()).toEqual([[EVE], [{ ref: REF, dsrId: ID }], [{ dsrId: ID, userId: 'user_eve' }]]);
  expect(told).toEqual([]);
});

it('goes on taking up a true erasure that somebody has appended to since', async () => {
  await append(STREAM, [request(), approved, begun, destroyed()]);
  await write(STREAM, 'SUBJECT_KEYS_DESTROYED', { ...OF, kids: [BOB], destroyed_at: AT });
  await follow();
  expect(list.all()).toEqual([EVE]);
  expect(told).toMatchObject([{ stream: STREAM, revision: 4, position: '5', isUnsigned: true }]);
});

it.each<[string, () => Promise<void>, RegExp, boolean]>([
  [
    'that nobody signed',
    () => write(STREAM, 'SUBJECT_KEYS_DESTROYED', { ...OF, kids: [EVE] }),
    /event 0 of its stream: /,
    true,
  ],
  ['of evidence that nobody signed', () => write(TRAIL, 'FORENSIC_ERASED', purged.data), /event 0 of its stream/, true],
  [
    'that nobody signed, behind an approved request',
    async () => {
      await append(STREAM, [request(), approved, begun]);
      await write(STREAM, 'SUBJECT_KEYS_DESTROYED', { ...OF, kids: [EVE] });
    },
    /event 3 of its stream: /,
    true,
  ],
  [
    'that is copied from another stream with its signature',
    async () => {
      const other = `forensic-${'b'.repeat(64)}`;
      await append(other, [kept, purged]);
      const { id, type, text } = (await store.readStream(other)).events[1]!;
      store = new MemoryEventStore();
      await store.append(TRAIL, 'none', [{ id, type, text }]);
    },
    /event 0 of its stream: it was written as another event/,
    true,
  ],
  [
    'in another stream',
    () => append('dsr-elsewhere', [request(), approved, begun, destroyed()]),
    /stream of the re/,
    false,
  ],
  ['without a request', () => append(STREAM, [destroyed()]), /begins with no request/, false],
  [
    'of an export',
    () => append(STREAM, [request({ kind: 'export' }), approved, begun, destroyed()]),
    /no request/,
    false,
  ],
  ['without an approval', () => append(STREAM, [request(), begun, destroyed()]), /no DSR_APPROVED/, false],
  ['that was never begun', () => append(STREAM, [request(), approved, destroyed()]), /no ERASURE_REQUESTED/, false],
  [
    'with keys of another person',
    () => append(STREAM, [request(), approved, begun, destroyed({ kids: [EVE, BOB] })]),
    /data keys that are not that person/,
    false,
  ],
  [
    'of another person than asked',
    () => append(STREAM, [request(), approved, begun, destroyed({ user_id: 'user_bob', kids: [BOB] })]),
    /no request to delete/,
    false,
  ],
  [
    'of evidence in another trail',
    () => append(`forensic-${'b'.repeat(64)}`, [kept, purged]),
    /trail of the ev/,
    false,
  ],
  ['of evidence that was never kept', () => append(TRAIL, [purged]), /no FORENSIC_KEPT/, false],
])('takes up no erasure %s, and tells of it once', async (_, make, reason, isUnsigned) => {
  await make();
  await follow();
  expect(listed()).toEqual([[], [], []]);
  expect(told).toMatchObject([{ isUnsigned, reason: expect.stringMatching(reason) as string }]);
});

it.each(['x', 'null', '{"metadata":null}'])(
  'passes over an erasure whose text is no event, as %s, and tells of it',
  async (text) => {
    await store.append(STREAM, 'none', [{ id: sha256Hex(text), type: 'SUBJECT_KEYS_DESTROYED', text }]);
    await follow();
    expect(listed()).toEqual([[], [], []]);
    expect(told).toMatchObject([{ stream: STREAM, revision: 0, isUnsigned: true }]);
  },
);

it('takes up nothing that a key has signed after it was retired, and all that it signed before', async () => {
  const old = fixtureKeys().find(({ purpose }) => purpose === 'event-hmac')!;
  const next = { ...old, kid: 'event-hmac.2', secret: Buffer.alloc(32, 9) };
  const others = fixtureKeys().filter(({ purpose }) => purpose !== 'event-hmac');
  const ring = new KeyRing([...others, { ...old, state: 'verify-only' }, next]);
  await append(TRAIL, [kept, purged]);
  const rotated = { purpose: 'event-hmac', kid: next.kid, previous_kid: old.kid, not_before: AT };
  await append('system-keys', [{ type: 'KEY_ROTATED', data: rotated }], ring);
  await append(STREAM, [request(), approved, begun, destroyed()]);
  await follow(ring);
  expect(listed()).toEqual([[], [{ ref: REF, dsrId: ID }], []]);
  expect(told).toMatchObject([{ stream: STREAM, reason: expect.stringContaining('was retired before it') as string }]);
});
