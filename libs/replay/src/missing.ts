import type { EventLog, LoggedEvent } from '#lib/event-store';
import { snapshotStream } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { developerMessage, eventId, type JsonObject } from '#lib/kernel';

import { missingWrite } from './memory-writes.js';
import { type BroughtReviews, missingRequest } from './review-requests.js';

/** What is not there at all of what a replay needs. */
export interface Missing {
  readonly error_code: 'MISSING_SNAPSHOT' | 'MISSING_PERSISTED_AGENT_OUTPUT';
  readonly detail: string;
  /** By the names of the error envelope's `meta`. */
  readonly about: JsonObject;
}

const SLICE = 1000;

/**
 * What a job names and nobody kept, by its record as it is stored, whether that verifies or not: what is absent is told
 * as absent, before anything that is there is found to be something else (spec/replay.md). Snapshots come first.
 * @param check told before each read; what it throws ends the search
 */
export async function findMissing(
  log: EventLog,
  jobId: string,
  check: () => void,
  reviews?: BroughtReviews,
): Promise<Missing | null> {
  const search = { log, check };
  const events = await storedEvents(search, jobStream(jobId));
  const snapshot = await missingSnapshot(search, events);
  if (snapshot !== null) {
    const detail = developerMessage('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: snapshot });
    return { error_code: 'MISSING_SNAPSHOT', detail, about: { snapshot_id: snapshot } };
  }
  const output = missingOutput(events);
  if (output !== null) return missingEvent(output, `agent output ${output}, which the log names, is not stored`);
  const vote = missingOutsideVote(events);
  if (vote !== null) return missingEvent(vote, `vote ${vote}, which the council counted, is not stored`);
  const known = events.flatMap(({ event }) => (event ? [event] : []));
  const written = await missingWrite(log, known, check);
  if (written !== null) return missingEvent(written, unstored(written));
  const request_id = await missingRequest(log, reviews, known, check);
  if (request_id === null) return null;
  return { error_code: 'MISSING_PERSISTED_AGENT_OUTPUT', detail: unmade(request_id), about: { request_id } };
}

function missingEvent(event_id: string, detail: string): Missing {
  return { error_code: 'MISSING_PERSISTED_AGENT_OUTPUT', detail, about: { event_id } };
}

export function unstored(eventId: string): string {
  return `event ${eventId}, which the job wrote to memory, is not stored`;
}

export function unmade(requestId: string): string {
  return `request ${requestId}, by which the job was brought before people, is not stored`;
}

async function missingSnapshot(search: Search, events: readonly Stored[]): Promise<string | null> {
  const pinned = signed(events, 'SNAPSHOTS_PINNED')?.data['snapshots'] ?? {};
  const ids = pinned as Readonly<Record<string, string>>;
  for (const id of textsIn(Object.values(ids))) if (await isAbsent(search, id)) return id;
  const selfrep = ids['selfrep'] === undefined ? [] : await storedEvents(search, snapshotStream(ids['selfrep']));
  const { chunks } = (signed(selfrep, 'SNAPSHOT_CREATED')?.data['body'] ?? {}) as { chunks?: unknown };
  for (const id of textsIn(chunks)) if (await isAbsent(search, id)) return id;
  return null;
}

interface Search {
  readonly log: EventLog;
  readonly check: () => void;
}

async function isAbsent({ log, check }: Search, snapshotId: string): Promise<boolean> {
  check();
  return (await log.store.readStream(snapshotStream(snapshotId), { limit: 1 })).events.length === 0;
}

/** Ids follow from seed, index and type, so that an id says by itself that an agent's output is meant. */
function missingOutput(events: readonly Stored[]): string | null {
  const log = signed(events, 'REFLECTIVE_LOG_WRITTEN');
  if (!log) return null;
  const there = new Set(events.map(({ id }) => id));
  const lost = new Set(textsIn(log.data['event_refs']).filter((id) => !there.has(id)));
  const { job_seed, sequence_index } = log.metadata;
  // An index is signed, and may still say anything: each event of a job takes one, and at most one more elsewhere.
  const end = Math.min(sequence_index, 2 * (events.length + lost.size));
  for (let i = 0; i < end && lost.size > 0; i++) {
    const id = eventId(job_seed, i, 'AGENT_OUTPUT');
    if (lost.has(id)) return id;
  }
  return null;
}

/** Where outside critics were asked, whatever the council counted must be there, as an agent's output must. */
function missingOutsideVote(events: readonly Stored[]): string | null {
  if (!events.some(({ type }) => type === 'OUTSIDE_CRITICS_ASKED')) return null;
  const there = new Set(events.map(({ id }) => id));
  for (const { type, event } of events) {
    if (type !== 'COUNCIL_DECISION' || event === null) continue;
    const lost = textsIn(event.data['votes']).find((id) => !there.has(id));
    if (lost !== undefined) return lost;
  }
  return null;
}

/** What is signed may still have any form. */
function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

/** An event as it is stored; `event` is null where it is not what was signed, and so names nothing. */
interface Stored {
  readonly id: string;
  readonly type: string;
  readonly event: LoggedEvent | null;
}

function signed(events: readonly Stored[], type: string): LoggedEvent | undefined {
  return events.find((stored) => stored.type === type && stored.event !== null)?.event ?? undefined;
}

async function storedEvents({ log, check }: Search, stream: string): Promise<readonly Stored[]> {
  const events: Stored[] = [];
  for (let from = 0; ;) {
    check();
    const slice = await log.store.readStream(stream, { from, limit: SLICE });
    for (const recorded of slice.events) {
      // Each by itself: what stood before it may be what is missing.
      events.push({ id: recorded.id, type: recorded.type, event: log.codec.signedAlone(recorded) });
    }
    if (slice.events.length < SLICE) return events;
    from = slice.events.at(-1)!.revision + 1;
  }
}
