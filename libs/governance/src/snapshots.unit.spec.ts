import { createHash, createHmac } from 'node:crypto';

import fc from 'fast-check';

import { accessEvents, fixtureKeyRing, recordRotations } from '#lib/access';
import { emptyHead, EventCodec, EventLog, IntegrityError, positionOf, SubjectCiphers } from '#lib/event-store';
import {
  canonicalize,
  EventRegistry,
  KeyRing,
  systemSeed,
  traceId,
  type JsonObject,
  type Provenance,
} from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { key } from '../../event-store/src/testing/codec-support.js';
import {
  makeSnapshot,
  type Snapshot,
  snapshotCreated,
  snapshotEvents,
  snapshotFault,
  snapshotStream,
} from './domain/snapshot.js';
import { snapshotHaltEvents } from './domain/snapshot-halt.js';
import { Snapshots } from './snapshots.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const SECRET = fixtureKeyRing().active('snapshot-hmac').secret;
const hmac = (text: string): string => createHmac('sha256', SECRET).update(text, 'utf8').digest('hex');
const sign = (text: string) => ({ kid: 'k', signature: hmac(text) });
const verify = (text: string, kid: string, signature: string): boolean => kid === 'k' && signature === hmac(text);
const BODY = { min_score: 0.2, top_n: 10 };
const soundOf = (ring: KeyRing): Snapshot =>
  makeSnapshot('router', BODY, (text) => {
    const { kid, secret } = ring.active('snapshot-hmac');
    return { kid, signature: createHmac('sha256', secret).update(text).digest('hex') };
  });

describe('a snapshot', () => {
  it('has the id that follows from the hash of its body, its schema version and its kind', () => {
    const config_hash = sha256('{"min_score":0.2,"top_n":10}');
    const snapshot = makeSnapshot('router', BODY, sign);
    expect(snapshot).toMatchObject({
      config_hash,
      snapshot_id: sha256(`${config_hash}:1:router`),
      seed_namespace: 'router',
      schema_version: 1,
      generator: 'sha256(config_hash:schema_version:seed_namespace)',
    });
    expect(makeSnapshot('safety', BODY, sign).snapshot_id).not.toBe(snapshot.snapshot_id);
  });

  it('is signed over everything but its kid and signature', () => {
    const { kid: _, signature, ...unsigned } = makeSnapshot('router', BODY, sign);
    expect(signature).toBe(hmac(canonicalize(unsigned)));
  });

  it('has one id for one body, in whatever order its fields were written', () => {
    const bodies = fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string(), fc.boolean()), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(bodies, (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(makeSnapshot('router', reversed, sign)).toEqual(makeSnapshot('router', body, sign));
        expect(snapshotFault(makeSnapshot('router', body, sign), verify)).toBeNull();
      }),
    );
  });

  it.each<[string, Partial<Record<keyof Snapshot, unknown>>, string]>([
    ['its body', { body: { min_score: 0.9, top_n: 10 } }, 'its body is not what its hash names'],
    ['its hash', { config_hash: '0'.repeat(64) }, 'its body is not what its hash names'],
    ['its id', { snapshot_id: '0'.repeat(64) }, 'its id does not follow from its body'],
    ['its namespace', { seed_namespace: 'safety' }, 'its id does not follow from its body'],
    ['its schema version', { schema_version: 2 }, 'its id does not follow from its body'],
    ['its kind', { kind: 'safety' }, 'its signature does not verify'],
    ['its generator', { generator: 'random' }, 'its signature does not verify'],
    ['its signature', { signature: '0'.repeat(64) }, 'its signature does not verify'],
    ['its key', { kid: 'other' }, 'its signature does not verify'],
  ])('of which %s was changed is found out', (_, change, fault) => {
    expect(snapshotFault({ ...makeSnapshot('router', BODY, sign), ...change } as Snapshot, verify)).toBe(fault);
  });
});

