import { type EventStore, eventAt, MemoryEventStore, type Position } from '#lib/event-store';
import { MemoryReadStore } from '#lib/read-store';
import { AsideList } from './aside.js';
import { Copier } from './copier.js';
import { GenerationWriter } from './generation-writer.js';
import { append, notesProjection, nthNote, parse } from './testing/notes.js';

const EVENTS = 1100;
const GENERATION = { projection: 'notes', name: 'made' };

describe('a read model that is made beside others who are answered', () => {
  let store: MemoryEventStore;
  let head: Position;
  beforeAll(async () => {
    store = new MemoryEventStore();
    for (let i = 0; i < EVENTS; i++) head = await append(store, nthNote(i));
  });

  /** How many pages were read, the most events projected in one turn of the event loop, and the digest. */
  async function made(events: EventStore, givesWay: boolean) {
    const documents = new MemoryReadStore();
    await documents.prepare(GENERATION, notesProjection.collections);
    const writer = await GenerationWriter.claim(documents, GENERATION);
    let [inTurn, most, pages] = [0, 0, 0];
    const readAll: EventStore['readAll'] = (options) => {
      pages++;
      return store.readAll(options);
    };
    const counted = Object.assign(Object.create(events) as EventStore, { readAll });
    const decode: typeof parse = (recorded) => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      return parse(recorded);
    };
    const reading = { projection: notesProjection, decode, aside: new AsideList([]) };
    await new Copier(reading, writer, { events: counted, givesWay }).copyTo(head);
    const { digest, position } = await documents.digest(GENERATION);
    expect(position).toBe(head);
    return { pages, most, digest };
  }

  it('lets them have a turn every few events, and asks a store on a server for no more pages than without them', async () => {
    const server: EventStore = Object.assign(Object.create(store) as MemoryEventStore, {
      eventAt: (position: Position) => eventAt(store, position),
    });
    const alone = await made(store, false);
    const there = await made(server, true);
    const here = await made(store, true);
    expect([there.digest, here.digest]).toEqual([alone.digest, alone.digest]);
    expect([there.most, here.most]).toEqual([16, 16]);
    expect(there.pages).toBeLessThanOrEqual(alone.pages);
    expect(here.pages).toBeGreaterThan(EVENTS / 32);
  });
});
