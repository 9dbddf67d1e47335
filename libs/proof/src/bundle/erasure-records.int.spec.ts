import { fixtureKeyRing } from '#lib/access';
import { dsrEvents } from '#lib/dsr';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, type JsonObject, sha256Hex, traceId } from '#lib/kernel';

import { erasuresOf } from './erasure-records.js';

const KID = 'user_eve.1.00000001';
const ID = `dr-${'1'.repeat(32)}`;
const STREAM = `dsr-${ID}`;
const AT = '2026-11-22T00:00:00.000Z';
const DESTROYED = {
  type: 'SUBJECT_KEYS_DESTROYED',
  data: { dsr_id: ID, user_id: 'user_eve', kids: [KID], destroyed_at: AT },
};
const ERASED = { type: 'SUBJECT_ERASED', data: { dsr_id: ID, deletion_manifest: { forensic: [] } } };
const OF_JOB: JsonObject = { text: { $enc: { alg: 'A256GCM', kid: KID, iv: 'a', ct: 'b' } } };

let store: MemoryEventStore;
let log: EventLog;
beforeEach(() => {
  store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  log = new EventLog(
    store,
    new EventCodec(new EventRegistry(dsrEvents), ring, new SubjectCiphers({} as SubjectKeyStore, ring)),
  );
  jest.spyOn(log.codec, 'isDestroyed').mockResolvedValue(true);
});

/** Whoever can write to the store, and holds no key. */
async function write(stream: string, { type, data }: { readonly type: string; readonly data: JsonObject }) {
  const expected = (await store.streamVersion(stream)) || 'none';
  const text = JSON.stringify({ data, metadata: { schema_version: 1 }, stream, type });
  await store.append(stream, expected, [{ id: sha256Hex(text), type, text }]);
}

it('names where signed events say that the keys of a job were destroyed, and no row that nobody signed', async () => {
  await write('dsr-made-up', DESTROYED);
  await write('dsr-made-up', ERASED);
  await write('dsr-no-event', { ...DESTROYED, data: null as unknown as JsonObject });
  expect(await erasuresOf(log, [OF_JOB])).toEqual([]);
  const seed = 'test:erasure';
  const by = { jobSeed: seed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(seed) };
  await log.append({ stream: STREAM, version: 0, lastHash: '0'.repeat(64) }, [DESTROYED, ERASED], by);
  expect(await erasuresOf(log, [OF_JOB])).toEqual([{ stream: STREAM, revisions: new Set([0, 1]) }]);
});
