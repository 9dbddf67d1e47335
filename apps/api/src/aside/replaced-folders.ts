import { basename } from 'node:path';

import { type ErasablePlace, holdsOf, type PurgedPlace } from '#lib/dsr';
import type { EventLog } from '#lib/event-store';
import { foldersAside } from '#lib/proof';

import { deleteReplacedEvidence, type ReplacedLogReader } from './replaced-evidence.js';
import { destroyReplacedKeys } from './replaced-keys.js';

/**
 * What restores replaced, beside the data: there a person's keys and evidence are as they were, those that were made
 * after the copy too, so that they are found by the person and not by the keys of the log.
 */
export class ReplacedFolders implements ErasablePlace {
  constructor(
    private readonly dataDir: string,
    private readonly log: EventLog,
    private readonly reader: ReplacedLogReader,
  ) {}

  async purge(subject: string, kids: readonly string[]): Promise<readonly PurgedPlace[]> {
    const held = new Set((await holdsOf(this.log)).keys());
    const places: PurgedPlace[] = [];
    for (const path of foldersAside(this.dataDir)) {
      await deleteReplacedEvidence(path, subject, held, this.reader);
      const { found } = await destroyReplacedKeys(path, { kids, subject });
      places.push({ kind: 'replaced_folder', name: basename(path), found, fate: 'purged' });
    }
    return places;
  }
}
