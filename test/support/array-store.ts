import {
  type Appended,
  type Conflict,
  type EventStore,
  type Page,
  type Position,
  positionOf,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamSlice,
  type SubscriptionItem,
} from '#lib/event-store';

/** A log as somebody left it who holds the file: whatever the events are, they are read as they stand. */
export class ArrayStore implements EventStore {
  constructor(private readonly events: readonly RecordedEvent[]) {}

  readStream(
    name: string,
    { from = 0, limit = 1000, backwards = false }: ReadStreamOptions = {},
  ): Promise<StreamSlice> {
    const all = this.events.filter(({ stream }) => stream === name);
    const version = (all.at(-1)?.revision ?? -1) + 1;
    const events = backwards ? all.reverse() : all.filter(({ revision }) => revision >= from);
    return Promise.resolve({ events: events.slice(0, limit), version });
  }

  async streamVersion(name: string): Promise<number> {
    return (await this.readStream(name)).version;
  }

  readAll({ after, limit, types }: ReadAllOptions): Promise<Page> {
    const wanted = this.events.filter(
      ({ type, position }) => Number(position) > Number(after) && (types?.includes(type) ?? true),
    );
    const events = wanted.slice(0, limit);
    const atHead = events.length === wanted.length;
    const last = events.at(-1)?.position;
    return Promise.resolve({ events, atHead, scannedTo: (atHead ? this.last() : last) ?? after });
  }

  head(): Promise<Position> {
    return Promise.resolve(this.last() ?? positionOf(0));
  }

  append(): Promise<Appended | Conflict> {
    return Promise.reject(new Error('nothing is appended to a log that is looked at'));
  }

  subscribeAll(): AsyncIterable<SubscriptionItem> {
    throw new Error('nobody follows a log that is looked at');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private last(): Position | undefined {
    return this.events.at(-1)?.position;
  }
}

/** The same events with positions and revisions as a store would have given them in this order. */
export function renumbered(events: readonly RecordedEvent[]): RecordedEvent[] {
  const versions = new Map<string, number>();
  return events.map((event, i) => {
    const revision = versions.get(event.stream) ?? 0;
    versions.set(event.stream, revision + 1);
    return { ...event, revision, position: positionOf(i + 1) };
  });
}