describe('kept snapshots', () => {
  it('are written once for one body, whoever asks how often', async () => {
    const { snapshots, store, ring } = house();
    const other = house(store, ring).snapshots;
    const [first, second, third] = await Promise.all(
      [snapshots, snapshots, other].map((one) => one.ensure('router', BODY)),
    );
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(await store.streamVersion(snapshotStream(first!.snapshot_id))).toBe(1);
    expect(await other.load(first!.snapshot_id)).toEqual(first);
  });

  it('that are not there are missing, not empty', async () => {
    const { snapshots } = house();
    await expect(snapshots.load('nope')).rejects.toMatchObject({
      code: 'MISSING_SNAPSHOT',
      meta: { snapshot_id: 'nope' },
    });
    expect(await snapshots.loadFresh('nope')).toBeNull();
  });

  it.each<[string, (snapshot: Snapshot) => JsonObject, string]>([
    ['whose body was changed', (s) => ({ ...s, body: { min_score: 1 } }), 'its body is not what its hash names'],
    ['signed by nobody', (s) => ({ ...s, signature: '0'.repeat(64) }), 'its signature does not verify'],
  ])('%s and stored with a sound event are an integrity failure', async (_, change, reason) => {
    const { snapshots, log, ring } = house();
    const sound = soundOf(ring);
    const seed = systemSeed('test', 'x');
    const event = { ...snapshotCreated(sound), data: change(sound) };
    const by = { jobSeed: seed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(seed) };
    await log.append(emptyHead(snapshotStream(sound.snapshot_id)), [event], by);
    await expect(snapshots.loadFresh(sound.snapshot_id)).rejects.toMatchObject({ name: 'IntegrityError', reason });
  });

  it.each<[string, Partial<Provenance>]>([
    ['actor', { actor: { id: 'user_eve', role: 'admin' } }],
    ['actor', { actor: { id: 'system', role: 'admin' } }],
    ['job_seed', { jobSeed: systemSeed('policies', 'x') }],
    ['sequence_index', { sequenceIndex: 1 }],
    ['trace_id', { traceId: 'trace-0000000000000000' }],
    ['$causationId', { causationId: 'f'.repeat(64) }],
    ['job_id', { jobId: 'job:1' }],
    ['request_digest', { requestDigest: '0'.repeat(64) }],
  ])('of which the %s is not that of any snapshot are an integrity failure: %j', async (name, change) => {
    const { snapshots, log, ring } = house();
    const sound = soundOf(ring);
    const jobSeed = systemSeed('snapshots', 'x');
    const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
    await log.append(emptyHead(snapshotStream(sound.snapshot_id)), [snapshotCreated(sound)], { ...by, ...change });
    const reason = `its ${name} is not that of a snapshot`;
    await expect(snapshots.loadFresh(sound.snapshot_id)).rejects.toMatchObject({ name: 'IntegrityError', reason });
  });

  it('are no snapshots of what stands before them', async () => {
    const { snapshots, store } = house();
    const { snapshot_id } = await snapshots.ensure('router', BODY);
    const reason = 'it was stored after what stands on it';
    await expect(snapshots.loadFresh(snapshot_id, positionOf(1))).rejects.toMatchObject({ reason });
    expect(await snapshots.loadFresh(snapshot_id, positionOf(2))).toMatchObject({ body: BODY });
    expect(await store.head()).toBe(positionOf(1));
  });

  it('under another’s id are an integrity failure', async () => {
    const { snapshots, log } = house();
    const known = await snapshots.ensure('router', BODY);
    const seed = systemSeed('test', 'y');
    const by = { jobSeed: seed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(seed) };
    await log.append(emptyHead(snapshotStream('elsewhere')), [snapshotCreated(known)], by);
    await expect(snapshots.loadFresh('elsewhere')).rejects.toThrow(IntegrityError);
  });

  it('that were changed or removed since they were verified are found out at the next fresh reading', async () => {
    const { snapshots, store } = house();
    const known = await snapshots.ensure('router', BODY);
    expect(await snapshots.loadFresh(known.snapshot_id)).toEqual(known);
    const [stored] = (await store.readStream(snapshotStream(known.snapshot_id))).events;
    const reading = jest.spyOn(store, 'readStream');
    for (const change of [{ text: stored!.text.replace('0.2', '0.3') }, { id: '0'.repeat(64) }, { type: 'OTHER' }]) {
      reading.mockResolvedValueOnce({ events: [{ ...stored!, ...change }], version: 1 });
      await expect(snapshots.loadFresh(known.snapshot_id)).rejects.toThrow(IntegrityError);
    }
    reading.mockResolvedValueOnce({ events: [], version: 0 });
    expect(await snapshots.loadFresh(known.snapshot_id)).toBeNull();
    expect(await snapshots.loadFresh(known.snapshot_id)).toEqual(known);
  });

  it('are verified by the key that signed them after it was retired, and not once it is revoked', async () => {
    const { snapshots, store, ring } = house();
    const { snapshot_id } = await snapshots.ensure('router', BODY);
    const withSigner = (state: 'verify-only' | 'revoked') => {
      const others = ring.all().map((one) => (one.purpose === 'snapshot-hmac' ? { ...one, state } : one));
      return house(store, new KeyRing([...others, key('snapshot-hmac', 'new', 7)])).snapshots;
    };
    expect(await withSigner('verify-only').loadFresh(snapshot_id)).toMatchObject({ body: BODY });
    expect(await withSigner('verify-only').ensure('router', BODY)).toMatchObject({ snapshot_id });
    await expect(withSigner('revoked').loadFresh(snapshot_id)).rejects.toThrow(IntegrityError);
  });
});

