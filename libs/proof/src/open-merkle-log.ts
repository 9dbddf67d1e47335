import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { type EventStore, START } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import type { DataFolder } from '#lib/sqlite';

import { AnchorFile } from './anchor-file.js';
import { ErasedKeys } from './erased-keys.js';
import { LogKeys } from './log-keys.js';
import { type Cosigner, MerkleLog } from './merkle-log.js';
import { originOf } from './origin.js';
import { refuseUnfinished } from './restore/restore-plan.js';
import { type Anchor, anchorOf, fits, refuseOtherLog, shorter } from './start-guard.js';
import { ProofStore } from './store/proof-store.js';

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

const PAGE = 1024;

/**
 * The Merkle log of a data folder, which follows the events from now on. Before that the log is held against every
 * checkpoint that the key folder, the witness and its own file know.
 * @throws LogGuardError for a log that is older than one of them, or not consistent with it; OriginError, RestoreUnfinishedError, DataFileError
 */
export async function openMerkleLog(options: OpenMerkleLogOptions): Promise<MerkleLog> {
  const { events, folder, ring, keyFile, now, onFault } = options;
  refuseUnfinished(folder.path);
  const isNew = (await events.head()) === START;
  const keyFolder = dirname(keyFile);
  const wanted = options.origin === undefined ? {} : { wanted: options.origin };
  const origin = await originOf({ dataFolder: folder.path, keyFolder, isNew, ...wanted });
  const keys = new LogKeys(ring, origin, now);
  const witness = options.witness?.(keys);
  const anchor = new AnchorFile(keyFolder, origin);
  const erasedKeys = new ErasedKeys(keyFolder, origin);
  const store = await guarded(options, keys, anchor, witness);
  const cosigner = witness ? { cosigner: witness } : {};
  const log = new MerkleLog({ events, store, keys, anchor, erasedKeys, now, onFault, ...cosigner });
  log.start();
  return log;
}

async function guarded(
  { events, folder, onRebuild }: OpenMerkleLogOptions,
  keys: LogKeys,
  anchorFile: AnchorFile,
  witness: Witness | undefined,
): Promise<ProofStore> {
  const path = join(folder.path, 'proof.db');
  let store = await ProofStore.open(path);
  try {
    const anchors = await anchorsOf(store, keys, anchorFile, witness);
    if (await fits(events, store.reader)) {
      await catchUp(events, store, anchors);
      refuseOtherLog(anchors, store.reader);
      return store;
    }
    await refuseFewer(events, anchors);
    onRebuild('it was not made of these events');
    await store.close();
    store = await rebuilt(events, path, anchors);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function anchorsOf(
  { reader, path }: ProofStore,
  { origin, verifiers }: LogKeys,
  anchorFile: AnchorFile,
  witness: Witness | undefined,
): Promise<readonly Anchor[]> {
  const anchors: Anchor[] = [];
  const kept = anchorFile.read();
  if (kept !== null) anchors.push(anchorOf(kept, anchorFile.name, origin, verifiers));
  const own = reader.latest();
  if (own?.origin === origin) anchors.push(anchorOf(own.note, path, origin, verifiers));
  const seen = await witness?.lastNote();
  if (witness && seen) anchors.push(anchorOf(seen, witness.url, origin, verifiers));
  return anchors;
}

/** Leaves up to the largest checkpoint: the tree is compared before anything is served. */
async function catchUp(events: EventStore, store: ProofStore, anchors: readonly Anchor[]): Promise<void> {
  const wanted = Math.max(0, ...anchors.map(({ size }) => size));
  for (let size = store.reader.size(); size < wanted;) {
    const page = await events.readAll({ after: store.reader.position(), limit: PAGE });
    if (page.events.length > 0) ({ size } = await store.append(size, page.events));
    else if (page.atHead) return;
  }
}

/** Counting is much cheaper than making the tree again, and tells most logs that are too old. */
async function refuseFewer(events: EventStore, anchors: readonly Anchor[]): Promise<void> {
  const count = await events.count?.(START);
  if (count === undefined) return;
  for (const { from, size, root } of anchors) if (size > count) throw shorter(count, from, size, root);
}

/** Made beside the old file and put in its place only once it agrees with every checkpoint. */
async function rebuilt(events: EventStore, path: string, anchors: readonly Anchor[]): Promise<ProofStore> {
  const draft = `${path}.new`;
  remove(draft);
  const made = await ProofStore.open(draft);
  try {
    await catchUp(events, made, anchors);
    refuseOtherLog(anchors, made.reader);
  } finally {
    await made.close();
  }
  remove(path);
  renameSync(draft, path);
  return ProofStore.open(path);
}

function remove(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) rmSync(file);
}
