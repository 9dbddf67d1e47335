import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import {
  type ArtifactStore,
  eventAt,
  type EventStore,
  openSqliteEventStore,
  openSqliteSubjectKeys,
  type RecordedEvent,
  START,
  type SubjectKeyStore,
} from '#lib/event-store';
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

/** The stores of a log, wherever they are. */
export interface LogStores {
  readonly events: EventStore;
  readonly subjectKeys: Pick<SubjectKeyStore, 'present'>;
  readonly artifacts: Pick<ArtifactStore, 'names'>;
}

/** The same of a log whose stores are open already. @throws RestoreError where its events were signed by other keys */
export async function lookInto(
  { events, subjectKeys, artifacts }: LogStores,
  ring: KeyRing,
  isErased: (name: string) => boolean,
): Promise<CopyLook> {
  const tree = await signedTree(events, ring);
  return {
    tree,
    returned: await presentKeys(subjectKeys, isErased),
    returnedEvidence: (await namesIn(artifacts)).filter(isErased),
  };
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
    const returned = existsSync(join(path, 'subject-keys.db')) ? await presentKeysIn(folder, isErased) : [];
    return { tree, returned, returnedEvidence: artifactsIn(path).filter(isErased) };
  } finally {
    if (!held) folder.release();
  }
}

async function treeIn(folder: DataFolder, ring: KeyRing): Promise<SizedRoot> {
  const events = await openSqliteEventStore({ folder });
  try {
    return await signedTree(events, ring);
  } finally {
    await events.close();
  }
}

/** Of events whose first and last a key of the ring has signed. */
async function signedTree(events: EventStore, ring: KeyRing): Promise<SizedRoot> {
  const [first] = (await events.readAll({ after: START, limit: 1 })).events;
  for (const event of [first, await eventAt(events, await events.head())]) if (event) refuseUnsigned(event, ring);
  return treeOf(events);
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

async function presentKeysIn(folder: DataFolder, isErased: (kid: string) => boolean): Promise<readonly string[]> {
  const store = await openSqliteSubjectKeys({ folder });
  try {
    return await presentKeys(store, isErased);
  } finally {
    await store.close();
  }
}

async function presentKeys(
  store: LogStores['subjectKeys'],
  isErased: (kid: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | null = null; ;) {
    const { keys, next } = await store.present(after, PAGE);
    for (const { kid } of keys) if (isErased(kid)) found.push(kid);
    if (next === null) return found;
    after = next;
  }
}

async function namesIn(artifacts: LogStores['artifacts']): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const page = await artifacts.names(found.at(-1) ?? null, PAGE);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

/** Names of artifacts, by their files: artifacts/ab/cd… */
function artifactsIn(path: string): readonly string[] {
  const root = join(path, 'artifacts');
  if (!existsSync(root)) return [];
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found.map(({ parentPath, name }) => basename(parentPath) + name).filter((name) => ARTIFACT.test(name));
}
