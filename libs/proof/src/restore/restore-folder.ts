import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { AnchorFile, claimOrigin, retireOrigin } from '../anchor-file.js';
import { ErasedKeys } from '../erased-keys.js';
import { LogKeys } from '../log-keys.js';
import type { Witness } from '../open-merkle-log.js';
import { drawnOrigin, originBefore, pinOrigin } from '../origin.js';
import { anchorOf } from '../start-guard.js';
import { keepPlan, planIn, type RestorePlan } from './restore-plan.js';

export interface RestoreOptions {
  /** Held by whoever restores. */
  readonly folder: DataFolder;
  /** The copy to restore; the data folder itself where it is to be taken as it is. */
  readonly from: string;
  readonly ring: KeyRing;
  /** Path of the key file; it stays as it is. */
  readonly keyFile: string;
  readonly witness?: (
    keys: LogKeys,
  ) => Pick<Witness, 'lastNote'> & { erasedKeys(origin: string): Promise<readonly string[]> };
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** What an older copy replaces; keys, pins and lists of what was promised stay. */
const REPLACED = [
  'events.db',
  'events.db-wal',
  'events.db-shm',
  'subject-keys.db',
  'subject-keys.db-wal',
  'subject-keys.db-shm',
  'artifacts',
];
/** Made again from the events. */
const DERIVED = ['proof.db', 'proof.db-wal', 'proof.db-shm', 'read.db', 'read.db-wal', 'read.db-shm'];

/** The copy cannot be restored from; nothing was changed. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/**
 * Puts an older copy of a data folder in its place and gives the log a new origin: what was signed under the old one
 * stays true, of the old log. What is replaced is kept beside, in `replaced-<time>`. Data keys that were destroyed since
 * the copy was made are on the list that the next start goes by before it serves.
 * @throws RestoreError, OriginError; LogGuardError where the last checkpoint is not the log's
 */
export async function restoreFolder(options: RestoreOptions): Promise<RestorePlan> {
  const { folder, now } = options;
  const from = resolve(options.from);
  if (!existsSync(join(from, 'events.db')))
    throw new RestoreError(`${from} holds no events.db: it is no copy of a data folder`);
  const keyFolder = dirname(options.keyFile);
  const plan = begun(folder.path, keyFolder) ?? (await planned(options, from));
  if (!plan.done) {
    if (from === folder.path) setAside(folder.path, DERIVED, now());
    else replace(folder.path, from, now());
    await pinOrigin(folder.path, plan.origin);
    retireOrigin(keyFolder, plan.previous_origin);
  }
  const done = { ...plan, done: true };
  await keepPlan(folder.path, done);
  return done;
}

/** A restore that was broken off. A plan of which the key folder knows nothing was not made with these keys. */
function begun(folder: string, keyFolder: string): RestorePlan | null {
  const plan = planIn(folder);
  return plan && new AnchorFile(keyFolder, plan.origin).read() !== null ? plan : null;
}

async function planned({ folder, ring, keyFile, witness, now }: RestoreOptions, from: string): Promise<RestorePlan> {
  const keyFolder = dirname(keyFile);
  const previous = originBefore(folder.path, from, keyFolder);
  const keys = new LogKeys(ring, previous, now);
  const seen = witness?.(keys);
  const note = newest(keys, new AnchorFile(keyFolder, previous).read(), (await seen?.lastNote()) ?? null);
  const kids = [...new ErasedKeys(keyFolder, previous).all(), ...((await seen?.erasedKeys(previous)) ?? [])];
  const origin = drawnOrigin();
  const carried = new ErasedKeys(keyFolder, origin);
  await carried.add(kids);
  await claimOrigin(keyFolder, new LogKeys(ring, origin, now));
  const plan: RestorePlan = {
    done: false,
    origin,
    previous_origin: previous,
    previous_note: note,
    erased_keys: carried.all().length,
    restored_at: new Date(now()).toISOString(),
  };
  await keepPlan(folder.path, plan);
  return plan;
}

/** Of the notes that are known, the one over the most events. */
function newest({ origin, verifiers }: LogKeys, ...notes: readonly (string | null)[]): string | null {
  const known = notes.filter((note) => note !== null);
  const sized = known.map((note) => ({ note, size: anchorOf(note, 'what is known of it', origin, verifiers).size }));
  return sized.sort((a, b) => b.size - a.size)[0]?.note ?? null;
}

/** Again after a crash is no error: what was moved already is not there to be moved, and the copy is whole. */
function replace(folder: string, from: string, now: number): void {
  const copy = DataFolder.take(from);
  try {
    const draft = join(folder, 'restoring');
    mkdirSync(draft, { recursive: true });
    const given = REPLACED.filter((name) => existsSync(join(from, name)));
    for (const name of given) cpSync(join(from, name), join(draft, name), { recursive: true, force: true });
    setAside(folder, [...REPLACED, ...DERIVED], now);
    for (const name of given) renameSync(join(draft, name), join(folder, name));
    rmSync(draft, { recursive: true, force: true });
  } finally {
    copy.release();
  }
}

function setAside(folder: string, names: readonly string[], now: number): void {
  const place = join(folder, `replaced-${new Date(now).toISOString().replace(/[:.]/g, '-')}`);
  for (const name of names) {
    if (!existsSync(join(folder, name))) continue;
    mkdirSync(place, { recursive: true });
    renameSync(join(folder, name), join(place, name));
  }
}
