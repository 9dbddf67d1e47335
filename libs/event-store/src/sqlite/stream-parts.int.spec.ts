import { join } from 'node:path';

import { openDatabase } from '#lib/sqlite';

import type { EventStore, StreamPart } from '../port.js';
import { StreamReads } from '../stream-reads.js';
import { idsOf, newEvent, newEvents } from '../testing/contract-support.js';
import { inTemporaryPlace, type Place } from '../testing/temporary-folder.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

/** What `readStreams` leaves to be read stream by stream, and that it is then as it would have been. */

type Open = EventStore & Required<Pick<EventStore, 'readStreams'>>;

async function storeIn({ folder, keep }: Place): Promise<Open> {
  return (await keep(openSqliteEventStore({ folder }))) as Open;
}

const whole = (stream: string): StreamPart => ({ stream, from: 0, limit: 1000 });

it(
  'more than 8 MiB of text is not answered at once: what lies beyond is left out, and comes stream by stream',
  inTemporaryPlace(async (place) => {
    const store = await storeIn(place);
    const large = `"${'x'.repeat(800 * 1024)}"`;
    const streams = Array.from({ length: 14 }, (_, i) => `large-${i}`);
    for (const stream of streams) await store.append(stream, 'none', [newEvent(large)]);
    await store.append('small', 'none', newEvents(2));
    const asked = [...streams, 'small'].map(whole);
    for (let again = 0; again < 2; again++) {
      const found = await store.readStreams(asked);
      const left = found.filter((slice) => slice === undefined).length;
      expect([left > 3, left < 8]).toEqual([true, true]);
      expect(found.slice(0, -left).every((slice) => slice?.events[0]!.text === large)).toBe(true);
      expect(await store.readStreams([whole('small')])).toMatchObject([{ version: 2 }]);
    }
    const reads = new StreamReads(store);
    const all = await Promise.all(asked.map(({ stream, from, limit }) => reads.slice(stream, from, limit)));
    expect(all.map(({ version }) => version)).toEqual([...streams.map(() => 1), 2]);
  }),
);

it.each([
  ['its first event', 0],
  ['one between', 1],
  ['its last', 2],
])('a stream that lost %s is read as by itself, beside others that are whole', (_, revision) =>
  inTemporaryPlace(async (place) => {
    const store = await storeIn(place);
    for (const stream of ['harmed', 'whole']) await store.append(stream, 'none', newEvents(3));
    const database = openDatabase(join(place.folder.path, 'events.db'));
    database.exec('DROP TRIGGER events_are_never_deleted');
    database.exec(
      `DELETE FROM events WHERE revision = ${revision} AND stream = (SELECT id FROM streams WHERE name = 'harmed')`,
    );
    const reads = new StreamReads(store);
    const [harmed, other] = await Promise.all([reads.slice('harmed', 0, 1000), reads.slice('whole', 0, 1000)]);
    expect(harmed).toEqual(await store.readStream('harmed'));
    expect(idsOf(other.events)).toHaveLength(3);
  })(),
);

it(
  'a read that fails between two rows keeps nothing of the file: what is stored since is what is read',
  inTemporaryPlace(async (place) => {
    const store = await storeIn(place);
    for (const stream of ['harmed', 'whole']) await store.append(stream, 'none', newEvents(3));
    const database = openDatabase(join(place.folder.path, 'events.db'));
    database.exec('DROP TRIGGER events_are_never_deleted; DROP TRIGGER events_are_never_changed');
    const of = (stream: string): string =>
      `revision = 2 AND stream = (SELECT id FROM streams WHERE name = '${stream}')`;
    // No release writes such a number, and no number of JavaScript holds it.
    database.exec(`UPDATE events SET recorded_at = 9223372036854775807 WHERE ${of('harmed')}`);
    await expect(store.readStreams([whole('harmed'), whole('whole')])).rejects.toThrow('is damaged');
    database.exec(`DELETE FROM events WHERE ${of('whole')}`);
    expect(idsOf((await store.readStream('whole')).events)).toHaveLength(2);
    database.close();
  }),
);
