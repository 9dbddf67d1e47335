import type { EventStore, RecordedEvent } from '#lib/event-store';

const PAGE = 1000;

/** All events of a stream as they are stored, in order. */
export async function* streamOf(events: EventStore, stream: string): AsyncGenerator<RecordedEvent> {
  for (let from = 0; ;) {
    const { events: page } = await events.readStream(stream, { from, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    from = page.at(-1)!.revision + 1;
  }
}
