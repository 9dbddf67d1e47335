import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { auditProjection, AuditTrail } from '#lib/audit';
import { BrainStateList, brainstateProjection } from '#lib/brainstate';
import { jobCountsProjection } from '#lib/jobs';
import type { EventMetadata, JsonObject } from '#lib/kernel';
import { type ProjectedEvent, type Projection, ReadModel } from '#lib/projections';
import { MemoryReadStore, openMongoReadStore, type ReadStore, SqliteReadStore } from '#lib/read-store';

import { fixtureNames, readFixture } from '../../../../test/support/event-fixtures.js';
import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';

const JOB = 'job:0123456789abcdef0123456789abcdef';
const EVENTS = fixtureNames().map((name, i): ProjectedEvent => {
  const { stored } = readFixture(name);
  const { type, data, metadata } = stored as unknown as { type: string; data: JsonObject; metadata: EventMetadata };
  const stream = type === 'BRAINSTATE_TICK' ? `job-${JOB}` : 'fixture-1';
  return { type, data, metadata, stream, revision: i, position: String(i + 1) };
});
const LAST = String(EVENTS.length);

async function filled(store: ReadStore): Promise<ReadStore> {
  for (const projection of [auditProjection, brainstateProjection, jobCountsProjection])
    await project(store, projection);
  return store;
}

async function project(store: ReadStore, projection: Projection): Promise<void> {
  const generation = { projection: projection.name, name: 'v1' };
  await store.prepare(generation, projection.collections);
  const changes = EVENTS.filter(({ type }) => projection.types.includes(type)).flatMap((one) =>
    projection.project(one),
  );
  await store.apply(generation, { changes, from: await store.claim(generation), to: LAST });
}

describe.each(['sqlite', 'mongodb'])('the read models of BrainState and audits in %s', (kind) => {
  let store: ReadStore;
  let folder: string;
  let wire: MongoWire | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-read-models-'));
    if (kind === 'mongodb') wire = await MongoWire.start({ replicaSet: true });
    store = await filled(wire ? await openMongoReadStore({ url: wire.url }) : await SqliteReadStore.open({ folder }));
  });
  afterAll(async () => {
    await store.close();
    await wire?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([auditProjection, brainstateProjection, jobCountsProjection])(
    'have the digest of any other store: $name',
    async ({ name }) => {
      const generation = { projection: name, name: 'v1' };
      const elsewhere = await (await filled(new MemoryReadStore())).digest(generation);
      expect(elsewhere.documents).toBeGreaterThan(0);
      expect(await store.digest(generation)).toEqual(elsewhere);
    },
  );

  it('list the trail by kind, type and actor, newest first, page by page', async () => {
    const trail = new AuditTrail(new ReadModel(store, auditProjection));
    const all = (await trail.page({ limit: 200 })).items;
    expect(all.map(({ position }) => Number(position))).toEqual(
      all.map(({ position }) => Number(position)).sort((a, b) => b - a),
    );
    const first = await trail.page({ kind: 'person', limit: 2 });
    expect(first).toMatchObject({ position: LAST, items: [{ kind: 'person' }, { kind: 'person' }] });
    const rest = await trail.page({ kind: 'person', limit: 200, cursor: first.next_cursor! });
    expect([...first.items, ...rest.items]).toEqual(all.filter(({ kind }) => kind === 'person'));
    expect(
      (await trail.page({ type: 'KEY_ROTATED', limit: 9 })).items.every(({ type }) => type === 'KEY_ROTATED'),
    ).toBe(true);
    expect((await trail.page({ actor: 'user_nobody', limit: 9 })).items).toEqual([]);
  });

  it('list BrainStates of jobs and those that were prepared, and those of one person', async () => {
    const list = new BrainStateList(new ReadModel(store, brainstateProjection));
    const { items } = await list.page({ limit: 9 });
    expect(items.map(({ job_id }) => job_id).sort()).toEqual([JOB, null].sort());
    const own = items.find(({ job_id }) => job_id === JOB)!;
    expect((await list.page({ user_id: own.user_id, limit: 9 })).items).toContainEqual(own);
    expect((await list.page({ user_id: 'user_nobody', limit: 9 })).items).toEqual([]);
  });
});
