import { join } from 'node:path';

import { keyFileIn, readKeyFile, rotateKey } from '#lib/access';
import { emptyHead, EventCodec, EventLog, START } from '#lib/event-store';
import { countEvents, type Fault, Verifications, type VerificationView, WalkFile, walkOf } from '#lib/integrity';
import { KeyRing, MaceError, systemSeed, traceId } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { placeOf } from '../../../../test/fixtures/eventstore-wire/wire-log.js';
import { describeEmbedded, EVENTS_FILE, ON_SERVER } from '../../../../test/support/event-store-for-tests.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { remove, resign, rewriteTexts } from '../../../../test/support/resigning.js';
import { tamper } from '../../../../test/support/tampering.js';

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

let app: JobApp;
let ann: Caller;
let tuff: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  await callers();
});

afterAll(() => app.dispose({ tampered }));

describe('a log that is what was signed', () => {
  it('is found sound, with what was looked at, by one thread and by two alike', async () => {
    await tuff.ask('6*7');
    await tuff.ask('Remember that my favorite color is red');
    const one = await verified({});
    expect(one.reason).toBe(null);
    expect(one).toMatchObject({
      state: 'done',
      stream: null,
      sound: true,
      faults: 0,
      found: [],
      requested_by: 'user_ann',
    });
    expect(one.counts).toMatchObject({ jobs: 2, sealed_jobs: 2, unchecked_references: 0, erased_references: 0 });
    expect(one.counts.events).toBe(Number(one.position));
    expect(one.counts.references).toBeGreaterThan(0);
    expect(one.counts.snapshots).toBeGreaterThan(5);
    const [summary] = await app.stream('system-integrity');
    expect(summary).toMatchObject({ type: 'INTEGRITY_CHECK_SUMMARY', data: { digest: one.digest, sound: true } });
    expect(summary!.metadata.event_id).toBe(one.summary_event_id);
    const two = await verified({ workers: 2 });
    expect(two).toMatchObject({ state: 'done', sound: true, found: [], counts: { unchecked_references: 0 } });
    expect(two.counts.references).toBeGreaterThanOrEqual(one.counts.references);
    expect(two.verification_id).not.toBe(one.verification_id);
  });

  it('one stream of it is checked by itself, and a stream that is not there is NOT_FOUND', async () => {
    const { body } = await tuff.ask('6*8');
    const view = await verified({ stream: `job-${body.job_id}` });
    expect(view).toMatchObject({ sound: true, stream: `job-${body.job_id}`, digest: null, processed: 13, total: 13 });
    expect(view.counts).toMatchObject({ events: 13, streams: 1, sealed_jobs: 1, leaves: 13 });
    const missing = await ann.send('POST', '/integrity/verify', { stream: 'job-none' });
    expect(missing).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
  });

  it('checks are listed newest first in pages, and the same request again is the same check', async () => {
    const key = { 'idempotency-key': 'again' };
    const first = await verified({}, key);
    const again = await ann.send<VerificationView>('POST', '/integrity/verify', {}, key);
    expect(again.body).toMatchObject({ verification_id: first.verification_id, state: 'done' });
    const page = await ann.get<Page<VerificationView>>('/integrity/verifications?limit=2');
    expect(page.body.items).toHaveLength(2);
    expect(page.body.items[0]!.verification_id).toBe(first.verification_id);
    const rest = await ann.get<Page<VerificationView>>(`/integrity/verifications?cursor=${page.body.next_cursor}`);
    expect(rest.body.items.map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('nobody below an auditor has it checked', async () => {
    expect((await tuff.send('POST', '/integrity/verify', {})).status).toBe(403);
    expect((await ann.get('/integrity/verifications/iv-none')).status).toBe(404);
  });
});

describe('a check that was broken off with its process', () => {
  it('is gone on with by the next server, in the name of whoever asked, unless somebody else wrote what it left', async () => {
    const house = await JobApp.open();
    const { ring } = house.parts.platform;
    const leave = (id: string, by: KeyRing) => async (): Promise<void> => {
      const place = new WalkFile(house.folder, by);
      place.begin();
      place.checkpoint(walkOf(id, 'user_zoe', '2026-01-05T10:00:00.000Z', 1000, 5_000_000), []);
      place.close();
    };
    const zoe = await house.caller('zoe', ['auditor']);
    const key = { kid: 'e9', purpose: 'event-hmac', state: 'active', secret: Buffer.alloc(32, 9) } as const;
    const stranger = new KeyRing([{ ...key, notBefore: '2025-01-01T00:00:00.000Z' }]);
    await house.whileClosed(leave('iv-forged', stranger));
    await house.parts.app.nest.get(Verifications, { strict: false }).goOn();
    expect((await zoe.get('/integrity/verifications/iv-forged')).status).toBe(404);
    await house.whileClosed(leave('iv-left', ring));
    const path = '/integrity/verifications/iv-left';
    expect((await zoe.get<VerificationView>(path)).body).toMatchObject({ state: 'interrupted' });
    await house.parts.app.nest.get(Verifications, { strict: false }).goOn();
    const ended = await eventually(async () => {
      const { body } = await zoe.get<VerificationView>(path);
      return body.state === 'running' ? null : body;
    });
    expect(ended).toMatchObject({ state: 'done', sound: true, requested_by: 'user_zoe', processed: 1000 });
    await house.parts.app.nest.get(Verifications, { strict: false }).goOn();
    const { items } = (await zoe.get<Page<VerificationView>>('/integrity/verifications')).body;
    expect(items.map(({ state }) => state)).toEqual(['done']);
    await house.dispose();
  });
});

describe('a job whose log was changed', () => {
  let job: string;
  let log: string;

  it('is found, located, recorded once however often it is found, quarantined and alerted', async () => {
    const { body } = await tuff.ask('7*8');
    [job, log] = [`job-${body.job_id}`, body.log_id];
    tampered.push(body.job_id);
    await app.whileClosed(() => tamper(app.folder, job, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'));
    await callers();
    const fault = { detector: 'signature', stream: job, revision: 11, reason: 'its signature does not verify' };
    const other = { detector: 'proof', stream: null, revision: null, position: null };
    expect(await verified({})).toMatchObject({ state: 'done', sound: false, faults: 2, found: [fault, other] });
    expect(await verified({})).toMatchObject({ sound: false, faults: 2, found: [fault, other] });
    expect((await recorded()).map(({ detector }) => detector)).toEqual(['signature', 'proof']);
    expect((await recorded())[0]).toMatchObject(fault);
    expect((await app.stream(`amendment-${log}`)).map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    expect(await tuff.get(`/reflective-logs/${log}`)).toMatchObject({ body: { error_code: 'LOG_INVALID' } });
  });

  it('the alert names both records of it in one incident', async () => {
    const [failure] = (await app.stream('system-integrity')).filter(({ type }) => type === 'INTEGRITY_FAILURE');
    const olga = await app.caller('olga', ['operator']);
    const incident = await eventually(async () => {
      const { body } =
        await olga.get<Page<{ cause: { event_id: string }; severity: string; links: unknown[] }>>('/incidents');
      const found = body.items.find(({ cause }) => cause.event_id === failure!.metadata.event_id);
      return found && found.links.length > 0 ? found : null;
    });
    expect(incident).toMatchObject({ severity: 'critical', links: [{ stream: `amendment-${log}` }] });
  });
});

describe('a job that was signed again with the keys', () => {
  it('is found by a walk of its stream alone, from the first event that is another than was signed', async () => {
    const house = await JobApp.open();
    const { body } = await (await house.caller('tuff')).ask('7*8');
    const other = await (await house.caller('tuff')).ask('7*9');
    const stream = `job-${body.job_id}`;
    // Signed as it was: what is changed before a checkpoint covers it is never seen as it was.
    await verified({ stream }, {}, house);
    await resign(house, stream, 'ROUTER_DECISION', { depth: 2 });
    const found = await verified({ stream }, {}, house);
    const [changed] = (await house.parts.platform.eventStore.readStream(stream, { from: 3, limit: 1 })).events;
    expect(found).toMatchObject({ sound: false, faults: 1, counts: { events: 13, leaves: 13 } });
    expect(found.found).toEqual([
      {
        detector: 'proof',
        stream,
        revision: 3,
        position: changed!.position,
        reason: expect.stringMatching(
          /^10 events from it on are not what the checkpoint over \d+ events was signed over$/,
        ),
      },
    ]);
    const log = `amendment-${body.log_id}`;
    expect((await house.stream(log)).map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    expect(await verified({ stream: `job-${other.body.job_id}` }, {}, house)).toMatchObject({ sound: true });
    await house.dispose({ tampered: [body.job_id] });
  });
});

describe('jobs that were signed again with the keys', () => {
  it('are found by a walk of the whole log event by event, and quarantined; again after they were as they had been', async () => {
    const house = await JobApp.open();
    const admin = await house.caller('root', ['admin']);
    const asked = [await (await house.caller('tuff')).ask('7*8'), await (await house.caller('tuff')).ask('7*9')];
    const streams = asked.map(({ body }) => `job-${body.job_id}`);
    expect(await verifiedBy(admin, {})).toMatchObject({ sound: true });
    const { eventStore } = house.parts.platform;
    const before = await Promise.all(
      streams.map(async (stream) => (await eventStore.readStream(stream)).events.map(({ text }) => text)),
    );
    for (const stream of streams) await resign(house, stream, 'ROUTER_DECISION', { depth: 2 });
    const { found, faults } = await verifiedBy(admin, {});
    const tree = { detector: 'proof', stream: null, revision: null, position: null };
    const places: unknown[] = [];
    for (const stream of streams)
      for (const { revision, position } of (await eventStore.readStream(stream, { from: 3 })).events)
        places.push({ detector: 'proof', stream, revision, position, reason: expect.stringContaining('another leaf') });
    expect([faults, found]).toEqual([21, [expect.objectContaining(tree), ...places]]);
    for (const { body } of asked)
      expect(await house.stream(`amendment-${body.log_id}`)).toMatchObject([{ type: 'INTEGRITY_FAILURE' }]);
    expect(await recorded(house)).toHaveLength(21);
    expect(await verifiedBy(admin, {})).toMatchObject({ sound: false, faults: 21 });
    expect(await recorded(house)).toHaveLength(21);

    for (const [i, stream] of streams.entries()) rewriteTexts(house.folder, stream, before[i]!);
    expect(await verifiedBy(admin, {})).toMatchObject({ sound: true });
    await resign(house, streams[0]!, 'ROUTER_DECISION', { depth: 2 });
    expect(await verifiedBy(admin, {})).toMatchObject({ sound: false, faults: 11 });
    const again = (await recorded(house)).slice(21);
    expect(again).toMatchObject([{ detector: 'proof' }, ...places.slice(0, 10)]);
    expect(again[0]).not.toHaveProperty('position');
    expect(await ready(house)).toMatchObject({ ready_for_bundles: false });
    await house.dispose({ tampered: asked.map(({ body }) => body.job_id) });
  });
});

const GAP = 'a server has gaps between its positions: nothing is missed there, but in the Merkle tree';

describeEmbedded('an event that was taken out of the log', GAP, () => {
  it('is told by its position and in its stream, and not again as a tree that cannot be computed', async () => {
    const house = await JobApp.open();
    const { body } = await (await house.caller('tuff')).ask('7*8');
    const stream = `job-${body.job_id}`;
    await verified({}, {}, house);
    remove(house.folder, stream, 'ROUTER_DECISION');
    const { found, ...view } = await verified({}, {}, house);
    expect(found).toMatchObject([
      { detector: 'positions', stream: null },
      { detector: 'revision', stream },
    ]);
    expect(view).toMatchObject({ sound: false, faults: 2 });
    const summary = (await house.stream('system-integrity')).findLast(({ type }) => type === 'INTEGRITY_CHECK_SUMMARY');
    expect(summary!.data).toMatchObject({ tree: 'other', faults: 2 });
    expect(await ready(house)).toMatchObject({ ready_for_bundles: false });
    await house.dispose({ tampered: [body.job_id] });
  });
});

describe('a log that is signed no further', () => {
  it('is not called sound; events that the newest checkpoint covers are held against it all the same', async () => {
    const house = await JobApp.open();
    const { body } = await (await house.caller('tuff')).ask('7*8');
    await verified({}, {}, house);
    const late = new MaceError('WAIT_TIMEOUT', 'no checkpoint covers position 9 yet: the disk is full');
    const covering = jest.spyOn(house.parts.platform.proof, 'comparable').mockRejectedValue(late);
    await (await house.caller('tuff')).ask('7*9');
    const reason = expect.stringMatching(/^no event has a fault, .* the disk is full$/);
    expect(await verified({}, {}, house)).toMatchObject({ state: 'failed', sound: null, faults: 0, reason });
    await resign(house, `job-${body.job_id}`, 'ROUTER_DECISION', { depth: 2 });
    const { found, ...view } = await verified({}, {}, house);
    expect(view).toMatchObject({ state: 'done', sound: false, faults: 11 });
    expect(found[0]).toMatchObject({ detector: 'proof', reason: expect.stringContaining('is signed for another') });
    expect(await ready(house)).toMatchObject({ ready_for_bundles: false });
    covering.mockRestore();
    await house.dispose({ tampered: [body.job_id] });
  });
});

describe('a snapshot whose bytes were changed', () => {
  let house: JobApp;
  let stream: string;

  beforeAll(async () => {
    house = await JobApp.open();
    stream = await streamOfSnapshot(house, 'router');
    tamper(house.folder, stream, 'SNAPSHOT_CREATED', '"kind":"router"', '"kind":"rooter"');
  });
  afterAll(() => house.dispose());

  it('is halted in its own stream, once', async () => {
    for (const times of [1, 2]) {
      const { found } = await verified({}, {}, house);
      expect(found.filter((fault) => fault.stream === stream)).toMatchObject([{ detector: 'signature', revision: 0 }]);
      const halts = (await house.parts.platform.eventStore.readStream(stream)).events.map(({ type }) => type);
      expect([times, ...halts]).toEqual([times, 'SNAPSHOT_CREATED', 'INTEGRITY_FAILURE', 'FORCE_HALT_REPLAY']);
    }
  });

  it('is no log to make bundles of, while its events are not those that were signed', async () => {
    const problem = expect.stringContaining('the events are not those that were signed');
    expect(await proofState(house)).toMatchObject({ problem, ready_for_bundles: false });
    expect(await ready(house)).toEqual({ status: 'ready', ready_for_bundles: false, bundles_wait_for: problem });
  });

  it('its flags are no tampering once the bytes are restored', async () => {
    tamper(house.folder, stream, 'SNAPSHOT_CREATED', '"kind":"rooter"', '"kind":"router"');
    expect(await verified({ stream }, {}, house)).toMatchObject({ sound: true, processed: 3 });
    expect(await verified({}, {}, house)).toMatchObject({ sound: true, found: [] });
  });

  it('is not signed again by that, nor by a restart, until an admin has had the whole log verified', async () => {
    const signed = house.parts.platform.proof.latest()!.size;
    await house.whileClosed(() => undefined);
    expect(house.parts.platform.proof.latest()!.size).toBe(signed);
    await (await house.caller('tuff')).ask('6*7');
    const auditor = await house.caller('ann', ['auditor']);
    const admin = await house.caller('root', ['admin']);
    for (const [by, body, isReady] of [
      [auditor, {}, false],
      [admin, { stream }, false],
      [admin, {}, true],
    ] as const) {
      expect(await verifiedBy(by, body)).toMatchObject({ sound: true, found: [] });
      expect(await ready(house)).toMatchObject({ ready_for_bundles: isReady });
    }
    const { body } = await auditor.get<{ checkpoint: { size: number } }>('/audit/checkpoint');
    expect(body.checkpoint.size).toBe(await countEvents(house.parts.platform.eventStore));
    await house.whileClosed(() => undefined);
    expect(await ready(house)).toMatchObject({ ready_for_bundles: true });
  });
});

describe('a log whose last event is gone', () => {
  it('is no longer signed from the first walk on that finds it, and is again once it is put back', async () => {
    const house = await JobApp.open();
    const { eventStore, proof } = house.parts.platform;
    const admin = await house.caller('root', ['admin']);
    for (const name of ['ann', 'tuff']) await house.caller(name, ['auditor']);
    const head = await eventStore.head();
    await proof.covering(head, 60_000);
    const row = ON_SERVER ? placeOf(BigInt(head)) : head;
    const db = openDatabase(join(house.folder, EVENTS_FILE));
    db.exec(`DROP TRIGGER events_are_never_deleted; CREATE TABLE kept AS SELECT * FROM events WHERE position = ${row};
      DELETE FROM events WHERE position = ${row}`);
    const { found } = await verified({}, {}, house);
    // A log that is too short, or a hole in it where something was appended meanwhile.
    expect([['proof'], ['positions']]).toContainEqual(found.map(({ detector }) => detector));
    expect(await ready(house)).toMatchObject({ ready_for_bundles: false });
    db.exec(`INSERT INTO events SELECT * FROM kept; DROP TABLE kept;
      CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
      BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END`);
    db.close();
    expect(await verifiedBy(admin, {})).toMatchObject({ sound: true });
    expect(await ready(house)).toMatchObject({ ready_for_bundles: true });
    await house.dispose();
  });
});

async function proofState(house: JobApp): Promise<unknown> {
  const olga = await house.caller('olga', ['auditor']);
  return (await olga.get<{ state: unknown }>('/audit/checkpoint')).body.state;
}

async function ready(house: JobApp): Promise<unknown> {
  return (await (await house.caller('tuff')).get('/health/ready')).body;
}

describe('a proof.db that keeps something else than follows from the events', () => {
  let house: JobApp;
  beforeAll(async () => {
    house = await JobApp.open();
  });
  afterAll(() => house.dispose());

  it('is told of as that, once, and is whole again', async () => {
    expect(await verified({}, {}, house)).toMatchObject({ sound: true });
    const db = openDatabase(join(house.folder, 'proof.db'));
    db.exec('UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf IN (5, 7)');
    db.close();
    const { events } = await house.parts.platform.eventStore.readAll({ after: START, limit: 6 });
    const { position: sixth, stream } = events[5]!;
    const ofStream = await verified({ stream }, {}, house);
    expect(ofStream).toMatchObject({ sound: false, faults: 1, found: [{ detector: 'proof', stream: null }] });
    expect(ofStream.found[0]!.reason).toContain('proof.db does not keep');
    const { found, sound } = await verified({}, {}, house);
    expect([sound, found]).toEqual([
      false,
      [
        {
          detector: 'proof',
          stream: null,
          revision: null,
          position: sixth,
          reason: expect.stringContaining(`of 2 events, from position ${sixth} on`),
        },
      ],
    ]);
    expect(await verified({}, {}, house)).toMatchObject({ sound: true, found: [] });
  });

  it('is whole again, too, where it takes an event for another in leaf and index alike: its proof was not to be had', async () => {
    // The index is brought up to date by a start.
    await house.whileClosed(() => undefined);
    const bob = await house.caller('bob', ['auditor']);
    const { events } = await house.parts.platform.eventStore.readAll({ after: START, limit: 6 });
    const { position, id } = events[5]!;
    const proof = async (): Promise<number> => (await bob.get(`/audit/proof/${id}`)).status;
    const db = openDatabase(join(house.folder, 'proof.db'));
    db.exec('UPDATE leaves SET event = 7 WHERE leaf = 5; UPDATE leaves_by_event SET event = 7 WHERE leaf = 5');
    db.close();
    expect(await proof()).toBe(404);
    const { found, sound } = await verified({}, {}, house);
    expect([sound, found]).toEqual([
      false,
      [
        expect.objectContaining({
          ...{ detector: 'proof', position },
          reason: expect.stringContaining(`of 1 events, from position ${position} on`),
        }),
      ],
    ]);
    expect(await proof()).toBe(200);
    expect(await verified({}, {}, house)).toMatchObject({ sound: true, found: [] });
  });
});

describe('a key that was retired', () => {
  let house: JobApp;
  beforeAll(async () => {
    house = await JobApp.open();
  });
  afterAll(() => house.dispose());

  it('verifies what it signed before, and what is signed with it afterwards is found', async () => {
    const { body } = await (await house.caller('tuff')).ask('6*6');
    const { kid } = (await house.stream(`job-${body.job_id}`))[0]!.metadata;
    const before = new KeyRing(readKeyFile(keyFileIn(house.folder)));
    await house.whileClosed(() => void rotateKey(keyFileIn(house.folder), 'event-hmac', Date.now()));
    await (await house.caller('tuff')).ask('6*5');
    expect(await verified({}, {}, house)).toMatchObject({ sound: true, found: [] });
    const stream = await appendedWith(before);
    const view = await verified({}, {}, house);
    const reason = `key ${kid} was retired before, and signs no more`;
    expect(view).toMatchObject({ sound: false, faults: 1, found: [{ detector: 'key', stream, reason }] });
  });

  /** What somebody does who got hold of the old key file. */
  async function appendedWith(ring: KeyRing): Promise<string> {
    const { eventStore, registry, ciphers } = house.parts.platform;
    const log = new EventLog(eventStore, new EventCodec(registry, ring, ciphers));
    const [stream, jobSeed] = ['system-forged', systemSeed('forged', 'one')];
    const data = { release: 'forged', event_versions: {} };
    await log.append(emptyHead(stream), [{ type: 'RELEASE_RECORDED', data }], {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    });
    return stream;
  }
});

async function callers(): Promise<void> {
  ann = await app.caller('ann', ['auditor']);
  tuff = await app.caller('tuff');
}

async function verified(
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  where = app,
): Promise<VerificationView> {
  return verifiedBy(where === app ? ann : await where.caller('ann', ['auditor']), body, headers);
}

async function verifiedBy(
  by: Caller,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<VerificationView> {
  const { status, body: begun } = await by.send<VerificationView>('POST', '/integrity/verify', body, headers);
  expect(status).toBe(202);
  return eventually(async () => {
    const view = await by.get<VerificationView>(`/integrity/verifications/${begun.verification_id}`);
    return view.body.state === 'running' ? null : view.body;
  });
}

/** Faults that stand in the general stream. */
async function recorded(where = app): Promise<readonly Partial<Fault>[]> {
  const events = await where.stream('system-integrity');
  return events.filter(({ type }) => type === 'INTEGRITY_FAILURE').map(({ data }) => data);
}

async function streamOfSnapshot({ parts }: JobApp, kind: string): Promise<string> {
  const { events } = await parts.platform.eventStore.readAll({ after: START, limit: 4096 });
  const found = events.find(({ type, text }) => type === 'SNAPSHOT_CREATED' && text.includes(`"kind":"${kind}"`));
  return found!.stream;
}

async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
