import { IntegrityError } from '#lib/event-store';
import { type Snapshot, type SnapshotFault, type Snapshots, type SnapshotSet, snapshotStream } from '#lib/governance';
import { pinnedSnapshots, type StoredJob } from '#lib/jobs';
import { failure } from '#lib/kernel';

/** A snapshot that a job stands on is not what was signed. */
export class CorruptSnapshotError extends Error {
  constructor(
    readonly faults: readonly SnapshotFault[],
    { message }: IntegrityError,
  ) {
    super(message);
    this.name = 'CorruptSnapshotError';
  }
}

/**
 * The snapshots that a job pinned, each read and verified now.
 * @throws CorruptSnapshotError; MaceError MISSING_SNAPSHOT, INTEGRITY_FAILURE for one that is halted
 */
export function freshSnapshots(snapshots: Snapshots, job: StoredJob): Promise<SnapshotSet> {
  const pinning = job.events[1];
  const ids = (pinning?.data['snapshots'] ?? {}) as Record<string, string>;
  const load = async (id: string): Promise<Snapshot> => {
    const snapshot = await snapshots.loadFresh(id, pinning?.position).catch((error: unknown) => {
      throw error instanceof IntegrityError ? corrupt(id, error) : error;
    });
    if (!snapshot) throw failure('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: id }, { snapshot_id: id });
    await snapshots.halts.refuse([id]);
    return snapshot;
  };
  /** Of the modules, which are snapshots too, no job says by itself that it stands on them. */
  const corrupt = (id: string, error: IntegrityError): CorruptSnapshotError => {
    const { job_id } = job.result;
    const pinned = Object.values(ids).includes(id) ? [id] : [id, ids['selfrep']!];
    const fault = { stream: snapshotStream(id), revision: error.revision, reason: error.reason, job_id };
    return new CorruptSnapshotError(
      pinned.map((snapshot_id) => ({ ...fault, snapshot_id })),
      error,
    );
  };
  return pinnedSnapshots({ load }, ids);
}
