import type { RecordedEvent } from '#lib/event-store';

import type { SignedTree } from '../signed-tree.js';

/** Looks one event after another up below one checkpoint; what it does not find is not told, for nothing follows from that. */
export function signedBy(reader: {
  find(event: RecordedEvent): 'signed' | 'unknown';
  readAhead(events: readonly RecordedEvent[]): void;
}): SignedTree {
  return {
    find: (event) => Promise.resolve(reader.find(event) === 'signed' ? 'signed' : 'uncovered'),
    readAhead: (events) => reader.readAhead(events),
  };
}
