import type { EventCodec, EventLog, LoggedEvent, RecordedEvent } from '#lib/event-store';

import type { History } from './history.js';

/** A log by stream, by seed and by type, in its order. */
export interface LogIndexed {
  readonly streams: ReadonlyMap<string, readonly LoggedEvent[]>;
  readonly ofSeed: (seed: string) => readonly LoggedEvent[];
  readonly ofType: (type: string) => readonly LoggedEvent[];
}

/** A history and its log, opened by a process that had no part in it. */
export interface Examined extends LogIndexed {
  readonly history: History;
  readonly log: EventLog;
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
