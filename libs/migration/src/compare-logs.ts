import { comparePositions, type EventStore, type Position, type RecordedEvent, START } from '#lib/event-store';

import { LOG_MIGRATED } from './domain/migration.events.js';
import { MigrationError } from './migration-error.js';

const PAGE = 1000;

/** How far one log is the beginning of another. */
export interface Beginning {
  /** Events that both have, the same in the same order. */
  readonly events: number;
  /** Where the last of them lies in the source; START where there is none. */
  readonly source: Position;
  /** Whether the migration is on record in the target, behind all of them. */
  readonly isRecorded: boolean;
}

export interface Comparison {
  /** Told how many events were compared, at times. */
  readonly onProgress?: (events: number) => void;
  /** Told of each event where it lies in both. */
  readonly onPair?: (source: Position, target: Position) => void;
}

/**
 * Whether all that a target holds is the beginning of a source: stream, revision, id, type and every byte of each event,
 * in the order of the log.
 * @throws MigrationError naming the first event that is another one, or of which the source knows nothing
 */
export async function beginningOf(
  source: EventStore,
  target: EventStore,
  { onProgress, onPair }: Comparison = {},
): Promise<Beginning> {
  const theirs = new Pages(source);
  const ours = new Pages(target);
  let [events, last] = [0, START];
  for (;;) {
    const found = await ours.next();
    if (found === undefined) return { events, source: last, isRecorded: false };
    const wanted = await theirs.next();
    if (wanted === undefined && found.type === LOG_MIGRATED && (await ours.next()) === undefined)
      return { events, source: last, isRecorded: true };
    refuseOther(found, wanted, events + 1);
    events++;
    last = wanted!.position;
    onPair?.(last, found.position);
    if (events % PAGE === 0) onProgress?.(events);
  }
}

function refuseOther(found: RecordedEvent, wanted: RecordedEvent | undefined, number: number): void {
  const place = `${found.stream}, revision ${found.revision}`;
  if (wanted === undefined)
    throw new MigrationError(
      `the target has more than the source: event ${number}, of stream ${place}. It has been served, or written to by somebody else; give an empty database`,
    );
  const differs = (['stream', 'revision', 'id', 'type', 'text'] as const).find((name) => found[name] !== wanted[name]);
  if (differs === undefined) return;
  throw new MigrationError(
    `the target holds something else than this log: its event ${number} is of stream ${place}, and has another ${differs} than that of the source (stream ${wanted.stream}, revision ${wanted.revision}). Give an empty database`,
  );
}

/** The events of a log one after the other, read by pages. */
class Pages {
  private events: readonly RecordedEvent[] = [];
  private at = 0;
  private after: Position = START;
  private isAtHead = false;

  constructor(private readonly store: EventStore) {}

  /** Undefined at the end. */
  async next(): Promise<RecordedEvent | undefined> {
    while (this.at === this.events.length) {
      if (this.isAtHead) return undefined;
      const page = await this.store.readAll({ after: this.after, limit: PAGE });
      [this.events, this.at, this.isAtHead] = [page.events, 0, page.atHead];
      if (comparePositions(page.scannedTo, this.after) > 0) this.after = page.scannedTo;
    }
    return this.events[this.at++];
  }
}
