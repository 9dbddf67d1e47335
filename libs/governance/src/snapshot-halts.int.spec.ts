import { fixtureKeyRing, type Principal, recordRotations } from '#lib/access';
import { IntegrityError, MemoryEventStore, type RecordedEvent, type SubjectKeyStore } from '#lib/event-store';
import { type JsonObject, KeyRing, type MaceError } from '#lib/kernel';

import { key } from '../../event-store/src/testing/codec-support.js';
import { MemorySubjectKeys } from '../../memory/src/testing/memory-harness.js';
import { actionRequestStream, type ActionRequested } from './domain/action-requests.events.js';
import { snapshotStream } from './domain/snapshot.js';
import { HaltClearing } from './halt-clearing.js';
import { haltReaction } from './halt-reaction.js';
import { snapshotStreamState } from './snapshot-stream.js';
import {
  ADA,
  ANNA,
  BEN,
  BOB,
  CARA,
  ctxOf,
  DAN,
  type GovernanceProcess,
  governanceProcess,
  OSCAR,
} from './testing/governance-harness.js';

const INCIDENT = { event_id: 'e'.repeat(64), trace_id: 'trace-1' };
const PROVENANCE = {
  jobSeed: 'system:test:1',
  sequenceIndex: 0,
  actor: { id: 'system', role: 'system' },
  traceId: 'trace-2',
};

let house: GovernanceProcess;
let clearing: HaltClearing;
let id: string;
const unknown: string[] = [];

beforeEach(async () => {
  await openOn(new MemoryEventStore(), new MemorySubjectKeys());
  id = (await house.snapshots.ensure('safety', { rules: [] })).snapshot_id;
});

async function openOn(store: MemoryEventStore, keys: SubjectKeyStore = house.keys): Promise<void> {
  house = await governanceProcess({ store, keys });
  clearing = new HaltClearing(house.log, house.snapshots, house.proposals);
}

/** An admin's report of a failure that names the snapshot. */
function react(event_id = INCIDENT.event_id): Promise<void> {
  const reaction = haltReaction(house.log, house.snapshots.halts, (job) => void unknown.push(job));
  const data = { stream: snapshotStream(id), revision: 0, reason: 'found by the walk' };
  return reaction.react({
    type: 'INTEGRITY_FAILURE',
    stream: 'system-integrity',
    data,
    metadata: { ...INCIDENT, event_id },
  });
}

const ask = (who: Principal) => clearing.request(ctxOf(who, { now: house.clock.now }), id);
const halted = async (): Promise<boolean> => (await house.snapshots.halts.of(id)) !== null;
const flags = async (): Promise<readonly RecordedEvent[]> =>
  (await house.store.readStream(snapshotStream(id), { from: 1 })).events;

async function decide(request: { request_id: string; proposal_digest: string }, vote: 'approve' | 'reject') {
  for (const member of [ANNA, BEN, CARA]) {
    const say = { proposal_digest: request.proposal_digest };
    await house.requests.vote(ctxOf(member), request.request_id, vote, say);
  }
  await house.reactToAll();
  return house.requests.view(request.request_id);
}

/** The same log in another store, where somebody who holds the file changed one record. */
async function elsewhere(alter: (recorded: RecordedEvent) => string | null): Promise<MemoryEventStore> {
  const copy = new MemoryEventStore();
  const versions = new Map<string, number>();
  const { events } = await house.store.readAll({ after: '0' as never, limit: 4096 });
  for (const recorded of events) {
    const { stream, type } = recorded;
    const text = alter(recorded);
    if (text === null) continue;
    const version = versions.get(stream) ?? 0;
    await copy.append(stream, version === 0 ? 'none' : version, [{ id: recorded.id, type, text }]);
    versions.set(stream, version + 1);
  }
  return copy;
}

