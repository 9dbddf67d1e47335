import { IntegrityError } from '#lib/event-store';
import { chunksIn, type Snapshot, type Snapshots, snapshotStream } from '#lib/governance';

import { artifactName } from './domain/missing.js';

/**
 * What a replay of a job on these snapshots would miss, from what is really stored, and from nothing that is in memory
 * (seed 002 section 9). One that is stored otherwise than it was signed is halted, and no job begins on it any more.
 */
export async function missingArtifacts(
  snapshots: Pick<Snapshots, 'loadFresh' | 'halts'>,
  ids: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = [];
  const look = async (id: string): Promise<Snapshot | null> => {
    try {
      const snapshot = await snapshots.loadFresh(id);
      if (!snapshot) missing.push(artifactName('snapshot', id));
      return snapshot;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      const { revision, reason } = error;
      await snapshots.halts.halt({ snapshot_id: id, stream: snapshotStream(id), revision, reason });
      missing.push(artifactName('integrity', id));
      return null;
    }
  };
  for (const id of ids) {
    const snapshot = await look(id);
    if (snapshot?.kind === 'selfrep') for (const chunk of chunksIn(snapshot.body)) await look(chunk);
  }
  return missing;
}
