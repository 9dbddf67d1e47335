import { IntegrityError } from '#lib/event-store';
import { chunksIn, type Snapshot, type Snapshots, snapshotStream } from '#lib/governance';

import { artifactName } from './domain/missing.js';

/**
 * What a replay of a job on these snapshots would miss, from what is stored (seed 002 section 9). One that is stored otherwise than it was signed is halted, and no job begins on it any more.
 */
export async function missingArtifacts(
  snapshots: Pick<Snapshots, 'loadPinned' | 'halts'>,
  ids: readonly string[],
): Promise<readonly string[]> {
  const look = async (id: string): Promise<Look> => {
    try {
      const snapshot = await snapshots.loadPinned(id);
      return { snapshot, missing: snapshot ? [] : [artifactName('snapshot', id)] };
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      const { revision, reason } = error;
      await snapshots.halts.halt({ snapshot_id: id, stream: snapshotStream(id), revision, reason });
      return { snapshot: null, missing: [artifactName('integrity', id)] };
    }
  };
  const lookWhole = async (id: string): Promise<readonly string[]> => {
    const { snapshot, missing } = await look(id);
    if (snapshot?.kind !== 'selfrep') return missing;
    const chunks = await Promise.all(chunksIn(snapshot.body).map(look));
    return chunks.flatMap((chunk) => chunk.missing);
  };
  return (await Promise.all(ids.map(lookWhole))).flat();
}

interface Look {
  /** Null where it is not there, or not what was signed. */
  readonly snapshot: Snapshot | null;
  readonly missing: readonly string[];
}
