import { comparePositions, type EventLog, type LoggedEvent, positionOf } from '#lib/event-store';
import { actionRequestStream } from '#lib/governance';

/** How far jobs' wishes for a person's review were brought before governance, which happens behind the job. */
export interface BroughtReviews {
  /** Position up to which every wish has its request; null where nobody can tell. */
  broughtTo(): Promise<string | null>;
}

/**
 * The first request that a job brought before people, and that is not stored; null where there is none. One that may not
 * have been made yet is not missing.
 * @param check told before each read; what it throws ends the search
 */
export async function missingRequest(
  { store }: EventLog,
  reviews: BroughtReviews | undefined,
  events: readonly Pick<LoggedEvent, 'type' | 'data' | 'position'>[],
  check: () => void = () => undefined,
): Promise<string | null> {
  if (!reviews) return null;
  for (const { type, data, position } of events) {
    const { request_id } = data;
    if (type !== 'ACTION_REQUESTED' || typeof request_id !== 'string') continue;
    check();
    // First how far they were brought: a request may be stored between two looks, and none is taken away.
    const brought = await reviews.broughtTo();
    if (brought === null || comparePositions(positionOf(brought), position) < 0) continue;
    // Read, not counted: a store may know by heart how long a stream was.
    const { events: stored } = await store.readStream(actionRequestStream(request_id), { limit: 1 });
    if (stored.length === 0) return request_id;
  }
  return null;
}
