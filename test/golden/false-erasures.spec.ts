import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ForensicStore } from '#lib/audit';
import { emptyHead, type EventStore, kidOf, openSqliteEventStore } from '#lib/event-store';
import type { IncidentRow, ListPage } from '#lib/incidents';
import { type DomainEvent, type JsonObject, sha256Hex, systemSeed, traceId } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { ON_SERVER } from '../support/event-store-for-tests.js';
import { eventually } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

/**
 * Issue 6, "Every kind of tampering is detected, named and located": by the word of somebody who can write to the event
 * store, or of one who can have the server sign something somewhere, nothing of anybody is destroyed.
 */

const KEY = 'user/profile/user_eve/favorite_color';
const ID = `dr-${'1'.repeat(32)}`;
const OTHER = `dr-${'2'.repeat(32)}`;
const MALLORY = { dsr_id: OTHER, user_id: 'user_mallory' };
const AT = '2026-11-22T00:00:00.000Z';

let app: JobApp;
let eve: Caller;
let admin: Caller;
let kid: string;
let evidence: string;
beforeAll(async () => {
  app = await JobApp.open();
  await enter();
  expect((await eve.send('PUT', `/sem/${KEY}`, { value: 'green' })).status).toBe(200);
  const record = { event_type: 'AGENT_EXCEPTION', user_id: 'user_eve', detail: 'eve said so' };
  evidence = await app.parts.app.nest.get(ForensicStore).keep(record);
  const keys = await app.parts.platform.subjectKeys.listFor('user_eve');
  expect(keys.map(({ state }) => state)).toEqual(['present']);
  kid = kidOf(keys[0]!);
  await sign('dsr-elsewhere', destruction());
  await sign(`dsr-${OTHER}`, ...request(), { ...destruction(), data: { ...destruction().data, ...MALLORY } });
  const purge = { type: 'FORENSIC_ERASED', data: { evidence_ref: evidence, dsr_id: ID } };
  await writeRows([
    { stream: `dsr-${ID}`, ...destruction() },
    { stream: `forensic-${evidence}`, ...purge },
  ]);
  // What the Merkle log takes up is destroyed at the next start.
  const { proof, eventStore } = app.parts.platform;
  expect(await proof.comparable(await eventStore.head(), 60_000)).toBeNull();
  await app.whileClosed(() => undefined);
  await enter();
});
afterAll(() => app.dispose());

async function enter(): Promise<void> {
  eve = await app.caller('eve');
  admin = await app.caller('ada', ['admin'], ['otp']);
}

const destruction = (): DomainEvent => ({
  type: 'SUBJECT_KEYS_DESTROYED',
  data: { dsr_id: ID, user_id: 'user_eve', kids: [kid], destroyed_at: AT },
});

/** An approved deletion of somebody else, as far as its events. */
function request(): readonly DomainEvent[] {
  const asked = { kind: 'delete', requested_by: 'user_clara', requested_at: AT, identity_method: 'document' };
  return [
    { type: 'DSR_REQUEST', data: { ...MALLORY, ...asked } },
    { type: 'DSR_APPROVED', data: { dsr_id: OTHER, approved_by: 'user_ada', approved_at: AT } },
    { type: 'ERASURE_REQUESTED', data: { ...MALLORY, kids: [], requested_at: AT } },
  ];
}

interface Row {
  readonly stream: string;
  readonly type: string;
  readonly data: JsonObject;
}

/** As somebody does who holds no key. */
async function write(store: EventStore, { stream, type, data }: Row): Promise<void> {
  const text = JSON.stringify({ data, metadata: { schema_version: 1 }, stream, type });
  const version = await store.streamVersion(stream);
  await store.append(stream, version === 0 ? 'none' : version, [{ id: sha256Hex(text), type, text }]);
}

/** Into the files of the stopped store; a double of EventStoreDB has another form in its own. */
async function writeRows(rows: readonly Row[]): Promise<void> {
  if (ON_SERVER) {
    for (const row of rows) await write(app.parts.platform.eventStore, row);
    // What is met by a process that ends is told by nobody.
    for (const { stream } of rows) await told(stream);
  }
  await app.whileClosed(async () => {
    if (ON_SERVER) return;
    const folder = DataFolder.take(app.folder);
    const store = await openSqliteEventStore({ folder });
    for (const row of rows) await write(store, row);
    await store.close();
    folder.release();
  });
}

/** Signed by the server's own key. */
async function sign(stream: string, ...signed: readonly DomainEvent[]): Promise<void> {
  const { events } = app.parts.platform;
  const jobSeed = systemSeed('false-erasure', stream);
  const provenance = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  await events.append(emptyHead(stream), signed, provenance);
}

/** The INTEGRITY_FAILURE events that name an event of a stream, once one is on record; and its incident. */
async function told(stream: string): Promise<readonly JsonObject[]> {
  const ofStream = async (): Promise<readonly JsonObject[]> =>
    (await app.stream('system-integrity')).map(({ data }) => data).filter((data) => data['stream'] === stream);
  await eventually(async () => ((await ofStream()).length > 0 ? true : null), `a fault of ${stream}`);
  await eventually(async () => {
    const { body } = await admin.get<ListPage<IncidentRow>>('/incidents');
    return body.items.length > 0 ? true : null;
  }, 'an incident');
  return ofStream();
}

it('destroys nothing by what nobody signed, or not there, at this start or the next', async () => {
  const { proof, subjectKeys } = app.parts.platform;
  expect([proof.erasedKeys(), proof.erasedEvidence(), proof.erasedRequests()]).toEqual([[], [], []]);
  expect((await subjectKeys.listFor('user_eve')).map(({ state }) => state)).toEqual(['present']);
  expect((await eve.get<{ value: string }>(`/sem/${KEY}`)).body.value).toBe('green');
  expect(existsSync(join(app.folder, 'artifacts', evidence.slice(0, 2), evidence.slice(2)))).toBe(true);
});

it.each([
  ['a row without a signature that names data keys', () => `dsr-${ID}`, 'signature', 0],
  ['a row without a signature behind the true trail of evidence', () => `forensic-${evidence}`, 'signature', 1],
  ['a signed event in another stream than that of the approved request', () => 'dsr-elsewhere', 'form', 0],
  ['a signed event that names data keys of another person', () => `dsr-${OTHER}`, 'form', 3],
])('tells of %s', async (_, stream, detector, revision) => {
  expect(await told(stream())).toMatchObject([{ detector, revision }]);
});