/** The same log where the flags on the snapshot, each as it was signed, stand in another order. */
async function withFlagsAs(order: readonly number[]): Promise<MemoryEventStore> {
  const own = await flags();
  let next = 0;
  const copy = new MemoryEventStore();
  const versions = new Map<string, number>();
  for (const recorded of (await house.store.readAll({ after: '0' as never, limit: 4096 })).events) {
    const isFlag = recorded.stream === snapshotStream(id) && recorded.revision > 0;
    const { id: eventId, stream, type, text } = isFlag ? own[order[next++]!]! : recorded;
    const version = versions.get(stream) ?? 0;
    await copy.append(stream, version === 0 ? 'none' : version, [{ id: eventId, type, text }]);
    versions.set(stream, version + 1);
  }
  return copy;
}

/** The snapshot's own record with one digit of its signature changed. */
function damaged({ stream, type, text }: RecordedEvent): string {
  if (stream !== snapshotStream(id) || type !== 'SNAPSHOT_CREATED') return text;
  return text.replace(/"config_hash":"(.)/, (_, digit: string) => `"config_hash":"${digit === '0' ? '1' : '0'}`);
}

describe('a snapshot that is halted', () => {
  it('is flagged once by one cause, also where a crash came between the failure and the flag', async () => {
    await react();
    await react();
    expect((await flags()).map(({ type }) => type)).toEqual(['FORCE_HALT_REPLAY']);
    await expect(house.snapshots.halts.refuse([id])).rejects.toMatchObject({
      code: 'INTEGRITY_FAILURE',
      meta: { snapshot_id: id, cause_event_id: INCIDENT.event_id, cause_type: 'INTEGRITY_FAILURE' },
    });
  });

  it('keeps no other failure waiting where a flag on it is not what was signed; jobs on it are refused all the same', async () => {
    await react();
    const flag = (one: RecordedEvent): string => one.text.replace('"system-integrity"', '"system-security"');
    await openOn(await elsewhere((one) => (one.type === 'FORCE_HALT_REPLAY' ? flag(one) : one.text)));
    await react('f'.repeat(64));
    expect(unknown).toEqual([id]);
    await expect(house.snapshots.halts.refuse([id])).rejects.toBeInstanceOf(IntegrityError);
    await expect(ask(ADA)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('is cleared by the council after an admin verified it, with who did both on record', async () => {
    await react();
    const halt = await house.snapshots.halts.of(id);
    const request = await ask(ADA);
    expect(request).toMatchObject({
      kind: 'force_halt_clear',
      status: 'pending',
      required_approval_type: 'council_quorum',
      requested_by: ADA.id,
      payload: { action: 'force_halt_clear', snapshot_id: id, halt_event_id: halt!.halt_event_id },
    });
    expect(await halted()).toBe(true);
    expect(await decide(request, 'approve')).toMatchObject({ status: 'executed' });
    expect(await halted()).toBe(false);
    const recorded = (await flags()).at(-1)!;
    expect(house.log.codec.decode(recorded)).toMatchObject({
      type: 'FORCE_HALT_CLEAR',
      data: {
        snapshot_id: id,
        halt_event_id: halt!.halt_event_id,
        action_request_id: request.request_id,
        verified_by: ADA.id,
        approvals: [ANNA.id, BEN.id, CARA.id],
      },
    });
    // Carried out again after a crash: nothing twice.
    await house.reactToAll();
    expect(await flags()).toHaveLength(2);
    await expect(ask(ADA)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is not cleared by an approval that is not the council’s, however that came to be', async () => {
    await react();
    const request = await ask(ADA);
    await decide(request, 'reject');
    const { events } = await house.log.load(actionRequestStream(request.request_id), { personal: 'plain' });
    const requested = events[0]!.data as unknown as ActionRequested;
    const approval = { ...requested, approval_type: 'emergency', approved_by: [BOB.id], decided_at: '' } as const;
    const order = { requestId: request.request_id, action: requested.action, payload: requested.payload };
    const carryOut = house.executors
      .executorOf('force_halt_clear')!
      .execute({ ...order, requested, approval, now: house.clock.now, provenance: () => PROVENANCE });
    await expect(carryOut).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await halted()).toBe(true);
  });

  it('gets one request, however many admins ask at the same time', async () => {
    await react();
    const asked = await Promise.all([ask(ADA), ask(BOB), ask(ADA)]);
    expect(new Set(asked.map(({ request_id }) => request_id)).size).toBe(1);
    expect((await ask(BOB)).request_id).toBe(asked[0].request_id);
  });

  it('gets another request after the council refused one', async () => {
    await react();
    const first = await ask(ADA);
    expect(await decide(first, 'reject')).toMatchObject({ status: 'rejected' });
    const second = await ask(ADA);
    expect(second.request_id).not.toBe(first.request_id);
    expect(await decide(second, 'approve')).toMatchObject({ status: 'executed' });
    expect(await halted()).toBe(false);
  });

  it('is halted again by a later failure, and what the council agreed on before does not clear that one', async () => {
    await react();
    const request = await ask(ADA);
    expect(await decide(request, 'approve')).toMatchObject({ status: 'executed' });
    await react('f'.repeat(64));
    expect(await halted()).toBe(true);
    const next = await ask(BOB);
    expect(next.request_id).not.toBe(request.request_id);
    const another = { snapshot_id: id, cause_type: 'SECURITY_INCIDENT', cause_stream: 'system-security' } as const;
    await house.snapshots.halts.haltBecause({ ...another, cause_event_id: 'd'.repeat(64) }, PROVENANCE);
    expect(await decide(next, 'approve')).toMatchObject({
      execution: { error_code: 'CONFLICT', reason: expect.stringContaining('another halt') as unknown },
    });
    expect(await halted()).toBe(true);
  });

  it('is not cleared by a clearing of before that somebody moved behind it', async () => {
    await react();
    await decide(await ask(ADA), 'approve');
    await react('f'.repeat(64));
    expect((await flags()).map(({ type }) => type)).toEqual([
      'FORCE_HALT_REPLAY',
      'FORCE_HALT_CLEAR',
      'FORCE_HALT_REPLAY',
    ]);
    await openOn(await withFlagsAs([0, 2, 1]));
    await expect(halted()).rejects.toMatchObject({ stream: snapshotStream(id), revision: 2 });
    await expect(house.snapshots.halts.refuse([id])).rejects.toBeInstanceOf(IntegrityError);
  });

  it('is no operator’s to clear, and nobody’s where it is not halted or not there', async () => {
    await expect(ask(ADA)).rejects.toMatchObject({ code: 'CONFLICT' });
    await react();
    const payload = { action: 'force_halt_clear', snapshot_id: id };
    await expect(house.propose(OSCAR, { payload, justification: 'please' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    await expect(house.propose(DAN, { payload, justification: 'please' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    for (const other of ['0'.repeat(64), '../events', '']) {
      await expect(clearing.request(ctxOf(ADA), other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('a damaged snapshot', () => {
  const fault = () => ({ snapshot_id: id, stream: snapshotStream(id), revision: 0, reason: 'seen' });

  it('is not cleared, before the request and after an approval, and says what is wrong', async () => {
    await react();
    const request = await ask(ADA);
    const say = { proposal_digest: request.proposal_digest };
    for (const member of [ANNA, BEN, CARA])
      await house.requests.vote(ctxOf(member), request.request_id, 'approve', say);
    await openOn(await elsewhere(damaged));
    await house.reactToAll();
    expect(await house.requests.view(request.request_id)).toMatchObject({
      execution: { error_code: 'INTEGRITY_FAILURE', reason: expect.stringContaining('revision 0') as unknown },
    });
    expect(await halted()).toBe(true);
    const refusal = await ask(BOB).catch((error: unknown) => error as MaceError);
    expect(refusal).toMatchObject({ code: 'INTEGRITY_FAILURE', status: 409, meta: { snapshot_id: id } });
    expect((refusal as MaceError).developerMessage).toContain('revision 0');
  });

  it('takes its flag behind the damaged bytes, and is cleared once its own bytes are back', async () => {
    const sound = (await house.store.readStream(snapshotStream(id))).events[0]!.text;
    await openOn(await elsewhere(damaged));
    await house.snapshots.halts.halt(fault());
    expect(await state()).toMatchObject({ damage: { revision: 0 }, tampering: null, detached: false });
    await openOn(await elsewhere((one) => (one.text === damagedText ? sound : one.text)));
    expect(await state()).toMatchObject({ damage: null, tampering: null, detached: true, halt: { snapshot_id: id } });
    expect(await decide(await ask(ADA), 'approve')).toMatchObject({ status: 'executed' });
    expect(await halted()).toBe(false);
    expect(await house.snapshots.halts.halt(fault())).toMatchObject({ snapshot_id: id });
    expect(await state()).toMatchObject({ damage: null, tampering: null, detached: true });
  });

  it('behind which nobody can put a flag, because somebody else put one there, is refused all the same', async () => {
    await openOn(await elsewhere(damaged));
    await house.store.append(snapshotStream(id), 1, [{ id: 'e'.repeat(64), type: 'FORCE_HALT_CLEAR', text: '{}' }]);
    expect(await house.snapshots.halts.halt(fault())).toBeNull();
    await expect(house.snapshots.loadOrHalt(id)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    await expect(house.snapshots.halts.refuse([id])).rejects.toMatchObject({ stream: snapshotStream(id), revision: 1 });
  });

  let damagedText: string;
  async function state() {
    const stored = await house.snapshots.stateOf(id);
    if (stored.damage) damagedText = (await house.store.readStream(snapshotStream(id))).events[0]!.text;
    return stored;
  }
});

describe('a halt that a process cleared which still signed with the key of before', () => {
  it('stands, and the council is asked anew, whose word then lifts it', async () => {
    await react();
    const asked = await ask(ADA);
    const old = fixtureKeyRing()
      .all()
      .map((one) => (one.purpose === 'event-hmac' ? { ...one, state: 'verify-only' as const } : one));
    const ring = new KeyRing([...old, key('event-hmac', 'new', 7)]);
    const heir = await governanceProcess({ store: house.store, keys: house.keys, ring });
    expect(await recordRotations(heir.log, ring)).toBe(1);
    expect(await decide(asked, 'approve')).toMatchObject({ status: 'executed' });
    expect(await heir.snapshots.halts.of(id)).not.toBeNull();
    [house, clearing] = [heir, new HaltClearing(heir.log, heir.snapshots, heir.proposals)];
    const again = await ask(BOB);
    expect(again.request_id).not.toBe(asked.request_id);
    expect(await ask(ADA)).toMatchObject({ request_id: again.request_id });
    expect(await decide(again, 'approve')).toMatchObject({ status: 'executed' });
    expect(await halted()).toBe(false);
    await heir.snapshots.halts.refuse([id]);
  });
});

describe('a walk over a snapshot’s stream', () => {
  const stateIn = async (alter: (recorded: RecordedEvent) => string | null) => {
    const { events } = await (await elsewhere(alter)).readStream(snapshotStream(id));
    return snapshotStreamState(house.log.codec, events, (first) => house.snapshots.faultOf(id, first));
  };
  const ofFlag = (nth: number, change: (text: string) => string | null) => (recorded: RecordedEvent) =>
    recorded.stream === snapshotStream(id) && recorded.revision === nth ? change(recorded.text) : recorded.text;

  beforeEach(() => react());

  it('finds nothing in a sound one, halted or cleared', async () => {
    const kept = (recorded: RecordedEvent): string => recorded.text;
    expect(await stateIn(kept)).toMatchObject({ damage: null, tampering: null, halt: { snapshot_id: id } });
    await decide(await ask(ADA), 'approve');
    expect(await stateIn(kept)).toEqual({ damage: null, tampering: null, halt: null, detached: false });
  });

  it('calls damage of the snapshot what it is where a flag was put on before it', async () => {
    expect(await stateIn(damaged)).toMatchObject({
      damage: { revision: 0 },
      tampering: null,
      halt: { snapshot_id: id },
    });
  });

  it.each([
    ['a changed flag', (text: string) => text.replace('INTEGRITY_FAILURE', 'SECURITY_INCIDENT'), 1],
    ['a flag that is no event', () => '{}', 1],
  ])('calls %s tampering', async (_, change, revision) => {
    expect(await stateIn(ofFlag(1, change))).toMatchObject({ tampering: { revision } });
  });

  it('calls a flag that was taken out between two others tampering', async () => {
    await decide(await ask(ADA), 'approve');
    await react('f'.repeat(64));
    expect(await stateIn(ofFlag(2, () => null))).toMatchObject({
      tampering: { reason: expect.stringContaining('prev_hash') as unknown },
    });
  });

  it('calls a first flag on other bytes than are stored tampering, unless it tells of damage', async () => {
    await decide(await ask(ADA), 'approve');
    expect(await stateIn(ofFlag(1, () => null))).toMatchObject({
      damage: null,
      tampering: { reason: expect.stringContaining('prev_hash') as unknown },
    });
  });
});

describe('a policy whose snapshot in force is damaged', () => {
  const FILE = { min_score: 0.2 };
  let inForce: string;

  /** A process that starts on the damaged log; `file` is what config/router.json says by now. */
  async function restarted(file: JsonObject | null): Promise<void> {
    id = inForce = (await house.policies.current('router')).snapshot_id;
    await openOn(await elsewhere(damaged));
    Object.assign(house.policies.forms, { file: (name: string) => (name === 'router' ? file : null) });
  }
  const change = async (body: JsonObject) => {
    const payload = { action: 'policy_change', policy: 'router', change: body };
    return house.propose(ADA, { payload, justification: 'needed' });
  };

  it('is read from its file where the id follows from what that says; no job begins on it', async () => {
    await restarted(FILE);
    expect(await house.policies.adopt('router', FILE, house.clock.now)).toBeNull();
    expect(await house.policies.current('router')).toMatchObject({ snapshot_id: inForce, body: FILE });
    expect(await house.policies.standing('router')).toMatchObject({ snapshot_id: inForce, body: FILE });
    await expect(house.snapshots.halts.refuse([inForce])).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('is read from the one before it and what the council changed, whatever its file says', async () => {
    const changed = await decide(await change({ min_score: 0.15, added: { deep: [1, 2] } }), 'approve');
    expect(changed).toMatchObject({ status: 'executed' });
    await restarted(FILE);
    const body = { min_score: 0.15, added: { deep: [1, 2] } };
    expect(await house.policies.current('router')).toMatchObject({ snapshot_id: inForce, body });
  });

  it('is replaced by the council: a fresh snapshot that is not halted, while the damaged one is', async () => {
    await restarted(FILE);
    expect(await decide(await change({ min_score: 0.1 }), 'approve')).toMatchObject({ status: 'executed' });
    const fresh = await house.policies.current('router');
    expect(fresh.snapshot_id).not.toBe(inForce);
    await expect(house.snapshots.halts.refuse([fresh.snapshot_id])).resolves.toBeUndefined();
    expect(await house.snapshots.halts.of(inForce)).not.toBeNull();
  });

  it('is read by the same proof where its snapshot is gone; no job begins on that either', async () => {
    id = inForce = (await house.policies.current('router')).snapshot_id;
    await openOn(await elsewhere(({ stream, text }) => (stream === snapshotStream(inForce) ? null : text)));
    Object.assign(house.policies.forms, { file: () => FILE });
    expect(await house.policies.standing('router')).toMatchObject({ snapshot_id: inForce, body: FILE });
    await expect(house.snapshots.halts.refuse([inForce])).rejects.toMatchObject({ code: 'MISSING_SNAPSHOT' });
  });

  it('is decided on by nobody where nothing proves what it said, and something stands in to be looked at', async () => {
    await restarted({ min_score: 0.9 });
    const refused = { code: 'INTEGRITY_FAILURE', meta: { snapshot_id: inForce, policy: 'router' } };
    await expect(house.policies.current('router')).rejects.toMatchObject(refused);
    await expect(change({ min_score: 0.4 })).rejects.toMatchObject(refused);
    expect(await house.policies.standing('router')).toMatchObject({ snapshot_id: inForce, body: { min_score: 0.9 } });
    await expect(house.snapshots.halts.refuse([inForce])).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('is replaced by a file that changed since: a fresh snapshot on which jobs begin', async () => {
    await restarted({ min_score: 0.9 });
    const adopted = await house.policies.adopt('router', { min_score: 0.9 }, house.clock.now);
    expect(adopted).toMatchObject({ from_snapshot_id: inForce, cause: 'file' });
    const fresh = await house.policies.current('router');
    await expect(house.snapshots.halts.refuse([fresh.snapshot_id])).resolves.toBeUndefined();
  });
});
