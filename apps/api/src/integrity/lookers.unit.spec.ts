import { fixtureKeyRing } from '#lib/access';
import { dsrEvents } from '#lib/dsr';
import {
  type ArtifactStore,
  EventCodec,
  EventLog,
  MemoryEventStore,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import type { Snapshots } from '#lib/governance';
import { EventRegistry, type JsonObject, sha256Hex, traceId } from '#lib/kernel';

import { lookersOn } from './lookers.js';

const REF = 'a'.repeat(64);
const MANIFEST: JsonObject = { forensic: [{ evidence_ref: REF, fate: 'purged' }] };
const ERASED = { type: 'SUBJECT_ERASED', data: { dsr_id: 'dr-1', deletion_manifest: MANIFEST } };
const KEPT = { name: REF, stream: `forensic-${REF}`, revision: 0, position: '1', type: 'FORENSIC_KEPT' };

it('takes evidence for erased by the manifest that the server signed, and by no row that nobody signed', async () => {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const keys = {} as SubjectKeyStore;
  const log = new EventLog(store, new EventCodec(new EventRegistry(dsrEvents), ring, new SubjectCiphers(keys, ring)));
  const { mayBeGone } = lookersOn(log, {} as Snapshots, {} as ArtifactStore, keys);
  const text = JSON.stringify({
    data: ERASED.data,
    metadata: { schema_version: 1 },
    stream: 'dsr-x',
    type: ERASED.type,
  });
  await store.append('dsr-x', 'none', [{ id: sha256Hex(text), type: ERASED.type, text }]);
  expect(await mayBeGone(KEPT)).toBe(false);
  const seed = 'test:manifest';
  const by = { jobSeed: seed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(seed) };
  await log.append({ stream: 'dsr-dr-1', version: 0, lastHash: '0'.repeat(64) }, [ERASED], by);
  expect(await mayBeGone(KEPT)).toBe(true);
});
