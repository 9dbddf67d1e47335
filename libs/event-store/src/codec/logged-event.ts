import type { EventMetadata, JsonObject } from '#lib/kernel';

import type { Position } from '../port.js';

/** An event as it is worked with: of the current version, with its place in the log. */
export interface LoggedEvent<T extends string = string, D = JsonObject> {
  readonly type: T;
  readonly data: D;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: number;
  /** Of an event just appended together with others: the position of the last of them. */
  readonly position: Position;
  /** When its store took an event of release 0.1, milliseconds since the Unix epoch; absent where metadata say when. */
  readonly unsignedAt?: number;
}

/** When an event was recorded, as people are shown it. */
export interface RecordedTime {
  /** ISO 8601. */
  readonly recorded_at: string;
  /** `unsigned`: of release 0.1, whose events say no time, so that it is the store's word alone. */
  readonly recorded_at_is: 'signed' | 'unsigned';
}

/** The latest moment that a date holds. */
const LATEST = 8_640_000_000_000_000;

export function recordedTime({ metadata, unsignedAt = 0 }: Pick<LoggedEvent, 'metadata' | 'unsignedAt'>): RecordedTime {
  const { recorded_at } = metadata;
  if (recorded_at !== undefined) return { recorded_at, recorded_at_is: 'signed' };
  // Whoever writes to the store may have put any number there.
  const time = new Date(Math.min(Math.max(unsignedAt, 0), LATEST));
  return { recorded_at: time.toISOString(), recorded_at_is: 'unsigned' };
}
