import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { openSqliteEventStore, openSqliteSubjectKeys, positionOf, type RecordedEvent, START } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { type SizedRoot, treeOf } from '../kept-tree.js';
import { signatureOf } from '../signed-event.js';
import { RestoreError } from './restore-error.js';

const PAGE = 1000;
const ARTIFACT = /^[0-9a-f]{64}$/;

/** What is in a copy. */
export interface CopyLook {
  /** The tree over its events. */
  readonly tree: SizedRoot;
  /** kids of the data keys that are in it although they were destroyed. */
  readonly returned: readonly string[];
  /** Names of forensic evidence that is in it although it was deleted. */
  readonly returnedEvidence: readonly string[];
}

/**
 * Whether a copy can be read with the keys that are here, before it takes the place of anything.
 * @param held by the caller; taken here where null
 * @throws RestoreError where its events were signed by other keys, DataFileError where a file of it is damaged
 */
export async function lookAt(
  path: string,
  held: DataFolder | null,
  ring: KeyRing,
  isErased: (name: string) => boolean,
): Promise<CopyLook> {
  const folder = held ?? DataFolder.take(path);
  try {
    const tree = await treeIn(folder, ring);
    const returned = existsSync(join(path, 'subject-keys.db')) ? await presentKeys(folder, isErased) : [];
    return { tree, returned, returnedEvidence: artifactsIn(path).filter(isErased) };
  } finally {
    if (!held) folder.release();
  }
}

/** Of events whose first and last a key of the ring has signed. */
async function treeIn(folder: DataFolder, ring: KeyRing): Promise<SizedRoot> {
  const events = await openSqliteEventStore({ folder });
  try {
    const head = await events.head();
    if (head === START) return await treeOf(events);
    for (const after of [START, positionOf(String(BigInt(head) - 1n))]) {
      const [event] = (await events.readAll({ after, limit: 1 })).events;
      if (event) refuseUnsigned(event, ring);
    }
    return await treeOf(events);
  } finally {
    await events.close();
  }
}

function refuseUnsigned(event: RecordedEvent, ring: KeyRing): void {
  const { kid, isKnown, holds } = signatureOf(event, ring);
  if (holds) return;
  if (!isKnown)
    throw new RestoreError(
      `the copy is of another log, or of other keys: its event at position ${event.position} is signed by ${kid ?? 'no key'}, which is not in the key ring here. Nothing was moved; give a copy of this log`,
    );
  throw new RestoreError(
    `the copy was changed, or is of another log: its event at position ${event.position} is not what key ${kid} signed. Nothing was moved; give a copy of this log`,
  );
}

async function presentKeys(folder: DataFolder, isErased: (kid: string) => boolean): Promise<readonly string[]> {
  const store = await openSqliteSubjectKeys({ folder });
  const found: string[] = [];
  try {
    for (let after: string | null = null; ;) {
      const { keys, next } = await store.present(after, PAGE);
      for (const { kid } of keys) if (isErased(kid)) found.push(kid);
      if (next === null) return found;
      after = next;
    }
  } finally {
    await store.close();
  }
}

/** Names of artifacts, by their files: artifacts/ab/cd… */
function artifactsIn(path: string): readonly string[] {
  const root = join(path, 'artifacts');
  if (!existsSync(root)) return [];
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found.map(({ parentPath, name }) => basename(parentPath) + name).filter((name) => ARTIFACT.test(name));
}
