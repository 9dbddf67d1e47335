import { join } from 'node:path';

import { type EventStore, openSqliteEventStore } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import type { MerkleLog } from '../merkle-log.js';
import { openMerkleLog } from '../open-merkle-log.js';

export interface OpenFolder {
  readonly events: EventStore;
  readonly log: MerkleLog;
  close(): Promise<void>;
}

/** Where keys and anchors of such a folder are. */
export const keyFileOf = (path: string): string => join(path, 'keys', 'ring.json');

/** Events and their Merkle log as a start opens them. @param proofPath folder of proof.db, where it is another */
export async function openFolder(path: string, ring: KeyRing, proofPath?: string): Promise<OpenFolder> {
  const folder = DataFolder.take(path);
  const events = await openSqliteEventStore({ folder });
  const beside = proofPath === undefined ? folder : DataFolder.take(proofPath);
  const close = async (): Promise<void> => {
    await events.close();
    beside.release();
    folder.release();
  };
  try {
    const quiet = { onFault: () => undefined, onRebuild: () => undefined };
    const options = { events, folder: beside, ring, keyFile: keyFileOf(path), now: Date.now, ...quiet };
    const log = await openMerkleLog(options);
    return { events, log, close: () => log.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}
