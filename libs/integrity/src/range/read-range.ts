import type { EventLogReader, RecordedEvent } from '#lib/event-store';
import { DataFileError } from '#lib/sqlite';

import type { Range } from './range-report.js';

/** Positions (after, to] that lie on pages which cannot be read. */
export interface Unreadable extends Range {
  readonly reason: string;
}

export interface RangeRead {
  readonly range: Range;
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly Unreadable[];
  /** Positions of events that an index of the file does not lead to; absent where there is none to ask. */
  readonly hidden?: ReadonlySet<number>;
}

/**
 * What can be read of a range of the file. Where a page is damaged the range is halved until what is left of it is one
 * position: the damage of one page costs the events on it and no others.
 */
export function readRange(reader: EventLogReader, range: Range): RangeRead {
  const { after, to } = range;
  try {
    return { range, events: reader.range(after, to), unreadable: [], hidden: hiddenIn(reader, range) };
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    if (to - after === 1) return { range, events: [], unreadable: [{ ...range, reason: error.problem }] };
    const middle = after + Math.floor((to - after) / 2);
    const [first, second] = [readRange(reader, { after, to: middle }), readRange(reader, { after: middle, to })];
    return {
      range,
      events: [...first.events, ...second.events],
      unreadable: [...first.unreadable, ...second.unreadable],
      hidden: new Set([...(first.hidden ?? []), ...(second.hidden ?? [])]),
    };
  }
}

/** As far as the indexes can be read; where a page of one is damaged it leads to none of the events on it. */
function hiddenIn(reader: EventLogReader, { after, to }: Range): ReadonlySet<number> {
  try {
    return reader.hidden(after, to);
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    if (to - after === 1) return new Set([to]);
    const middle = after + Math.floor((to - after) / 2);
    return new Set([...hiddenIn(reader, { after, to: middle }), ...hiddenIn(reader, { after: middle, to })]);
  }
}
