import { type EventStore, MemoryEventStore } from '#lib/event-store';
import { MemoryReadStore } from '#lib/read-store';
import { type Projection } from './projection.js';
import { ProjectionRunner } from './projection-runner.js';
import { rerun } from './rerun.js';
import { type RerunResult } from './rerun-options.js';
import { noteEvent, parse } from './testing/notes.js';

/** A document a stream, which counts what it was told; `GONE` takes it away. */
const talliesProjection: Projection = {
  name: 'tallies',
  version: 1,
  collections: [{ name: 'tallies', indexes: [] }],
  types: ['SAID', 'GONE'],
  project: ({ type, data, stream }) =>
    type === 'GONE'
      ? [{ op: 'delete', collection: 'tallies', id: stream }]
      : [{ op: 'merge', collection: 'tallies', id: stream, fields: data }],
};
/** One document for all streams, so that their order is one. */
const wholeProjection: Projection = {
  ...talliesProjection,
  name: 'whole',
  project: ({ data }) => [{ op: 'merge', collection: 'tallies', id: 'all', fields: data }],
  partition: () => 'all',
};

describe('a rerun of one stream', () => {
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  const runners: ProjectionRunner[] = [];
  beforeEach(async () => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
    for (let i = 0; i < 300; i++) await say('a', { [`k${i % 7}`]: i });
    await say('b', { k0: 'of b' });
    for (const projection of [talliesProjection, wholeProjection]) {
      const runner = new ProjectionRunner(projection, { events, documents, decode: parse });
      runner.start();
      runners.push(runner);
      await runner.waitFor('301', 5000);
    }
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
  });

  async function say(stream: string, data: object, type = 'SAID', to: EventStore = events): Promise<void> {
    const version = await to.streamVersion(stream);
    await to.append(stream, version === 0 ? 'none' : version, [noteEvent(type, { ...data })]);
  }

  const again = (fromRevision: number, projection = talliesProjection, name = 'a'): Promise<RerunResult> =>
    rerun(projection, {
      events,
      documents,
      scratch: new MemoryReadStore(),
      decode: parse,
      stream: { name, fromRevision },
    });

  it('lets others have the thread once a page where nothing in the stream is of its projection', async () => {
    for (let i = 0; i < 6 * 128; i++) await say('other', { k: i }, 'UNKNOWN');
    await say('b', { k0: 'last' });
    await runners[0]!.waitFor(await events.head(), 5000);
    let turns = 0;
    const count = (): void => void ((turns += 1), (timer = setImmediate(count)));
    let timer = setImmediate(count);
    await again(0, talliesProjection, 'other');
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it('has the digest of the live documents that its range changes, and reads no other stream', async () => {
    const result = await again(290);
    expect(result).toMatchObject({ comparable: true, equal: true, differing: [], processed: 10, before: 290 });
    expect(result.stream).toEqual({ name: 'a', from_revision: 290, to_revision: 299 });
    expect(result.documents).toEqual({ scratch: 1, live: 1 });
    expect(result.from_digest).not.toBeNull();
    expect(await again(0)).toMatchObject({ before: 0, processed: 300, from_digest: null, equal: true });
  });

  it('names a live document that somebody has changed, and is not misled by that of another stream', async () => {
    await runners[0]!.stop();
    const live = { projection: 'tallies', name: 'v1' };
    const from = await documents.claim(live);
    const fields = { k0: 'forged' };
    const changes = [{ op: 'merge', collection: 'tallies', id: 'a', fields } as const];
    await documents.apply(live, { changes, from, to: from.position });
    const found = await again(299);
    expect(found).toMatchObject({ comparable: true, equal: false, differing: [{ collection: 'tallies', id: 'a' }] });
    expect(found.scratch_digest).not.toBe(found.live_digest);
    expect(await again(0, talliesProjection, 'b')).toMatchObject({ comparable: true, equal: true });
  });

  it('finds a document that is still live though the stream took it away', async () => {
    await say('a', {}, 'GONE');
    await runners[0]!.waitFor('302', 5000);
    expect(await again(300)).toMatchObject({ equal: true, documents: { scratch: 0, live: 0 } });
    await runners[0]!.stop();
    const live = { projection: 'tallies', name: 'v1' };
    const from = await documents.claim(live);
    const changes = [{ op: 'put', collection: 'tallies', id: 'a', body: {} } as const];
    await documents.apply(live, { changes, from, to: from.position });
    expect(await again(300)).toMatchObject({ equal: false, differing: [{ id: 'a', scratch: null }] });
  });

  it('meets the events of other streams where the projection says that documents are made of several', async () => {
    expect(await again(299, wholeProjection)).toMatchObject({ comparable: true, equal: true, processed: 1 });
    expect(await again(0, wholeProjection, 'b')).toMatchObject({ equal: true, before: 300, processed: 1 });
  });

  it('is equal at one place while the stream goes on', async () => {
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) {
        await say('a', { k1: i });
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    for (let i = 0; i < 5; i++) {
      const result = await again(250);
      if (result.comparable) expect(result).toMatchObject({ equal: true });
      else expect(result.reason).toBe('the stream goes on being written');
    }
    writing = false;
    await writer;
  });
});
