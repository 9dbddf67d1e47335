import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore, type RecordedEvent } from '#lib/event-store';
import { openDatabase } from '#lib/sqlite';

import { openSignedReader } from './signed-reader.js';
import { everything, fill, openLog } from './testing/proof-support.js';

const PATIENCE_MS = 20_000;
const COUNT = 41;

describe('a reader of what a checkpoint was signed over', () => {
  let folder: string;
  let events: readonly RecordedEvent[];
  let checkpoint: { readonly size: number; readonly root: string };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-signed-'));
    const store = new MemoryEventStore();
    const { log } = await openLog(join(folder, 'proof.db'), store);
    log.start();
    await fill(store, COUNT);
    checkpoint = await log.covering(String(COUNT), PATIENCE_MS);
    events = await everything(store);
    await log.close();
    await store.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Of which events it says that they are signed. @param ahead told in turn before the events are looked up */
  function signed(looked: readonly RecordedEvent[], ...ahead: (readonly RecordedEvent[])[]): number[] {
    const reader = openSignedReader(folder, checkpoint);
    for (const some of ahead) reader.readAhead(some);
    const found = looked.flatMap((event, i) => (reader.find(event) === 'signed' ? [i] : []));
    reader.close();
    return found;
  }

  function change(sql: string): void {
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec(sql);
    db.close();
  }

  const all = Array.from({ length: COUNT }, (_, i) => i);

  it('says the same of events whether it reads ahead for them, for others, for none, or for what is in no tree', () => {
    const beyond = { ...events[0]!, position: '4000' as RecordedEvent['position'] };
    for (const ahead of [[], [events], [events.slice(7, 9)], [events, []], [[beyond], events.slice(3)]])
      expect(signed(events, ...ahead)).toEqual(all);
    expect(signed([beyond], [beyond])).toEqual([]);
  });

  it('says of no event that was changed that it is signed, though it read ahead for the one that was', () => {
    const changed = events.map((event, i) =>
      i % 5 === 0 ? { ...event, text: event.text.replace('"n":', '"n":7') } : event,
    );
    const sound = all.filter((i) => i % 5 !== 0);
    expect(signed(changed, events)).toEqual(sound);
    expect(signed(changed)).toEqual(sound);
  });

  it('takes nothing from a tree in which a node on the way was changed, read ahead or not', () => {
    change('UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf IN (5, 12)');
    const found = signed(events);
    expect(found).not.toContain(4);
    expect(found).toContain(20);
    for (const event of events) expect(signed([event], [event])).toEqual(signed([event]));
  });
});
