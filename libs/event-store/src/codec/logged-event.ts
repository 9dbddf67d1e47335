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
}
