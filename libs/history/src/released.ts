import { comparePositions, type EventLog, type Fold, type Position } from '#lib/event-store';

import { RELEASES_STREAM } from './domain/releases.js';

interface Recorded {
  readonly release: string;
  readonly position: Position;
}

const RECORDED: Fold<readonly Recorded[]> = {
  name: 'recorded-releases',
  initial: [],
  evolve: (known, { data, position }) => [...known, { release: data['release'] as string, position }],
};

/**
 * Whether a release is one that the log records before a position: nothing there was written by another. A log that records
 * none, as one that no server has taken up, says nothing of releases.
 * @throws IntegrityError
 */
export async function isReleasedBefore(log: EventLog, release: string, position: Position): Promise<boolean> {
  const { state } = await log.fold(RELEASES_STREAM, RECORDED);
  if (state.length === 0) return true;
  return state.some((known) => known.release === release && comparePositions(known.position, position) < 0);
}
