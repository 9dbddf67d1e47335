import { type EventStore, type Page, positionOf, type RecordedEvent } from '#lib/event-store';
import { notesProjection } from './notes.js';

/**
 * The same events in every process, without a file that a kill could touch.
 * @param onPage told up to where a page leads before it is given; the page waits for it
 */
export function computedLog(length: number, onPage: (to: string) => unknown): EventStore {
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
        await onPage(at);
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
