import { setImmediate as nextTurn } from 'node:timers/promises';

import type { EventStore, RecordedEvent } from './port.js';

/**
 * Reads the first events of streams. Those asked for in one turn of the event loop are read together, where the store
 * can: a question costs as much as several answers to it, and jobs that end together stand on the same snapshots. Nothing
 * is kept: each is read after it was asked for.
 */
export class FirstEvents {
  private asked: {
    readonly streams: Set<string>;
    readonly answer: Promise<ReadonlyMap<string, RecordedEvent>>;
  } | null = null;

  constructor(private readonly store: Pick<EventStore, 'readStream' | 'readFirst'>) {}

  /**
   * The event of a stream with the lowest revision: of a stream that lost its first event, the one that is first now.
   * Null where there is none.
   */
  async of(stream: string): Promise<RecordedEvent | null> {
    const first = this.store.readFirst && (await this.together(stream)).get(stream);
    return first ?? (await this.store.readStream(stream, { limit: 1 })).events[0] ?? null;
  }

  private together(stream: string): Promise<ReadonlyMap<string, RecordedEvent>> {
    if (!this.asked) {
      const streams = new Set<string>();
      this.asked = { streams, answer: nextTurn().then(() => this.read(streams)) };
    }
    this.asked.streams.add(stream);
    return this.asked.answer;
  }

  private async read(streams: ReadonlySet<string>): Promise<ReadonlyMap<string, RecordedEvent>> {
    // Whoever asks from here on asks anew.
    this.asked = null;
    const firsts = new Map<string, RecordedEvent>();
    // Of two with one revision, which only a changed file holds, the earlier.
    for (const event of await this.store.readFirst!([...streams])) {
      if (!firsts.has(event.stream)) firsts.set(event.stream, event);
    }
    return firsts;
  }
}
