import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { AnchorFile, claimOver, retireOrigin, wasHere } from '../anchor-file.js';
import { ErasedKeys } from '../erased-keys.js';
import { LogKeys } from '../log-keys.js';
import type { Witness } from '../open-merkle-log.js';
import { drawnOrigin, originBefore, pinnedOrigin, pinOrigin } from '../origin.js';
import { anchorOf } from '../start-guard.js';
import { lookAt, lookInto, type LogStores } from './look-at-copy.js';
import { RestoreError } from './restore-error.js';
import { bindPlan, isBound, keepPlan, planIn, type RestorePlan } from './restore-plan.js';

export interface RestoreOptions {
  /** Held by whoever restores. */
  readonly folder: DataFolder;
  /** The copy to restore; the data folder itself where it is to be taken as it is. */
  readonly from: string;
  readonly ring: KeyRing;
  /** Path of the key file; it stays as it is. */
  readonly keyFile: string;
  readonly witness?: (keys: LogKeys) => Pick<Witness, 'lastNote'> & { erasedMarks(): Promise<ReadonlySet<string>> };
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /**
   * Where the events lie on a server, and what `from`, the data folder itself, holds is no log: it is taken as it stands
   * there.
   */
  readonly stores?: LogStores;
  /** Whether the copy is one that nobody works on, and in which nothing is to be written: a backup. */
  readonly isAtRest?: boolean;
  /** Looks at all of the copy, where it was copied to, before anything is moved; not where it is taken as it is. */
  readonly verify?: (copied: string) => Promise<void>;
}

