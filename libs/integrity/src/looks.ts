import { type ArtifactStore, DamagedArtifactError, StoreUnavailableError } from '#lib/event-store';

import type { Fault } from './domain/fault.js';
import type { ArtifactRef, JobPlace } from './range/range-report.js';
import type { Looks } from './walk/walk.js';

/** What is asked of the domains about what a walk only names. */
export interface Lookers {
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  /** Whether an artifact that is missing may be: what it held was erased or has had its time. */
  mayBeGone(ref: ArtifactRef): Promise<boolean>;
  /** What is wrong with a snapshot as it is stored now; null where nothing is. */
  snapshotFault(id: string): Promise<string | null>;
  /** Why the references of a job's log do not hold; null where they do, or where its events themselves have a fault. */
  logFault(stream: string): Promise<string | null>;
  readonly snapshotPrefix: string;
}

/** Looks at everything that a part of the log names. */
export async function lookAt({ openLogs, snapshots, artifacts }: Looks, lookers: Lookers): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const found = (detector: Fault['detector'], place: JobPlace, reason: string): void => {
    const { stream, revision, position } = place;
    faults.push({ detector, stream, revision, position, reason });
  };
  for (const id of snapshots) {
    const reason = await answered(() => lookers.snapshotFault(id));
    const stream = lookers.snapshotPrefix + id;
    if (reason !== null) faults.push({ detector: 'snapshot', stream, revision: 0, position: null, reason });
  }
  for (const job of openLogs) {
    const reason = await answered(() => lookers.logFault(job.stream));
    if (reason !== null) found('log-reference', job, reason);
  }
  for (const ref of artifacts) {
    const reason = await answered(() => artifactFault(ref, lookers));
    if (reason !== null) found('artifact', ref, reason);
  }
  return faults;
}

/** What cannot be looked at is damaged, or stands on what is; only a store that is out of reach ends the walk. */
async function answered(look: () => Promise<string | null>): Promise<string | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StoreUnavailableError || !(error instanceof Error)) throw error;
    return `it cannot be checked: ${error.message}`;
  }
}

async function artifactFault(ref: ArtifactRef, lookers: Lookers): Promise<string | null> {
  try {
    if ((await lookers.artifacts.get(ref.name)) !== null) return null;
  } catch (error) {
    if (!(error instanceof DamagedArtifactError)) throw error;
    return `artifact ${ref.name} has another digest than its name`;
  }
  return (await lookers.mayBeGone(ref)) ? null : `artifact ${ref.name} is missing`;
}
