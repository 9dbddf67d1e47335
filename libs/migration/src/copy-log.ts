import { setTimeout as rest } from 'node:timers/promises';

import {
  type EventStore,
  type NonEmpty,
  type RecordedEvent,
  splitBySize,
  StoreUnavailableError,
} from '#lib/event-store';

import { type Beginning } from './compare-logs.js';
import { MigrationError } from './migration-error.js';

const PAGE = 1000;
/** Most events in one append. */
const TOGETHER = 256;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

export interface CopyOptions {
  /** How long the target may be away, ms; default a minute. */
  readonly patienceMs?: number;
  /** Told how many events the target holds by now. */
  readonly onProgress: (events: number) => void;
}

/**
 * Appends to a target what it lacks of a source, in the order of the log, one append after the other: so whenever this is
 * broken off, the target holds a beginning of the source. What was written and whose answer was lost is found by its ids.
 * @param from how far the target is
 * @returns how many were appended
 * @throws MigrationError where somebody else writes to the target; StoreUnavailableError where it is away too long
 */
export async function copyEvents(
  source: EventStore,
  target: EventStore,
  from: Beginning,
  { patienceMs = 60_000, onProgress }: CopyOptions,
): Promise<number> {
  let copied = 0;
  for (let after = from.source; ;) {
    const page = await source.readAll({ after, limit: PAGE });
    for (const run of runsOf(page.events)) {
      await appendRun(target, run, patienceMs);
      copied += run.length;
      onProgress(from.events + copied);
    }
    if (page.atHead) return copied;
    after = page.scannedTo;
  }
}

/** Neighbours in the log that are of one stream, as many as one append takes. */
function runsOf(events: readonly RecordedEvent[]): readonly NonEmpty<RecordedEvent>[] {
  const runs: RecordedEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0]?.stream === event.stream && run.length < TOGETHER) run.push(event);
    else runs.push([event]);
  }
  return runs.flatMap((run) => splitBySize(run));
}

async function appendRun(target: EventStore, run: NonEmpty<RecordedEvent>, patienceMs: number): Promise<void> {
  const [{ stream, revision }] = run;
  const events = run.map(({ id, type, text }) => ({
    id,
    type,
    text,
    copied: true,
  })) as unknown as NonEmpty<RecordedEvent>;
  const until = Date.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const { outcome, version } = await target.append(stream, revision === 0 ? 'none' : revision, events);
      if (outcome === 'appended') return;
      throw new MigrationError(
        `somebody else writes to the target: stream ${stream} has ${version} events there, and ${revision} were expected. Stop them, and give an empty database`,
      );
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || Date.now() >= until) throw error;
      await rest(pause);
    }
  }
}
