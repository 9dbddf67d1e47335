import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore, type RecordedEvent } from '#lib/event-store';
import { openDatabase } from '#lib/sqlite';

import { openSignedReader } from './signed-reader.js';
import { everything, fill, openLog } from './testing/proof-support.js';

const PATIENCE_MS = 20_000;
const COUNT = 41;
/** Enough for leaves on several pages. */
const MANY = 600;
const PAGE_BYTES = 4096;

describe('a reader of what a checkpoint was signed over', () => {
  let folder: string;
  let events: readonly RecordedEvent[];
  let checkpoint: { readonly size: number; readonly root: string };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-signed-'));
    await sign(COUNT);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function sign(count: number): Promise<void> {
    const store = new MemoryEventStore();
    const { log } = await openLog(join(folder, 'proof.db'), store);
    log.start();
    await fill(store, count);
    checkpoint = await log.covering(String(count), PATIENCE_MS);
    events = await everything(store);
    await log.close();
    await store.close();
  }

  /** Of which events it says that they are signed. @param ahead told in turn before the events are looked up */
  function signed(looked: readonly RecordedEvent[], ...ahead: (readonly RecordedEvent[])[]): number[] {
    const reader = openSignedReader(folder, checkpoint);
    for (const some of ahead) reader.readAhead(some);
    const found = looked.flatMap((event, i) => (reader.find(event) === 'signed' ? [i] : []));
    reader.close();
    return found;
  }

  /** What it says of each event, or why it cannot. */
  function told(...ahead: (readonly RecordedEvent[])[]): string[] {
    let reader;
    try {
      reader = openSignedReader(folder, checkpoint);
    } catch (error) {
      return [String(error)];
    }
    try {
      for (const some of ahead) reader.readAhead(some);
      return events.map((event) => {
        try {
          return reader.find(event);
        } catch (error) {
          return String(error);
        }
      });
    } finally {
      reader.close();
    }
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

  it('looks up what does not lie on a page that is damaged, though it read ahead for what does', async () => {
    rmSync(join(folder, 'proof.db'));
    await sign(MANY);
    change('PRAGMA wal_checkpoint(TRUNCATE)');
    const sound = readFileSync(join(folder, 'proof.db'));
    const found: string[][] = [];
    for (let at = PAGE_BYTES; at < sound.length; at += PAGE_BYTES) {
      writeFileSync(join(folder, 'proof.db'), Buffer.from(sound).fill(0xff, at, at + PAGE_BYTES));
      const [plain, ahead] = [[], [events]].map((some) => told(...some));
      expect(ahead).toEqual(plain);
      found.push(plain!);
    }
    expect(found.some((told) => told.includes('signed') && told.some((one) => one.includes('malformed')))).toBe(true);
  });

  it('takes nothing from a tree in which a node on the way was changed, read ahead or not', () => {
    change('UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf IN (5, 12)');
    const found = signed(events);
    expect(found).not.toContain(4);
    expect(found).toContain(20);
    for (const event of events) expect(signed([event], [event])).toEqual(signed([event]));
  });
});
