import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { EventStore } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import { copyStoreFile } from '#lib/sqlite';

import { AnchorFile } from '../anchor-file.js';
import { treeOf } from '../kept-tree.js';
import { LogKeys } from '../log-keys.js';
import { pinnedOrigin } from '../origin.js';
import { anchorOf } from '../start-guard.js';
import { PROOF_LOG } from '../store/proof-schema.js';
import { RestoreError } from './restore-error.js';
import { planIn } from './restore-plan.js';

/** What a copy is to hold of a log beside its events. */
export interface LogAtRest {
  readonly origin: string;
  /** The last checkpoint that was signed of it, as a note; null where none was kept. */
  readonly note: string | null;
}

/**
 * Which log lies in a data folder, and what was signed of it last: read it before the events, so that they reach as far.
 * @throws RestoreError where a restore is under way; OriginError where the folder names none
 */
export function logAtRest(folder: string, keyFolder: string): LogAtRest {
  const origin = pinnedOrigin(folder);
  if (planIn(folder) !== null)
    throw new RestoreError(
      `a restore of ${folder} is not on record yet: start MACE once, or give the same \`mace restore\` again`,
    );
  if (origin === null) throw new RestoreError(`${folder} does not say which log it holds: start MACE on it once`);
  return { origin, note: new AnchorFile(keyFolder, origin).read() };
}

/**
 * One state of proof.db as a file of its own, while a server goes on; read it before the events too.
 * @returns false where there is none
 */
export function copyMerkleLog(folder: string, to: string): boolean {
  const path = join(folder, 'proof.db');
  if (!existsSync(path)) return false;
  copyStoreFile(path, PROOF_LOG, to);
  return true;
}

/**
 * Holds events against a checkpoint of their log.
 * @returns what is wrong; null where the first so many of them are those that were signed
 * @throws LogGuardError where the note is not of this log, or no key of the ring has signed it
 */
export async function faultBeside(
  events: EventStore,
  { origin, note }: LogAtRest,
  ring: KeyRing,
): Promise<string | null> {
  if (note === null) return null;
  const keys = new LogKeys(ring, origin, Date.now);
  const { size, root } = anchorOf(note, 'the copy', origin, keys.verifiers);
  const tree = await treeOf(events, size);
  if (tree.size < size) return `it has ${tree.size} events, and its checkpoint was signed over ${size}`;
  if (tree.root === root) return null;
  return `at ${size} events its Merkle root is ${tree.root}, and its checkpoint says ${root}`;
}
