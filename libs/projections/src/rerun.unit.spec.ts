import { MemoryReadStore } from '#lib/read-store';
import { MemoryEventStore } from '#lib/event-store';
import { PoisonEventError } from './errors.js';
import { ProjectionRunner } from './projection-runner.js';
import { rerun } from './rerun.js';
import { type RerunOptions, type RerunResult } from './rerun-options.js';
import { type RerunProgress } from './rerun-progress.js';
import { append, noteEvent, notesProjection, nthNote, parse } from './testing/notes.js';

describe('a rerun', () => {
  const LIVE = { projection: 'notes', name: 'v1' };
  const KEPT = [LIVE, { projection: 'notes', name: 'live_v1' }];
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  let runner: ProjectionRunner;
  beforeEach(async () => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
    for (let i = 0; i < 200; i++) await append(events, nthNote(i));
    runner = new ProjectionRunner(notesProjection, { events, documents, decode: parse });
    runner.start();
    await runner.waitFor('200', 5000);
  });
  afterEach(() => runner.stop());

  const again = (options: Partial<RerunOptions> = {}): Promise<RerunResult> =>
    rerun(notesProjection, { events, documents, decode: parse, pageSize: 16, maxBatchEvents: 20, ...options });

  it('gives the live digest, leaves nothing behind and does not touch the live generation', async () => {
    const before = await documents.checkpoint(LIVE);
    const result = await again();
    expect(result).toMatchObject({ from: '0', to: '200', comparable: true, equal: true, processed: 178 });
    expect(result.scratch_digest).toBe(result.live_digest);
    expect(await documents.checkpoint(LIVE)).toEqual(before);
    expect(await documents.generations('notes')).toEqual(KEPT);
  });

  it('equals the live generation while events keep arriving', async () => {
    let writing = true;
    const writer = (async () => {
      for (let i = 200; writing; i++) {
        await append(events, nthNote(i));
        await new Promise(setImmediate);
      }
    })();
    for (let i = 0; i < 10; i++) {
      const result = await again();
      expect(result).toMatchObject({ comparable: true, equal: true });
      expect(Number(result.to)).toBeGreaterThanOrEqual(200);
    }
    writing = false;
    await writer;
  });

  it('tells a live generation that somebody has changed', async () => {
    await runner.stop();
    const from = await documents.claim(LIVE);
    await documents.apply(LIVE, {
      changes: [{ op: 'merge', collection: 'authors', id: 'a1', fields: { forged: true } }],
      from,
      to: '200',
    });
    const found = await again();
    expect(found).toMatchObject({ comparable: true, equal: false });
    expect(found.differing).toEqual([
      { collection: 'authors', id: 'a1', live: expect.stringMatching(/^[0-9a-f]{64}$/), scratch: expect.anything() },
    ]);
  });

  it('names the first documents that were taken away, added and changed, in their order', async () => {
    await runner.stop();
    const from = await documents.claim(LIVE);
    const changes = [
      { op: 'delete', collection: 'notes', id: 'n3' },
      { op: 'put', collection: 'notes', id: 'n99', body: { author: 'x' } },
      { op: 'merge', collection: 'notes', id: 'n21', fields: { text: 'forged' } },
    ] as const;
    await documents.apply(LIVE, { changes, from, to: '200' });
    const { differing } = await again({ from: '10' });
    expect(differing!.map(({ id, live, scratch }) => [id, live !== null, scratch !== null])).toEqual([
      ['n21', true, true],
      ['n3', false, true],
      ['n99', true, false],
    ]);
  });

  it('from a later position meets the state that those events met, so that it is compared as well', async () => {
    const whole = await again();
    const range = await again({ from: '150' });
    expect(range).toMatchObject({ from: '150', to: '200', comparable: true, equal: true, differing: [] });
    expect(range.scratch_digest).toBe(whole.live_digest);
    expect(range.before + range.processed).toBe(whole.processed);
    expect(range.from_digest).toBe((await again({ to: '150' })).scratch_digest);
    expect(whole).toMatchObject({ before: 0, from_digest: null });
  });

  it('to an earlier position ends there exactly and says that the live one is elsewhere', async () => {
    const result = await again({ to: '57' });
    expect(result).toMatchObject({
      to: '57',
      comparable: false,
      reason: 'the live generation is at 200, the rerun ended at 57',
    });
    expect(await again({ to: '200' })).toMatchObject({ comparable: true, equal: true });
  });

  it('of a projection that never ran reports its own digest', async () => {
    const result = await rerun({ ...notesProjection, version: 7 }, { events, documents, decode: parse });
    expect(result).toMatchObject({ to: '200', live_digest: null, comparable: false });
  });

  it('reports progress that never goes back and ends at the total', async () => {
    const seen: RerunProgress[] = [];
    let time = 0;
    await again({ onProgress: (progress) => seen.push(progress), clock: () => (time += 100) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toMatchObject({ processed: 200, total: 200, events: 178, eta_seconds: 0 });
    expect(seen.map(({ processed }) => processed)).toEqual(
      seen.map(({ processed }) => processed).sort((a, b) => a - b),
    );
    expect(seen.every(({ processed, total }) => Number.isInteger(processed) && processed <= total)).toBe(true);
  });

  it('stopped, or at a poison event, leaves nothing behind', async () => {
    const stop = new AbortController();
    const stopped = again({ signal: stop.signal, onProgress: () => stop.abort() });
    await expect(stopped).rejects.toThrow(/abort/);
    await append(events, noteEvent('POISON', {}));
    await expect(again({ to: '201' })).rejects.toThrow(PoisonEventError);
    expect(await documents.generations('notes')).toEqual(KEPT);
  });

  it('compares a halted projection at the position it stands at', async () => {
    await append(events, noteEvent('POISON', {}));
    await append(events, noteEvent('NOTED', { note: 'x', author: 'a' }));
    await expect(runner.waitFor('202', 5000)).rejects.toThrow(/halted/);
    expect(await again()).toMatchObject({ to: '200', comparable: true, equal: true });
  });

  it.each([{ to: '4030' }, {}])('ends at the head where what is asked or live lies beyond it: %j', async (options) => {
    await runner.stop();
    const from = await documents.claim(LIVE);
    await documents.apply(LIVE, { changes: [], from, to: '4030' });
    const result = await again(options);
    expect(result).toMatchObject({ to: '200', processed: 178, comparable: false });
    expect(JSON.stringify(result)).toContain('the live generation is at 4030, the rerun ended at 200');
  });
});
