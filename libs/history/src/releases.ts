import { randomUUID } from 'node:crypto';

import type { EventLog, Fold } from '#lib/event-store';
import { type EventDefinition, systemSeed, traceId } from '#lib/kernel';

import {
  evolveReleases,
  noReleases,
  recordRelease,
  type ReleaseRecorded,
  type Releases,
  RELEASES_STREAM,
  unreadable,
  type UnreadableType,
} from './domain/releases.js';

const RELEASES: Fold<Releases> = { name: 'releases', initial: noReleases, evolve: evolveReleases };
const NAMED = 3;

/** The log holds events that a newer release wrote and this one would read wrongly, or not at all. */
export class NewerLogError extends Error {
  constructor(
    readonly types: readonly UnreadableType[],
    release: string,
  ) {
    const named = types.slice(0, NAMED).map(({ type, version, known, release: by }) => {
      const reads = known === null ? 'does not know' : `reads up to version ${known} of`;
      return `${by} writes ${type} in version ${version}, which ${release} ${reads}`;
    });
    const more = types.length > NAMED ? `, and ${types.length - NAMED} more` : '';
    super(`the log was written by a newer release: ${named.join('; ')}${more}; start the newer release`);
    this.name = 'NewerLogError';
  }
}

/**
 * Refuses a log that a newer release wrote, and puts on record which release writes it from here on. Lists read the types
 * that they know and would pass over the others in silence, so that this is asked before anything is read.
 * @throws NewerLogError, IntegrityError
 */
export async function takeUpLog(
  log: EventLog,
  release: string,
  definitions: readonly EventDefinition[],
): Promise<void> {
  const current = recordOf(release, definitions);
  const jobSeed = systemSeed('releases', randomUUID());
  await log.execute({
    stream: RELEASES_STREAM,
    fold: RELEASES,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
    decide: (releases) => {
      const types = unreadable(releases, current);
      if (types.length > 0) throw new NewerLogError(types, release);
      return recordRelease(releases, current);
    },
  });
}

/**
 * What of a log this release cannot read, by the records in its stream of releases, for who may not write in it.
 * @param records data of its events, in their order
 */
export function unreadableTypes(
  records: readonly ReleaseRecorded[],
  release: string,
  definitions: readonly EventDefinition[],
): readonly UnreadableType[] {
  const releases = records.reduce((all, record) => evolveReleases(all, { data: { ...record } }), noReleases);
  return unreadable(releases, recordOf(release, definitions));
}

function recordOf(release: string, definitions: readonly EventDefinition[]): ReleaseRecorded {
  return { release, event_versions: Object.fromEntries(definitions.map(({ type, version }) => [type, version])) };
}
