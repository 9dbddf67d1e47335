import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ForensicStore } from '#lib/audit';
import { type ArtifactStore, IntegrityError, openFileArtifactStore } from '#lib/event-store';
import { type ErasedEvidence, foldersAside } from '#lib/proof';
import { DataFileError, DataFolder, DataFolderInUseError } from '#lib/sqlite';

import type { Logger } from '../edge/log.js';

/** Where evidence that was deleted may have come back. */
export interface EvidencePlaces {
  readonly evidence: Pick<ForensicStore, 'erase'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  /** Path of the data folder. */
  readonly dataDir: string;
  readonly log: Logger;
}

/**
 * Deletes evidence again that a backup has brought back, and says so in its trail, here and in what restores put aside;
 * at each start, before anything is served. Again is no error.
 * @throws what the stores throw
 */
export async function deleteEvidenceAgain(places: EvidencePlaces, erased: readonly ErasedEvidence[]): Promise<void> {
  for (const { ref, dsrId } of erased) await eraseAgain(places, ref, dsrId);
  const { dataDir, log } = places;
  for (const path of erased.length === 0 ? [] : foldersAside(dataDir)) {
    try {
      const deleted = await deleteAside(path, erased);
      if (deleted > 0)
        log.warn({ evidence: deleted, folder: path }, 'evidence that was deleted before is gone from here');
    } catch (error) {
      if (!(error instanceof DataFileError || error instanceof DataFolderInUseError)) throw error;
      const { message } = error;
      log.error({ reason: message, folder: path }, 'deleted evidence may be left here: free it and start again');
    }
  }
}

async function eraseAgain(places: EvidencePlaces, ref: string, dsrId: string | null): Promise<void> {
  try {
    await places.evidence.erase(ref, dsrId);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    // A trail that somebody changed takes no event; what it is of goes all the same.
    await places.artifacts.delete(ref);
    places.log.error({ reason: error.message }, 'evidence is deleted again, and its trail cannot say so');
  }
}

async function deleteAside(path: string, erased: readonly ErasedEvidence[]): Promise<number> {
  if (!existsSync(join(path, 'artifacts'))) return 0;
  const folder = DataFolder.take(path);
  try {
    const artifacts = await openFileArtifactStore({ folder });
    let deleted = 0;
    for (const { ref } of erased) if (await artifacts.delete(ref)) deleted++;
    await artifacts.close();
    return deleted;
  } finally {
    folder.release();
  }
}
