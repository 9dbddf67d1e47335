import { MemoryEventStore } from '#lib/event-store';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { liveGeneration } from './ownership.js';
import { type Projection } from './projection.js';
import { rebuild } from './rebuild.js';
import { type RebuildView } from './rebuild-view.js';
import { rerun } from './rerun.js';
import { append, noteEvent, notesProjection, nthNote, parse } from './testing/notes.js';
import { by, ProjectionHouse } from './testing/projection-house.js';

describe('a rebuild', () => {
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
    for (let i = 0; i < 200; i++) await append(events, nthNote(i));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function house(projection: Projection = notesProjection): ProjectionHouse {
    const made = new ProjectionHouse(events, documents, { maxBatchEvents: 20 }, projection).start();
    stops.push(() => made.stop());
    return made;
  }

  async function until(
    { rebuilds }: ProjectionHouse,
    id: string,
    fits: (view: RebuildView) => boolean,
  ): Promise<RebuildView> {
    for (;;) {
      const view = await rebuilds.get('notes', id);
      if (fits(view)) return view;
      await new Promise(setImmediate);
    }
  }

  const ended = (of: ProjectionHouse, id: string): Promise<RebuildView> =>
    until(of, id, ({ state }) => state !== 'running');

  async function freshDigest(): Promise<string> {
    const result = await rerun(notesProjection, { events, documents, scratch: new MemoryReadStore(), decode: parse });
    expect(result).toMatchObject({ comparable: true, equal: true });
    return result.scratch_digest;
  }

  it('is made beside the live generation, ready with both digests at one position, and swapped by a command', async () => {
    const of = house();
    await of.host.waitFor('200');
    const { rebuild_id, generation } = await of.rebuilds.begin('notes', by('one'), 'to be sure');
    const view = await ended(of, rebuild_id);
    expect(view).toMatchObject({ state: 'ready', equal: true, begun_by: 'user:olga', reason: 'to be sure' });
    expect(view.rebuilt_digest).toBe(await freshDigest());
    expect([view.processed, view.events]).toEqual([view.total, 178]);
    expect((await liveGeneration(documents, notesProjection)).name).toBe('v1');

    const swapped = await of.rebuilds.swap('notes', rebuild_id, by('two'), null);
    expect(swapped.state).toBe('swapped');
    expect((await liveGeneration(documents, notesProjection)).name).toBe(generation);
    const at = await append(events, noteEvent('NOTED', { note: 'after', author: 'me' }));
    await of.host.waitFor(at);
    expect(await documents.get({ projection: 'notes', name: generation }, 'notes', 'after')).not.toBeNull();
    expect(await documents.get({ projection: 'notes', name: 'v1' }, 'notes', 'after')).toBeNull();
    await freshDigest();
  });

  it('is asked to be lasting, which it is not while it is made, before it is said to be ready', async () => {
    const of = house();
    await of.host.waitFor('200');
    const store: ReadStore = documents;
    const prepared = jest.spyOn(store, 'prepare');
    const { rebuild_id, generation } = await of.rebuilds.begin('notes', by('one'), null);
    await ended(of, rebuild_id);
    const ofIt = prepared.mock.calls.filter(([{ name }]) => name === generation);
    expect(ofIt.map(([, , options]) => options?.inTheMaking ?? false)).toEqual([true, false]);
  });

  it('under live writes equals a fresh one, and what is read after a swap is never older than what was read before', async () => {
    const of = house();
    let last = await append(events, nthNote(200));
    let [writing, i] = [true, 201];
    const writer = (async () => {
      for (; writing; i++) {
        last = await append(events, nthNote(i));
        if (i % 7 === 0) {
          await of.host.waitFor(last);
          const live = await documents.checkpoint(await liveGeneration(documents, notesProjection));
          expect(Number(live!.position)).toBeGreaterThanOrEqual(Number(last));
        }
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < 5; round++) {
      const { rebuild_id } = await of.rebuilds.begin('notes', by(`round-${round}`), null);
      expect(await ended(of, rebuild_id)).toMatchObject({ state: 'ready', equal: true });
      expect((await of.rebuilds.swap('notes', rebuild_id, by(`swap-${round}`), null)).state).toBe('swapped');
      if (round % 2 === 1)
        expect((await of.rebuilds.rollBack('notes', rebuild_id, by(`back-${round}`), null)).state).toBe('rolled_back');
    }
    writing = false;
    await writer;
    await of.host.waitFor(last);
    await freshDigest();
    const names = (await documents.generations('notes')).map(({ name }) => name);
    expect(names.length).toBeLessThanOrEqual(3);
  });

  it('rolled back answers from the old generation, brought up to what the new one had', async () => {
    const of = house();
    const { rebuild_id } = await of.rebuilds.begin('notes', by('one'), null);
    await ended(of, rebuild_id);
    await of.rebuilds.swap('notes', rebuild_id, by('two'), null);
    const at = await append(events, noteEvent('NOTED', { note: 'after', author: 'me' }));
    await of.host.waitFor(at);
    expect((await of.rebuilds.rollBack('notes', rebuild_id, by('three'), null)).state).toBe('rolled_back');
    expect(await liveGeneration(documents, notesProjection)).toEqual({ projection: 'notes', name: 'v1' });
    expect(await documents.get({ projection: 'notes', name: 'v1' }, 'notes', 'after')).not.toBeNull();
  });

  it('tells by the digests that the live documents are not what the events say', async () => {
    const of = house();
    await of.host.waitFor('200');
    await of.stop();
    const v1 = { projection: 'notes', name: 'v1' };
    const from = await documents.claim(v1);
    const changes = [{ op: 'merge', collection: 'authors', id: 'a1', fields: { forged: true } } as const];
    await documents.apply(v1, { changes, from, to: from.position });
    const again = house();
    const { rebuild_id } = await again.rebuilds.begin('notes', by('one'), null);
    const view = await ended(again, rebuild_id);
    expect(view).toMatchObject({ state: 'ready', equal: false });
    expect(view.live_digest).not.toBe(view.rebuilt_digest);
    await again.rebuilds.swap('notes', rebuild_id, by('two'), null);
    await freshDigest();
  });

  it('cancelled leaves nothing behind and lets the next begin', async () => {
    const of = house();
    const { rebuild_id, generation } = await of.rebuilds.begin('notes', by('one'), null);
    await ended(of, rebuild_id);
    expect(await of.rebuilds.cancel('notes', rebuild_id, by('two'), 'not needed')).toMatchObject({
      state: 'cancelled',
      failure: 'not needed',
    });
    while ((await documents.generations('notes')).some(({ name }) => name === generation))
      await new Promise(setImmediate);
    expect((await of.rebuilds.begin('notes', by('three'), null)).state).toBe('running');
    expect((await of.rebuilds.list('notes')).map(({ state }) => state)).toEqual([expect.any(String), 'cancelled']);
  });

  it('fails at an event that it cannot take, and the live generation stays', async () => {
    const lenient: Projection = {
      ...notesProjection,
      project: (event) => (event.type === 'POISON' ? [] : notesProjection.project(event)),
    };
    const poison = await append(events, noteEvent('POISON', {}));
    const before = house(lenient);
    await before.host.waitFor(poison);
    await before.stop();
    const of = house();
    const { rebuild_id } = await of.rebuilds.begin('notes', by('one'), null);
    const view = await ended(of, rebuild_id);
    expect(view).toMatchObject({ state: 'failed', failure: expect.stringContaining(`position ${poison}`) });
    await expect(of.rebuilds.swap('notes', rebuild_id, by('two'), null)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('goes on where a process that ended in the middle had come, with the time that was worked on it', async () => {
    const begun = house();
    await begun.host.waitFor('200');
    await begun.stop();
    const { rebuild_id } = await begun.rebuilds.begin('notes', by('one'), null);
    const facts = (await begun.record.of('notes')).rebuilds[0]!;
    const cut = new AbortController();
    let [now, applied] = [0, 0];
    const apply = documents.apply.bind(documents);
    jest.spyOn(documents, 'apply').mockImplementation(async (...args) => {
      if (++applied === 3) cut.abort();
      return apply(...args);
    });
    const options = { events, documents, decode: parse, maxBatchEvents: 20, pageSize: 20, signal: cut.signal };
    await expect(rebuild(notesProjection, facts, { ...options, clock: () => (now += 100) })).rejects.toThrow();
    const generation = { projection: 'notes', name: facts.generation };
    const reached = Number((await documents.checkpoint(generation))!.position);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(200);
    const mark = await documents.runnerState(generation);
    expect(mark).toMatchObject({ active_ms: expect.any(Number) });
    expect(await begun.rebuilds.get('notes', rebuild_id)).toMatchObject({
      state: 'running',
      processed: reached,
      total: 200,
      rate: Math.round((reached * 1000) / (mark!['active_ms'] as number)),
    });

    const of = house();
    const positions: string[] = [];
    jest.spyOn(documents, 'apply').mockImplementation((at, batch) => {
      if (at.name === facts.generation) positions.push(batch.from.position);
      return apply(at, batch);
    });
    expect(await ended(of, rebuild_id)).toMatchObject({ state: 'ready', equal: true, events: 178 });
    expect(Number(positions[0])).toBe(reached);
  });

  it('a swap that was decided and not done is done by who starts next', async () => {
    const first = house();
    const { rebuild_id, generation } = await first.rebuilds.begin('notes', by('one'), null);
    await ended(first, rebuild_id);
    await first.stop();
    const at = await append(events, noteEvent('NOTED', { note: 'between', author: 'me' }));
    const impatient = new ProjectionHouse(events, documents);
    const swapping = impatient.rebuilds.swap('notes', rebuild_id, by('two'), null);
    await until(impatient, rebuild_id, ({ state }) => state === 'swapping');
    const next = house();
    expect((await swapping).state).toBe('swapped');
    await next.host.waitFor(at);
    expect(await liveGeneration(documents, notesProjection)).toEqual({ projection: 'notes', name: generation });
    await freshDigest();
  });
});
