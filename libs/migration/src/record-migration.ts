import { type EventLog, type EventStore, type Fold, START } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { setAsidePositions } from './decided-positions.js';
import { LOG_MIGRATED, type LogMigrated } from './domain/migration.events.js';

/** Beside what a restore puts there. */
const STREAM = 'system-log';
const PAGE = 1000;

/** Members of events that hold a position by which something is decided later, by the event's type. */
const DECIDED_BY: Readonly<Record<string, string>> = { APT_EVENT: 'through' };

type Positions = ReadonlyMap<string, string>;

const MIGRATIONS: Fold<readonly LogMigrated[]> = {
  name: 'log-migrations',
  initial: [],
  evolve: (known, { type, data }) => (type === LOG_MIGRATED ? [...known, data as unknown as LogMigrated] : known),
};

/**
 * The positions that a migrated log must know again: of each stream, the last that stands in one of its events; and those
 * of events without which read models are made.
 * @throws MigrationError where one of these is parked
 */
export async function decidedPositions(source: EventStore): Promise<ReadonlySet<string>> {
  const last = new Map<string, string>();
  for (let after = START; ;) {
    const page = await source.readAll({ after, limit: PAGE, types: Object.keys(DECIDED_BY) });
    for (const { stream, type, text } of page.events) {
      const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> };
      const position = data[DECIDED_BY[type] ?? ''];
      if (typeof position === 'string') last.set(stream, position);
    }
    if (page.atHead) return new Set([...last.values(), ...(await setAsidePositions(source))]);
    after = page.scannedTo;
  }
}

/** Puts a migration on record in the log where it lies now, once, in the name of who holds the folder and its keys. */
export async function recordMigration(log: EventLog, migrated: LogMigrated): Promise<void> {
  const jobSeed = systemSeed('log', `migrated-${migrated.root}`);
  await log.execute({
    stream: STREAM,
    fold: MIGRATIONS,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'local', role: 'admin' }, traceId: traceId(jobSeed) },
    decide: (known) =>
      known.some(({ root }) => root === migrated.root) ? [] : [{ type: LOG_MIGRATED, data: { ...migrated } }],
  });
}

/**
 * Where events lie now whose positions of another store stand in events of this log; of those that are decided by alone.
 * None of them is a position of this store: EventStoreDB counts bytes, the embedded store counts events.
 */
export async function movedPositions(log: EventLog): Promise<Positions> {
  const { state } = await log.fold(STREAM, MIGRATIONS);
  return new Map(state.flatMap(({ positions }) => Object.entries(positions)));
}