/** What an older copy replaces; keys, pins and lists of what was promised stay. */
const REPLACED = [
  'events.db-wal',
  'events.db-shm',
  'events.db',
  'subject-keys.db-wal',
  'subject-keys.db-shm',
  'subject-keys.db',
  'artifacts',
];
/** Made again from the events. A walk that was broken off would go on in another log, and find its events changed. */
const DERIVED = ['proof.db', 'read.db', 'integrity.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);

const DRAFT = 'restoring';

/**
 * Puts an older copy of a data folder in its place and gives the log a new origin: what was signed under the old one
 * stays true, of the old log. The copy is looked at before anything is moved; what is replaced is kept beside, in
 * `replaced-<time>`. Data keys that were destroyed since the copy was made are on the list that the next start goes by
 * before it serves. Given again before a server has started on it, it goes on; with another copy, it takes that one, as
 * the log that follows the same one, under another name.
 * @throws RestoreError, OriginError, DataFileError; LogGuardError where the last checkpoint is not the log's;
 * WitnessListError where the witness does not give the list of erased keys; what `verify` throws. Nothing was moved then
 */
export async function restoreFolder(options: RestoreOptions): Promise<RestorePlan> {
  const { folder } = options;
  const from = resolve(options.from);
  if (!options.stores && !existsSync(join(from, 'events.db')))
    throw new RestoreError(`${from} holds no events.db: it is no copy of a data folder`);
  const keyFolder = dirname(options.keyFile);
  const begun = begunIn(folder.path, keyFolder);
  if (begun?.done && begun.from === from) return begun;
  const isInPlace = from === folder.path;
  if (isInPlace && begun && !begun.done && begun.from !== from)
    throw new RestoreError(
      `a restore of ${begun.from} was broken off: ${from} may hold a part of each, and is no copy to take as it is. Give the same copy again, or another one`,
    );
  const draft = join(folder.path, DRAFT);
  const plan = await lookedAt(draft, async () => {
    if (!isInPlace) copied(from, draft, options.isAtRest ?? false);
    return planned(options, from, isInPlace ? from : draft, begun);
  });
  if (isInPlace) setAside(folder.path, DERIVED, plan.aside);
  else await replace(folder.path, draft, plan);
  await pinOrigin(folder.path, plan.origin);
  retireOrigin(keyFolder, plan.previous_origin);
  const done = { ...plan, done: true, set_aside: true };
  await keepPlan(folder.path, done);
  return done;
}

/** A copy that is refused is not left behind. */
async function lookedAt<T>(draft: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** A restore that is not on record yet. A plan of which the key folder knows nothing was not made with these keys. */
function begunIn(folder: string, keyFolder: string): RestorePlan | null {
  const plan = planIn(folder);
  return plan && isBound(keyFolder, plan) ? plan : null;
}

/** @param look where the copy can be looked at: its own copy, or the data folder itself */
async function planned(
  { folder, ring, keyFile, witness, now, stores, verify }: RestoreOptions,
  from: string,
  look: string,
  begun: RestorePlan | null,
): Promise<RestorePlan> {
  const keyFolder = dirname(keyFile);
  const previous = begun?.previous_origin ?? originBefore(folder.path, from, keyFolder);
  if (look !== folder.path) {
    refuseOther(from, previous, keyFolder);
    await verify?.(look);
  }
  const keys = new LogKeys(ring, previous, now);
  const seen = witness?.(keys);
  const note = begun ? begun.previous_note : newest(keys, new AnchorFile(keyFolder, previous), await seen?.lastNote());
  const listed = new ErasedKeys(keyFolder, previous);
  const left = begun?.done ? begun : null;
  const marks = new Set([...listed.marks(), ...((await seen?.erasedMarks()) ?? [])]);
  const isErased = (name: string): boolean => listed.has(name) || keys.isMarked(name, marks);
  const { returned, returnedEvidence, tree } = stores
    ? await lookInto(stores, ring, isErased)
    : await lookAt(look, look === folder.path ? folder : null, ring, isErased);
  // A start on the copy before may have signed under its name.
  const origin = left ? drawnOrigin() : (begun?.origin ?? drawnOrigin());
  const carried = new ErasedKeys(keyFolder, origin);
  // Of keys that this copy does not hold: a newer one may, and bring them back.
  const matched = new Set([...listed.names(), ...returned, ...returnedEvidence].flatMap((name) => keys.marksOf(name)));
  await carried.add(
    [...listed.all(), ...returned],
    [...marks].filter((mark) => !matched.has(mark)),
    {
      // What the list says more of comes last.
      evidence: [...returnedEvidence.map((ref) => ({ ref, dsrId: null })), ...listed.evidence()],
      requests: listed.requests(),
    },
  );
  const isUnderWay = begun !== null && !begun.done;
  const plan: RestorePlan = {
    done: false,
    // What was moved half way is moved on to the same place: the WAL of a file belongs to it.
    set_aside: isUnderWay && begun.set_aside,
    from,
    aside: isUnderWay ? begun.aside : asideAt(folder.path, now()),
    origin,
    previous_origin: previous,
    previous_note: note,
    erased_keys: carried.all().length,
    returned_keys: returned,
    restored_at: new Date(now()).toISOString(),
  };
  await keepPlan(folder.path, plan);
  await bindPlan(keyFolder, plan);
  await claimOver(keyFolder, new LogKeys(ring, origin, now), tree);
  if (left) retireOrigin(keyFolder, left.origin);
  return plan;
}

/** @throws RestoreError for the copy of a log that was never in this place */
function refuseOther(from: string, previous: string, keyFolder: string): void {
  const said = pinnedOrigin(from);
  if (said === null || said === previous || wasHere(keyFolder, said)) return;
  throw new RestoreError(`${from} is a copy of ${said}, and the log here is ${previous}: give a copy of this log`);
}

/** Of the notes that are known, the one over the most events. */
function newest({ origin, verifiers }: LogKeys, anchor: AnchorFile, seen: string | null | undefined): string | null {
  const known = [
    { note: anchor.read(), from: anchor.name },
    { note: seen ?? null, from: 'what the witness answers' },
  ];
  const sized = known.flatMap(({ note, from }) =>
    note === null ? [] : [{ note, size: anchorOf(note, from, origin, verifiers).size }],
  );
  return sized.sort((a, b) => b.size - a.size)[0]?.note ?? null;
}

/** As it is while nobody writes it. @throws DataFolderInUseError */
function copied(from: string, draft: string, isAtRest: boolean): void {
  const copy = isAtRest ? undefined : DataFolder.take(from);
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    const given = REPLACED.filter((name) => existsSync(join(from, name)));
    for (const name of given) {
      cpSync(join(from, name), join(draft, name), { recursive: true });
      // Whoever may read the copy need not be who may read the log.
      chmodSync(join(draft, name), name === 'artifacts' ? 0o700 : 0o600);
    }
  } finally {
    copy?.release();
  }
}

/** Again after a crash is no error. */
async function replace(folder: string, draft: string, plan: RestorePlan): Promise<void> {
  const names = [...REPLACED, ...DERIVED];
  if (!plan.set_aside) {
    setAside(folder, names, plan.aside);
    await keepPlan(folder, { ...plan, set_aside: true });
  }
  // Of the copy, where it was broken off before; the draft is whole.
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of REPLACED) if (existsSync(join(draft, name))) renameSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
}

function setAside(folder: string, names: readonly string[], aside: string): void {
  const place = join(folder, aside);
  for (const name of names) {
    // What was moved before is not moved over: what stands here now was made since.
    if (!existsSync(join(folder, name)) || existsSync(join(place, name))) continue;
    mkdirSync(place, { recursive: true });
    renameSync(join(folder, name), join(place, name));
  }
}

/** A name that no folder has. */
function asideAt(folder: string, now: number): string {
  const name = `replaced-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!existsSync(join(folder, free))) return free;
  }
}
