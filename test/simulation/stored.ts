import type { EventCodec, LoggedEvent, RecordedEvent } from '#lib/event-store';

/** A log by stream, by seed and by type, in its order. */
export interface LogIndexed {
  readonly streams: ReadonlyMap<string, readonly LoggedEvent[]>;
  readonly ofSeed: (seed: string) => readonly LoggedEvent[];
  readonly ofType: (type: string) => readonly LoggedEvent[];
}

export function indexed(events: readonly RecordedEvent[], codec: EventCodec): LogIndexed {
  const all = events.map((event) => codec.decode(event));
  const ofSeed = grouped(all, ({ metadata }) => metadata.job_seed);
  const ofType = grouped(all, ({ type }) => type);
  return {
    streams: grouped(all, ({ stream }) => stream),
    ofSeed: (seed) => ofSeed.get(seed) ?? [],
    ofType: (type) => ofType.get(type) ?? [],
  };
}

function grouped(all: readonly LoggedEvent[], key: (event: LoggedEvent) => string): Map<string, LoggedEvent[]> {
  const groups = new Map<string, LoggedEvent[]>();
  for (const event of all) groups.set(key(event), [...(groups.get(key(event)) ?? []), event]);
  return groups;
}
