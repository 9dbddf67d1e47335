import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  comparePositions,
  type EventStore,
  type Position,
  positionOf,
  START,
  type StreamReader,
} from '#lib/event-store';
import { jobStream } from '#lib/jobs';

export interface JobPlace {
  readonly job_id: string;
  /** Of its first event. */
  readonly position: Position;
}

/** Jobs that are replayed together. */
export interface JobsPage {
  readonly places: readonly JobPlace[];
  /** The jobs of every later page begin behind this position. */
  readonly upTo: Position;
}

/** The jobs of a log, in the order in which they began. */
export interface SweptJobs {
  /** How many begin in (after, to]. */
  count(after: Position, to: Position): Promise<number>;
  /** Those, page by page. */
  pages(after: Position, to: Position): AsyncIterable<JobsPage>;
}

/** Jobs that one range holds: some megabytes of events. */
export const RANGE = 128;
const PREFIX = jobStream('');
/** Events that are read at once. */
const PAGE = 1000;

/**
 * By the names of the streams of a data folder, whatever they hold: a job that lost its first event is one too. It seems to
 * begin later than it did, and is taken to begin at the latest where its page ends, so that it is in one part of the log
 * alone however that is parted.
 */
export function jobsInFolder(reader: Pick<StreamReader, 'streamsAfter'>): SweptJobs {
  type Page = ReturnType<StreamReader['streamsAfter']>;
  const pageAfter = (page: Page | null): Page => reader.streamsAfter(page?.at(-1)?.number ?? 0, PREFIX, RANGE);
  async function* pages(after: Position, to: Position): AsyncGenerator<JobsPage> {
    let page = pageAfter(null);
    while (page.length > 0) {
      const next = pageAfter(page);
      const end = beforeAll(next);
      const places = page
        .filter(({ first }) => isWithin(earlier(first, end), after, to))
        .map(({ stream, first }) => placeOf(stream, first));
      if (places.length > 0) yield { places, upTo: earlier(to, end) };
      else await nextTurn();
      page = next;
    }
  }
  return { pages, count: countOf(pages) };
}

/** Between two pages whoever else works has a turn. */
function countOf(pages: SweptJobs['pages']): SweptJobs['count'] {
  return async (after, to) => {
    let count = 0;
    for await (const { places } of pages(after, to)) {
      count += places.length;
      await nextTurn();
    }
    return count;
  };
}

function isWithin(position: Position, after: Position, to: Position): boolean {
  return comparePositions(position, after) > 0 && comparePositions(position, to) <= 0;
}

/**
 * What lost its first events seems to begin later than it did, and what comes after it does not: the least of a page is
 * where it begins. Null for one without streams.
 */
function beforeAll(page: readonly { readonly first: Position }[]): Position | null {
  const [begins] = page.map(({ first }) => first).sort(comparePositions);
  return begins === undefined ? null : positionOf(BigInt(begins) - 1n);
}

function earlier(a: Position, b: Position | null): Position {
  return b === null || comparePositions(a, b) < 0 ? a : b;
}

/** By reading every event, where a store can be asked in no other way. */
export function jobsInStore(store: Pick<EventStore, 'readAll'>): SweptJobs {
  async function* pages(after: Position, to: Position): AsyncGenerator<JobsPage> {
    const seen = new Set<string>();
    let places: JobPlace[] = [];
    for (let at = START, atHead = false; !atHead && comparePositions(at, to) < 0;) {
      const page = await store.readAll({ after: at, limit: PAGE });
      for (const { stream, position } of page.events) {
        if (!stream.startsWith(PREFIX) || seen.has(stream) || comparePositions(position, to) > 0) continue;
        seen.add(stream);
        if (comparePositions(position, after) > 0) places.push(placeOf(stream, position));
      }
      for (; places.length >= RANGE; places = places.slice(RANGE)) yield pageOf(places.slice(0, RANGE));
      at = page.scannedTo;
      atHead = page.atHead;
    }
    if (places.length > 0) yield pageOf(places);
  }
  return { pages, count: countOf(pages) };
}

/** In the order of the log. */
function pageOf(places: readonly JobPlace[]): JobsPage {
  return { places, upTo: places.at(-1)!.position };
}

function placeOf(stream: string, position: Position): JobPlace {
  return { job_id: stream.slice(PREFIX.length), position };
}
