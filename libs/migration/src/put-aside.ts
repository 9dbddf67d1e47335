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
}

/** Whether the files of a log that was moved are still to be put aside. */
export function isHalfAside(folder: string): boolean {
  return existsSync(join(folder, PLAN));
}

/** @throws MigrationUnfinishedError */
export function refuseHalfAside(folder: string): void {
  if (isHalfAside(folder)) throw new MigrationUnfinishedError(folder);
}

/**
 * Puts aside what lies elsewhere from now on, in `replaced-<time>`: erasures reach there as into what a restore replaced.
 * From the first step on nothing is served from the folder until all are done; broken off, it is gone on with.
 * @param isReadSide whether data keys and artifacts were moved too
 * @param now milliseconds since the Unix epoch
 * @returns the name of the folder
 */
export async function putAside(folder: string, isReadSide: boolean, now: number): Promise<string> {
  const begun = planIn(folder);
  const plan = begun ?? {
    aside: `${NAME}${new Date(now).toISOString().replaceAll(':', '-').replaceAll('.', '-')}`,
    read_side: isReadSide,
  };
  if (!begun) await keep(folder, plan);
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
  if (!isHalfAside(folder)) return null;
  const path = join(folder, PLAN);
  try {
    const { aside, read_side } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Plan>;
    if (typeof aside === 'string' && aside.startsWith(NAME) && !aside.includes('/') && typeof read_side === 'boolean')
      return { aside, read_side };
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
