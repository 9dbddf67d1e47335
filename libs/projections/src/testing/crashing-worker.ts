import { type RecordedEvent, type EventStore, type Page, positionOf } from '#lib/event-store';
import { SqliteReadStore } from '#lib/read-store';
import { ProjectionRunner } from '../projection-runner.js';
import { notesProjection, parse } from './notes.js';

/**
 * A process for kill -9: follows a log that only exists as a function of the position, in small batches, until it has
 * all `argv[3]` events. The read store is in the folder `argv[2]`. Writes a line for each batch that it takes.
 */
const [folder = '', count = '0'] = process.argv.slice(2);
const documents = await SqliteReadStore.open({ folder });
const events = computedLog(Number(count));
const runner = new ProjectionRunner(notesProjection, { events, documents, decode: parse, maxBatchEvents: 7 });
runner.start();
await runner.waitFor(count, 600_000);
await runner.stop();
await documents.close();

/** The same events in every process, without a file that a kill could touch. */
function computedLog(length: number): EventStore {
  const page = (after: string, limit: number): Page => {
    const from = Number(after);
    const to = Math.min(length, from + limit);
    const all = Array.from({ length: to - from }, (_, i) => computedEvent(from + i + 1));
    const matching = all.filter(({ type }) => notesProjection.types.includes(type));
    return { events: matching, scannedTo: positionOf(to), atHead: to === length };
  };
  return {
    async readAll({ after, limit }: { after: string; limit: number }) {
      return page(after, limit);
    },
    async head() {
      return positionOf(length);
    },
    async *subscribeAll({ after, pageSize = 7, signal }: { after: string; pageSize?: number; signal?: AbortSignal }) {
      let at: string = after;
      while (Number(at) < length && !signal?.aborted) {
        const next = page(at, pageSize);
        at = next.scannedTo;
        process.stdout.write(`${at}\n`);
        yield { kind: 'page', page: next };
        await new Promise(setImmediate);
      }
      yield { kind: 'caughtUp', position: positionOf(at) };
      if (!signal?.aborted) await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  } as unknown as EventStore;
}

function computedEvent(position: number): RecordedEvent {
  const note = `n${(position * 7) % 41}`;
  const [type, data] =
    position % 9 === 8
      ? ['REMOVED', { note }]
      : position % 9 === 4
        ? ['UNRELATED', {}]
        : ['NOTED', { note, author: `a${position % 5}`, text: `text ${position}` }];
  const text = JSON.stringify({ data, metadata: { schema_version: 1 }, type });
  return {
    stream: 'computed',
    revision: position - 1,
    position: positionOf(position),
    id: String(position).padStart(64, '0'),
    type,
    text,
    recordedAt: 0,
  };
}
