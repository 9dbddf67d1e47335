import { DataFolder } from '#lib/sqlite';

import { openSqliteEventStore } from '../sqlite/sqlite-event-store.js';
import { newEvent } from './contract-support.js';

/**
 * A process, not a thread: appends to the store in the folder it is given under 32 concurrent callers, writes a line for
 * each acknowledged event, and goes on until it is killed. Every append carries up to three events; each text says which
 * part of which append it is.
 */
const CALLERS = 32;

const store = await openSqliteEventStore({ folder: DataFolder.take(process.argv[2]!) });

await Promise.all(
  Array.from({ length: CALLERS }, async (_, caller) => {
    // Every fourth caller fights with three others for one stream.
    const stream = caller % 4 === 0 ? 'contested' : `caller-${caller}`;
    for (let version = await store.streamVersion(stream); ;) {
      const of = 1 + (version % 3);
      const [first, ...rest] = Array.from({ length: of }, (_, part) =>
        newEvent(JSON.stringify({ caller, part, of, fill: 'x'.repeat(600) })),
      );
      const result = await store.append(stream, version, [first!, ...rest]);
      if (result.outcome === 'appended') {
        const lines = [first!, ...rest].map(({ id }, i) => `${stream} ${result.version - of + i} ${id}\n`);
        await written(lines.join(''));
      }
      version = result.version;
    }
  }),
);

/** Resolves once the text is in the pipe, which is full while the reader is slow. */
function written(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}