describe('a halt', () => {
  const BY = { actor: { id: 'system', role: 'system' }, traceId: 'trace-1', sequenceIndex: 0 };
  const CAUSE = { cause_event_id: 'e1', cause_type: 'SECURITY_INCIDENT', cause_stream: 'system-security' } as const;
  const verifyOnly = (ring: KeyRing) =>
    ring.all().map((one) => (one.purpose === 'event-hmac' ? { ...one, state: 'verify-only' as const } : one));

  it('that a process puts on which still signs with the key of before stands, and is cleared as any other', async () => {
    const { snapshots, store, ring } = house();
    const { snapshot_id } = await snapshots.ensure('router', BODY);
    const heir = house(store, new KeyRing([...verifyOnly(ring), key('event-hmac', 'new', 7)]));
    expect(await recordRotations(heir.log, heir.ring)).toBe(1);
    await snapshots.halts.haltBecause({ snapshot_id, ...CAUSE }, { jobSeed: systemSeed('test', 'halt'), ...BY });
    await expect(heir.snapshots.halts.refuse([snapshot_id])).rejects.toThrow('is halted');
    const { halt_event_id } = (await heir.snapshots.halts.of(snapshot_id))!;
    const agreed = { snapshot_id, halt_event_id, action_request_id: 'ar-1', verified_by: 'user_ada', approvals: [] };
    await heir.snapshots.halts.clear(agreed, { jobSeed: systemSeed('test', 'clear'), ...BY });
    expect(await heir.snapshots.halts.of(snapshot_id)).toBeNull();
    await heir.snapshots.halts.refuse([snapshot_id]);
  });

  it('is not cleared by whoever holds a key that was retired before', async () => {
    const { snapshots, store, ring } = house();
    const { snapshot_id } = await snapshots.ensure('router', BODY);
    const heir = house(store, new KeyRing([...verifyOnly(ring), key('event-hmac', 'new', 7)]));
    await snapshots.halts.haltBecause({ snapshot_id, ...CAUSE }, { jobSeed: systemSeed('test', 'halt'), ...BY });
    expect(await recordRotations(heir.log, heir.ring)).toBe(1);
    const { halt_event_id } = (await heir.snapshots.halts.of(snapshot_id))!;
    const agreed = { snapshot_id, halt_event_id, action_request_id: 'ar-1', verified_by: 'user_ada', approvals: [] };
    await snapshots.halts.clear(agreed, { jobSeed: systemSeed('test', 'clear'), ...BY });
    expect(await heir.snapshots.halts.of(snapshot_id)).toMatchObject({ halt_event_id });
    expect(await heir.snapshots.stateOf(snapshot_id)).toMatchObject({ tampering: null, halt: { halt_event_id } });
    await expect(heir.snapshots.halts.refuse([snapshot_id])).rejects.toThrow('is halted');
    // Nor does it keep the council from clearing it.
    await heir.snapshots.halts.clear(agreed, { jobSeed: systemSeed('test', 'clear anew'), ...BY });
    expect(await heir.snapshots.stateOf(snapshot_id)).toMatchObject({ tampering: null, halt: null });
    await heir.snapshots.halts.refuse([snapshot_id]);
  });
});

function house(store = new MemoryEventStore(), ring = fixtureKeyRing()) {
  const codec = new EventCodec(
    new EventRegistry([...snapshotEvents, ...snapshotHaltEvents, ...accessEvents]),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
  const log = new EventLog(store, codec);
  return { store, ring, log, snapshots: new Snapshots(log, ring) };
}
