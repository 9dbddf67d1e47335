import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { type ArtifactStore, openAllSubjectKeys, type SubjectKeyRecord, type SubjectKeyStore } from '#lib/event-store';

import { MigrationError } from './migration-error.js';

const PAGE = 1000;
const NAME_DIGITS = 64;
/** Stands for a key that is gone, until its tombstone does. */
const NOTHING = { wrapped: '', wrappedBy: 'nothing' };

/** What was moved. */
export interface MovedReadSide {
  readonly data_keys: number;
  readonly artifacts: number;
}

/**
 * Copies people's data keys, their tombstones and who is being erased, and the artifacts, from a data folder to other
 * stores, and compares them. Again after it was broken off it goes on: each step has the same effect twice.
 * @throws MigrationError where the target holds keys of another log, or another key under the same name
 */
export async function copyReadSide(
  folder: string,
  to: { readonly keys: SubjectKeyStore; readonly artifacts: ArtifactStore },
): Promise<MovedReadSide> {
  const data_keys = existsSync(join(folder, 'subject-keys.db')) ? await copyKeys(folder, to.keys) : 0;
  return { data_keys, artifacts: await copyArtifacts(join(folder, 'artifacts'), to.artifacts) };
}

async function copyKeys(folder: string, keys: SubjectKeyStore): Promise<number> {
  const all = openAllSubjectKeys(folder);
  try {
    const known = new Set<string>();
    for (const record of all.records()) {
      known.add(record.state === 'present' ? record.key.kid : record.kid);
      await copyKey(record, keys);
    }
    await refuseOthers(keys, known);
    // After the keys: of a refused subject none is taken.
    for (const subject of all.refused()) await keys.refuse(subject);
    return known.size;
  } finally {
    all.close();
  }
}

async function copyKey(record: SubjectKeyRecord, keys: SubjectKeyStore): Promise<void> {
  if (record.state === 'present') {
    const { subject, key } = record;
    const stored = await keys.create(subject, key);
    // A refused one is of an attempt before, which had got as far as the refusals.
    if (stored.state === 'refused') return;
    if (stored.state === 'present' && stored.subject === subject && stored.key.wrapped === key.wrapped) return;
    throw other(key.kid);
  }
  const { kid, subject } = record;
  const stored = (await keys.get(kid)) ?? (await keys.create(subject, { kid, ...NOTHING }));
  if (stored.state === 'present' && stored.key.wrappedBy !== NOTHING.wrappedBy) throw other(kid);
  await keys.destroy(kid);
}

function other(kid: string): MigrationError {
  return new MigrationError(`the target has another data key under the name ${kid}: give an empty database`);
}

async function refuseOthers(keys: SubjectKeyStore, known: ReadonlySet<string>): Promise<void> {
  for (let after: string | null = null; ;) {
    const page = await keys.present(after, PAGE);
    const foreign = page.keys.find(({ kid }) => !known.has(kid));
    if (foreign)
      throw new MigrationError(
        `the target holds the data key ${foreign.kid}, of which this log knows nothing: give an empty database`,
      );
    if (page.next === null) return;
    after = page.next;
  }
}

async function copyArtifacts(root: string, artifacts: ArtifactStore): Promise<number> {
  if (!existsSync(root)) return 0;
  let count = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const name = basename(entry.parentPath) + entry.name;
    if (!entry.isFile() || name.length !== NAME_DIGITS) continue;
    const stored = await artifacts.put(await readFile(join(entry.parentPath, entry.name)));
    if (stored !== name)
      throw new MigrationError(
        `artifact ${name} is damaged: its bytes have the SHA-256 ${stored}. Restore it from a backup`,
      );
    count++;
  }
  return count;
}
