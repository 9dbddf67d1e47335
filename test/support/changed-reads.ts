import type { EventStore, RecordedEvent, StreamPart, StreamSlice } from '#lib/event-store';

/**
 * Changes what a store answers of one stream, however it is asked for it, until the function that is given back is called.
 * A change to nothing takes the events away.
 */
export function changeReads(
  store: EventStore,
  stream: string,
  change: (event: RecordedEvent) => RecordedEvent | null,
): () => void {
  const changed = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
    events.flatMap((event) => (event.stream === stream ? (change(event) ?? []) : event));
  const [readStream, readFirst] = [store.readStream.bind(store), store.readFirst?.bind(store)];
  const spies = [
    jest.spyOn(store, 'readStream').mockImplementation(async (...args) => {
      const slice = await readStream(...args);
      return { ...slice, events: changed(slice.events) };
    }),
  ];
  const bySelf: jest.SpyInstance[] = store.readStreams
    ? [
        jest
          .spyOn(store as Required<EventStore>, 'readStreams')
          .mockImplementation((parts) => eachByItself(store, parts)),
      ]
    : [];
  const more = readFirst
    ? [
        jest
          .spyOn(store as Required<EventStore>, 'readFirst')
          .mockImplementation(async (...args) => changed(await readFirst(...args))),
      ]
    : [];
  return () => [...spies, ...more, ...bySelf].forEach((spy) => spy.mockRestore());
}

/** Parts of streams as a store reads each, so that what stands in its way there stands in the way of all. */
export function eachByItself(
  store: Pick<EventStore, 'readStream'>,
  parts: readonly StreamPart[],
): Promise<readonly StreamSlice[]> {
  return Promise.all(parts.map(({ stream, from, limit }) => store.readStream(stream, { from, limit })));
}
