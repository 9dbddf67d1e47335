import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';
import { MemoryReadStore } from '#lib/read-store';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { RERUN_BEGUN, RERUN_ENDED, rerunEvents, rerunStream } from './domain/rerun.events.js';
import { newLease } from './lease.js';
import { ProjectionRunner } from './projection-runner.js';
import { RerunRecord } from './rerun-record.js';
import { Reruns, type RerunView } from './reruns.js';
import { append, notesProjection, nthNote, parse } from './testing/notes.js';
import { by } from './testing/projection-house.js';
import { workUnderWay } from './work-under-way.js';

describe('reruns of projections', () => {
  const ring = fixtureKeyRing();
  let folder: string;
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  let runner: ProjectionRunner;
  let made = 0;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-reruns-'));
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
    for (let i = 0; i < 60; i++) await append(events, nthNote(i));
    runner = new ProjectionRunner(notesProjection, { events, documents, decode: parse });
    runner.start();
    await runner.waitFor('60', 5000);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await runner.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const log = (): EventLog =>
    new EventLog(
      events,
      new EventCodec(new EventRegistry(rerunEvents), ring, new SubjectCiphers(new MemorySubjectKeys(), ring)),
    );

  /** One process on the stores. @param whileReading waited for before each page that a rerun reads */
  function processOf(whileReading = (): Promise<void> => Promise.resolve(), record = new RerunRecord(log())): Reruns {
    const held = new Proxy(events, {
      get: (store, name: keyof MemoryEventStore) => {
        const member = store[name] as unknown;
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]): unknown => (member as (...given: unknown[]) => unknown).apply(store, args);
        return name !== 'readAll' ? call : (...args: unknown[]) => whileReading().then(() => call(...args));
      },
    });
    const reruns = new Reruns({
      projections: [notesProjection],
      events: held,
      documents,
      decode: parse,
      record,
      underWay: workUnderWay(documents, 'projection-reruns', newLease(2000), raise),
      scratchRoot: join(folder, `scratch-${made++}`),
      onTrouble: raise,
    });
    stops.push(() => reruns.stop());
    return reruns;
  }

  const raise = (fault: unknown): void => {
    throw fault;
  };

  async function ended(reruns: Reruns, id: string): Promise<RerunView> {
    for (;;) {
      const view = await reruns.get('notes', id);
      if (view.state !== 'running') return view;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Reads of one process that wait until they are let go. */
  function gate(): { readonly wait: () => Promise<void>; readonly open: () => void } {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { wait: () => opened, open };
  }

  it('leave who asked, the range, both digests and the verdict in the log', async () => {
    const { rerun_id } = await processOf().begin('notes', {}, by('one'));
    const view = await ended(processOf(), rerun_id);
    expect(view).toMatchObject({ state: 'done', verdict: 'MATCH', digest: view.live_digest });
    const recorded = await log().load(rerunStream(rerun_id));
    expect(recorded.events.map(({ type }) => type)).toEqual([RERUN_BEGUN, RERUN_ENDED]);
    expect(recorded.events[0]!.metadata.actor).toEqual({ id: 'user:olga', role: 'operator' });
    expect(recorded.events[1]!.data).toMatchObject({
      projection: 'notes',
      requested_by: 'user:olga',
      verdict: 'MATCH',
      result: { from: '0', to: '60', scratch_digest: view.digest, live_digest: view.digest },
    });
  });

  it('are seen by another process while they run, and by a later one when they are done', async () => {
    const { wait, open } = gate();
    const [here, elsewhere] = [processOf(wait), processOf()];
    const { rerun_id } = await here.begin('notes', {}, by('one'));
    expect(await elsewhere.get('notes', rerun_id)).toMatchObject({ rerun_id, state: 'running' });
    expect(await elsewhere.begin('notes', {}, by('one'))).toMatchObject({ rerun_id, state: 'running' });
    open();
    const view = await ended(here, rerun_id);
    expect(await elsewhere.get('notes', rerun_id)).toEqual(view);
    expect(await processOf().get('notes', rerun_id)).toEqual(view);
  });

  it('that a process left are interrupted, and run anew for the same request', async () => {
    const { wait, open } = gate();
    const here = processOf(wait);
    const { rerun_id } = await here.begin('notes', { from: '10' }, by('one'));
    const stopped = here.stop();
    open();
    await stopped;
    const later = processOf();
    expect(await later.get('notes', rerun_id)).toMatchObject({ state: 'interrupted', verdict: null });
    expect(await later.begin('notes', { from: '10' }, by('one'))).toMatchObject({ rerun_id, state: 'running' });
    expect(await ended(later, rerun_id)).toMatchObject({ state: 'done', result: { from: '10' } });
  });

  it('are the same for the same request, and refused for another, also after a restart', async () => {
    const { rerun_id } = await processOf().begin('notes', {}, by('one', 'a'));
    expect((await processOf().begin('notes', {}, by('one', 'a'))).rerun_id).toBe(rerun_id);
    await expect(processOf().begin('notes', { from: '5' }, by('one', 'b'))).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('say on record that the live documents were changed, and that nothing could be compared', async () => {
    await runner.stop();
    const live = { projection: 'notes', name: 'v1' };
    const from = await documents.claim(live);
    const changes = [{ op: 'merge', collection: 'authors', id: 'a1', fields: { forged: true } } as const];
    await documents.apply(live, { changes, from, to: '60' });
    const reruns = processOf();
    const changed = await reruns.begin('notes', {}, by('one'));
    expect(await ended(reruns, changed.rerun_id)).toMatchObject({ verdict: 'MISMATCH' });
    const short = await reruns.begin('notes', { to: '50' }, by('two'));
    expect(await ended(reruns, short.rerun_id)).toMatchObject({ state: 'done', verdict: 'NOT_COMPARABLE' });
  });

  it('are four at once in a process, and leave no scratch place', async () => {
    const { wait, open } = gate();
    const reruns = processOf(wait);
    const ids = ['1', '2', '3', '4'];
    for (const id of ids) await reruns.begin('notes', {}, by(id));
    await expect(reruns.begin('notes', {}, by('5'))).rejects.toMatchObject({ code: 'CONFLICT' });
    open();
    await reruns.stop();
    expect(await readdir(join(folder, `scratch-${made - 1}`))).toEqual([]);
    await expect(reruns.begin('notes', {}, by('6'))).rejects.toThrow('the process ends');
  });

  it('that begin while the process stops are waited for', async () => {
    const record = new RerunRecord(log());
    const slow = jest.spyOn(record, 'begun').mockImplementation(async (...order) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return RerunRecord.prototype.begun.apply(record, order);
    });
    const reruns = processOf(undefined, record);
    const begun = reruns.begin('notes', {}, by('one'));
    while (slow.mock.calls.length === 0) await new Promise(setImmediate);
    await reruns.stop();
    expect(await reruns.get('notes', (await begun).rerun_id)).toMatchObject({ state: 'interrupted' });
  });

  it.each([
    [{ from: '61' }, 'INVALID_INPUT', "from: a position up to the last event's, which is 60"],
    [{ to: '61' }, 'INVALID_INPUT', "to: a position up to the last event's, which is 60"],
    [{ from: '9', to: '8' }, 'INVALID_INPUT', 'from: not after `to`'],
    [{ from_revision: 1 }, 'INVALID_INPUT', 'from_revision: goes with `stream`'],
    [{ stream: 'x', to: '8' }, 'INVALID_INPUT', 'stream: goes with `from_revision`'],
    [{ stream: 'x' }, 'NOT_FOUND', 'no stream "x"'],
  ])('refuse %j', async (order, code, message) => {
    await expect(processOf().begin('notes', order, by('one'))).rejects.toMatchObject({
      code,
      developerMessage: expect.stringContaining(message),
    });
  });
});
