import { MemoryEventStore } from '#lib/event-store';
import { MemoryReadStore } from '#lib/read-store';
import { NO_DECISIONS, type ProjectionDecisions } from './domain/decisions.js';
import { type ParkedFacts } from './domain/parking.js';
import { eventSkipped } from './domain/parking.events.js';
import { MovedDecisions } from './moved-decisions.js';
import { ProjectionHost } from './projection-host.js';
import { ReadModel } from './read-model.js';
import { append, noteEvent, notesProjection, parse } from './testing/notes.js';
import { by, recordOver } from './testing/projection-house.js';

const FACTS: ParkedFacts = {
  position: '40',
  event_id: '',
  event_type: 'NOTED',
  reason_class: 'projecting',
  state: 'discarded',
  partition: null,
  through: '44',
  replays: 0,
  by: 'olga',
  reason: null,
  decided_by: null,
};

describe('what was decided about events before their log was moved', () => {
  let store: MemoryEventStore;
  let moved: Map<string, string>;
  let event: { readonly id: string; readonly place: string };
  beforeEach(async () => {
    store = new MemoryEventStore();
    for (let n = 0; n < 3; n++) await append(store, noteEvent('NOTED', { note: 'n', author: 'a' }));
    const one = noteEvent('NOTED', { note: 'n', author: 'a' });
    const place = await append(store, one);
    event = { id: one.id, place };
    moved = new Map([
      ['40', place],
      ['44', '2'],
    ]);
  });
  const decided = (...parked: readonly ParkedFacts[]): ProjectionDecisions => ({ ...NO_DECISIONS, parked });

  it('is of the events where they lie now, and the same object each time', async () => {
    const decisions = new MovedDecisions(store, () => Promise.resolve(moved));
    const before = decided({ ...FACTS, event_id: event.id });
    const after = await decisions.of(before);
    expect(after.parked).toEqual([{ ...FACTS, event_id: event.id, position: event.place, through: '2' }]);
    expect(await decisions.of(before)).toBe(after);
  });

  it('is told by the event’s id from what was decided since, at a position that is the same number', async () => {
    const since = decided({ ...FACTS, event_id: 'f'.repeat(64) });
    expect((await new MovedDecisions(store, () => Promise.resolve(moved)).of(since)).parked).toEqual(since.parked);
  });

  it('keeps a read model that is made anew from halting at an event that was skipped there', async () => {
    const poison = noteEvent('POISON', { note: 'n', author: 'a' });
    const place = await append(store, poison);
    await append(store, noteEvent('NOTED', { note: 'behind', author: 'a' }));
    const record = recordOver(store, () => Promise.resolve(new Map([['40', place]])));
    const { event_type, reason_class, reason } = FACTS;
    const skipped = { projection: 'notes', position: '40', event_id: poison.id, event_type, reason_class, reason };
    await record.decide('notes', by('skip'), () => [eventSkipped(skipped)]);
    const documents = new MemoryReadStore();
    const host = new ProjectionHost({
      projections: [notesProjection],
      events: store,
      documents,
      decode: parse,
      record,
    });
    host.start();
    await host.waitFor(await store.head(), ['notes']);
    const model = new ReadModel(documents, notesProjection);
    expect(await model.get('notes', 'behind')).not.toBeNull();
    await host.stop();
  });

  it('gives way to a later word on the same event, which names where it lies now', async () => {
    const later = { ...FACTS, event_id: event.id, position: event.place, state: 'skipped', through: null } as const;
    const both = decided({ ...FACTS, event_id: event.id }, later);
    expect((await new MovedDecisions(store, () => Promise.resolve(moved)).of(both)).parked).toEqual([later]);
  });

  it('is as it is where no log was moved, without a look at any event', async () => {
    const looks = jest.spyOn(store, 'readAll');
    const before = decided({ ...FACTS, event_id: event.id });
    for (const positions of [undefined, () => Promise.resolve(new Map<string, string>())])
      expect(await new MovedDecisions(store, positions).of(before)).toBe(before);
    expect(looks).not.toHaveBeenCalled();
  });

  it('is asked for again where the store was away', async () => {
    let isAway = true;
    const positions = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(moved));
    const decisions = new MovedDecisions(store, positions);
    await expect(decisions.of(NO_DECISIONS)).rejects.toThrow('away');
    isAway = false;
    expect((await decisions.of(decided({ ...FACTS, event_id: event.id }))).parked[0]?.position).toBe(event.place);
  });
});
