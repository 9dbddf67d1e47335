import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { MigrationError, MigrationUnfinishedError } from './migration-error.js';

const PLAN = 'migration.json';
const NAME = 'replaced-';
/** In this order: the log goes last, so that a folder that holds it was not put aside yet. */
const EVENTS = ['proof.db', 'events.db'];
const READ_SIDE = ['subject-keys.db', 'artifacts'];
/** Made again from the events; a read model that was rebuilt has a file of its own. */
const DERIVED = /^(read(-.+)?|integrity)\.db(-wal|-shm)?$/;
const SIDES = ['', '-wal', '-shm'];

interface Plan {
  /** Name of the folder for what was moved. */
  readonly aside: string;
  /** Whether data keys and artifacts were moved too. */
  readonly read_side: boolean;
  /** Whether the migration is on record where the log lies now: then nothing is left but to put files aside. */
  readonly recorded: boolean;
}

/** Whether the log is on record elsewhere, and its files are still to be put aside. @throws MigrationError */
export function isHalfAside(folder: string): boolean {
  return planIn(folder)?.recorded === true;
}

/** @throws MigrationUnfinishedError also where it is unknown whether the log is on record elsewhere */
export function refuseHalfAside(folder: string): void {
  if (existsSync(join(folder, PLAN))) throw new MigrationUnfinishedError(folder);
}

/**
 * From here on nothing is served from the folder. To be called before the migration is put on record, from when on the
 * other place may be served: a log that is served from two places goes two ways.
 * @param isReadSide whether data keys and artifacts were moved too
 * @param now milliseconds since the Unix epoch
 */
export async function announceMove(folder: string, isReadSide: boolean, now: number): Promise<void> {
  const aside = `${NAME}${new Date(now).toISOString().replaceAll(':', '-').replaceAll('.', '-')}`;
  if (!planIn(folder)) await keep(folder, { aside, read_side: isReadSide, recorded: false });
}

/**
 * Puts aside what lies elsewhere from now on, in `replaced-<time>`: erasures reach there as into what a restore replaced.
 * The move was announced, and is on record by now. Broken off, it is gone on with.
 * @returns the name of the folder
 * @throws MigrationError
 */
export async function putAside(folder: string): Promise<string> {
  const plan = planIn(folder);
  if (!plan) throw new MigrationError(`no move of the log in ${folder} was announced`);
  if (!plan.recorded) await keep(folder, { ...plan, recorded: true });
  const place = join(folder, plan.aside);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (DERIVED.test(name)) rmSync(join(folder, name));
  for (const name of [...(plan.read_side ? READ_SIDE : []), ...EVENTS])
    for (const side of [...SIDES].reverse()) move(folder, place, name + side);
  rmSync(join(folder, PLAN));
  return plan.aside;
}

/** What was moved before is not moved over: what stands here now was made since. */
function move(folder: string, place: string, name: string): void {
  if (existsSync(join(folder, name)) && !existsSync(join(place, name)))
    renameSync(join(folder, name), join(place, name));
}

function planIn(folder: string): Plan | null {
  const path = join(folder, PLAN);
  if (!existsSync(path)) return null;
  try {
    const { aside, read_side, recorded } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Plan>;
    const isPlace = typeof aside === 'string' && aside.startsWith(NAME) && !aside.includes('/');
    if (isPlace && typeof read_side === 'boolean' && typeof recorded === 'boolean')
      return { aside, read_side, recorded };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new MigrationError(`${path} is no plan of a migration: remove it, and give the \`mace migrate\` again`);
}

async function keep(folder: string, plan: Plan): Promise<void> {
  const path = join(folder, PLAN);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(plan)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const parent = await open(folder, 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}
