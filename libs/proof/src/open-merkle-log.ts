import { dirname, join } from 'node:path';

import { type EventStore, RowSignatures, START } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import type { DataFolder } from '#lib/sqlite';

import { AnchorFile, claimOrigin, isClaim } from './anchor-file.js';
import { ErasedKeys } from './erased-keys.js';
import { FollowedErasures } from './erasures/followed-erasures.js';
import { openGuarded } from './guarded-store.js';
import { LogKeys } from './log-keys.js';
import type { Cosigner } from './log/cosigner.js';
import { MerkleLog } from './merkle-log.js';
import { originOf } from './origin.js';
import { planIn, refuseUnfinished, refuseUnrecorded } from './restore/restore-plan.js';
import { isWithheld } from './withheld.js';

/** A witness of the log, as far as a start and a running log need it. */
export interface Witness extends Cosigner {
  readonly url: string;
  /** The note it has cosigned last; null where it knows none, or does not answer in time. */
  lastNote(): Promise<string | null>;
}

export interface OpenMerkleLogOptions {
  readonly events: EventStore;
  readonly folder: DataFolder;
  readonly ring: KeyRing;
  /** Path of the key file; the last checkpoint is kept beside it. */
  readonly keyFile: string;
  /** From the configuration; drawn and pinned where it is absent. */
  readonly origin?: string;
  readonly witness?: (keys: LogKeys) => Witness;
  readonly now: () => number;
  /** Told when something begins to fail, and null when it works again. */
  readonly onFault: (fault: Error | null) => void;
  /** Told that the file is made again from the events, and why. */
  readonly onRebuild: (reason: string) => void;
}

/**
 * The Merkle log of a data folder, which follows the events from now on. Before that the log is held against every
 * checkpoint that the key folder, the witness and its own file know.
 * @throws LogGuardError for a log that is older than one of them, or not consistent with it; OriginError,
 * RestoreUnfinishedError, RestoreError, DataFileError
 */
export async function openMerkleLog(options: OpenMerkleLogOptions): Promise<MerkleLog> {
  const { events, folder, ring, keyFile, now, onFault } = options;
  refuseUnfinished(folder.path);
  const isNew = (await events.head()) === START;
  const keyFolder = dirname(keyFile);
  const wanted = options.origin === undefined ? {} : { wanted: options.origin };
  // A key folder that cannot be written is told of again by the first checkpoint.
  const claim = (name: string): Promise<void> => claimOrigin(keyFolder, new LogKeys(ring, name, now)).catch(onFault);
  const origin = await originOf({ dataFolder: folder.path, keyFolder, isNew, claim, ...wanted });
  await refuseUnrecorded({ events, ring, folder: folder.path, keyFolder, origin });
  const keys = new LogKeys(ring, origin, now);
  const witness = options.witness?.(keys);
  const anchor = new AnchorFile(keyFolder, origin);
  const erasedKeys = new ErasedKeys(keyFolder, origin);
  const { onRebuild } = options;
  const store = await openGuarded({ events, path: join(folder.path, 'proof.db'), keys, anchor, witness, onRebuild });
  // What no checkpoint covers is read once more, and held to its signature.
  await store.cut(store.reader.latest()?.size ?? 0);
  const cosigner = witness ? { cosigner: witness } : {};
  // A restore that is not on record yet has put an older log in its place, which is signed anew.
  const withheld = planIn(folder.path) === null && (await isWithheld(events, ring));
  const log = new MerkleLog({
    events,
    store,
    keys,
    signatures: new RowSignatures(ring),
    anchor,
    erasedKeys,
    erasures: new FollowedErasures(erasedKeys, events, ring),
    now,
    onFault,
    isWithheld: withheld,
    isUnbegun: isClaim(anchor),
    ...cosigner,
  });
  log.start();
  return log;
}
