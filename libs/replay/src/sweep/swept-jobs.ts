import { comparePositions, type EventStore, type Position, START, type StreamReader } from '#lib/event-store';
import { jobStream } from '#lib/jobs';

export interface JobPlace {
  readonly job_id: string;
  /** Of its first event. */
  readonly position: Position;
}

/** The jobs of a log, in the order in which they began. */
export interface SweptJobs {
  /** How many begin in (after, to]. */
  count(after: Position, to: Position): Promise<number>;
  /** Those, page by page. */
  pages(after: Position, to: Position): AsyncIterable<readonly JobPlace[]>;
}

/** Jobs that one range holds: some megabytes of events. */
export const RANGE = 128;
const PREFIX = jobStream('');
/** So many streams are counted or passed over between two turns of whoever else works. */
const PAGE = 1000;

/** By the names of the streams of a data folder, whatever they hold: a job that lost its first event is one too. */
export function jobsInFolder(reader: Pick<StreamReader, 'streamsAfter' | 'countStreams'>): SweptJobs {
  return {
    count: (after, to) => Promise.resolve(reader.countStreams(PREFIX, after, to)),
    async *pages(after, to) {
      for (let number = 0; ;) {
        const page = reader.streamsAfter(number, PREFIX, RANGE);
        const last = page.at(-1);
        if (!last) return;
        number = last.number;
        const within = page.filter(
          ({ first }) => comparePositions(first, after) > 0 && comparePositions(first, to) <= 0,
        );
        if (within.length > 0) yield within.map(({ stream, first }) => placeOf(stream, first));
        else await Promise.resolve();
      }
    },
  };
}

/** By reading every event, where a store can be asked in no other way. */
export function jobsInStore(store: Pick<EventStore, 'readAll'>): SweptJobs {
  async function* pages(after: Position, to: Position): AsyncGenerator<readonly JobPlace[]> {
    const seen = new Set<string>();
    let places: JobPlace[] = [];
    for (let at = START, atHead = false; !atHead && comparePositions(at, to) < 0;) {
      const page = await store.readAll({ after: at, limit: PAGE });
      for (const { stream, position } of page.events) {
        if (!stream.startsWith(PREFIX) || seen.has(stream) || comparePositions(position, to) > 0) continue;
        seen.add(stream);
        if (comparePositions(position, after) > 0) places.push(placeOf(stream, position));
      }
      for (; places.length >= RANGE; places = places.slice(RANGE)) yield places.slice(0, RANGE);
      at = page.scannedTo;
      atHead = page.atHead;
    }
    if (places.length > 0) yield places;
  }
  return {
    pages,
    async count(after, to) {
      let count = 0;
      for await (const page of pages(after, to)) count += page.length;
      return count;
    },
  };
}

function placeOf(stream: string, position: Position): JobPlace {
  return { job_id: stream.slice(PREFIX.length), position };
}
