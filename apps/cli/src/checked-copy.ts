import { type BackupManifest } from '#lib/backup';
import { openSqliteEventStore } from '#lib/event-store';
import { type Fault, isDamage } from '#lib/integrity';
import type { KeyRing } from '#lib/kernel';
import { faultBeside, RestoreError } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import { walkFolder } from '../../api/src/integrity/folder-walk.js';
import type { Config } from '../../api/src/platform.config.js';
import { keyFileOf, ringOf } from './own-keys.js';
import type { Show } from './progress.js';

/** What was looked at, all of it sound. */
export interface CheckedCopy {
  readonly events: number;
  readonly streams: number;
  readonly jobs: number;
  readonly artifacts: number;
}

/**
 * Verifies the whole log of a copy of a data folder with the keys of this one: signatures, chains, seals, references,
 * snapshots, artifacts, and the checkpoint of the backup that it is. Files come and go in the folder meanwhile.
 * @param copy path of a folder that is the caller's own
 * @param held the copy, where the caller holds it already; then without a manifest
 * @throws RestoreError naming the first that does not verify; LogGuardError, DataFileError, KeyFileError
 */
export async function checkCopy(
  copy: string,
  config: Config,
  manifest: BackupManifest | null,
  show: Show,
  held?: DataFolder,
): Promise<CheckedCopy> {
  const embedded = { ...config, eventStore: 'embedded', eventStoreDb: undefined, mongoDb: undefined } as const;
  const { state, found } = await walkFolder(
    { ...embedded, dataDir: copy, keysFile: keyFileOf(config), storageQuotaBytes: undefined, logLevel: 'silent' },
    { workers: 1, maxRate: null, onProgress: ({ position, to }) => show(position, to) },
    held,
  );
  const fault = found.find(isDamage);
  if (fault) throw new RestoreError(`the copy does not verify: ${placed(fault)}${beyond(state.faults)}`);
  const { events, streams, jobs, artifacts } = state.counts;
  if (manifest) await refuseOtherEvents(copy, manifest, events, ringOf(config));
  return { events, streams, jobs, artifacts };
}

async function refuseOtherEvents(copy: string, manifest: BackupManifest, count: number, ring: KeyRing): Promise<void> {
  if (count !== manifest.events)
    throw new RestoreError(`the copy has ${count} events, and its backup.json says ${manifest.events}`);
  const folder = DataFolder.take(copy);
  try {
    const events = await openSqliteEventStore({ folder });
    try {
      const { origin, checkpoint: note } = manifest;
      const fault = await faultBeside(events, { origin, note }, ring);
      if (fault !== null) throw new RestoreError(`the copy is not the log that was signed: ${fault}`);
    } finally {
      await events.close();
    }
  } finally {
    folder.release();
  }
}

function placed({ detector, stream, revision, position, reason }: Fault): string {
  if (stream === null) return `position ${position}: ${reason} (${detector})`;
  return `stream ${stream}, revision ${revision}: ${reason} (${detector})`;
}

function beyond(faults: number): string {
  return faults === 1 ? '' : `, and ${faults - 1} more`;
}
