import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder that is no whole backup, or not what was backed up; the message names the file and what is wrong with it. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export interface BackedUpFile {
  /** Below the backup, with `/` between its parts. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** What a backup holds, in its `backup.json`: written last, so that a backup without it was broken off. */
export interface BackupManifest {
  readonly format: typeof FORMAT;
  readonly state: 'complete';
  /** ISO 8601. */
  readonly made_at: string;
  /** The MACE that made it. */
  readonly release: string;
  /** Which log it is of. */
  readonly origin: string;
  /** Number of its events, and so the position of the last. */
  readonly events: number;
  /** The last checkpoint that was signed of the log before the events were copied, as a note; null where there was none. */
  readonly checkpoint: string | null;
  readonly artifacts: number;
  /** `apart`: whoever has the backup alone can read nothing personal and sign nothing. */
  readonly keys: 'apart' | 'included';
  /** Every file but this one, by path in order. */
  readonly files: readonly BackedUpFile[];
}

export const FORMAT = 'mace backup/v1';
export const MANIFEST = 'backup.json';

/** What stands there until the backup is whole. */
export const UNDER_WAY = { format: FORMAT, state: 'under way' } as const;

/**
 * @returns null for a folder that has none: it is no backup, or a plain copy of a data folder
 * @throws BackupError for one that was broken off, is of a newer release, or of no form
 */
export function readManifest(folder: string): BackupManifest | null {
  const found = parsed(folder);
  if (found === null) return null;
  const { format, state } = found;
  const path = join(folder, MANIFEST);
  if (format !== FORMAT) throw new BackupError(`${path} is of the form ${JSON.stringify(format)}, not ${FORMAT}`);
  if (state === UNDER_WAY.state)
    throw new BackupError(`${folder} is a backup that was broken off: make it again, and delete this one`);
  const odd = oddMember(found);
  if (odd !== null) throw new BackupError(`${path} was changed: it says nothing that can be meant as ${odd}`);
  return found as unknown as BackupManifest;
}

/** Whether a folder is a backup, whole or broken off, and so nothing that somebody put there for something else. */
export function isOfBackup(folder: string): boolean {
  try {
    return parsed(folder)?.['format'] === FORMAT;
  } catch (error) {
    if (error instanceof BackupError) return false;
    throw error;
  }
}

function parsed(folder: string): Readonly<Record<string, unknown>> | null {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new BackupError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BackupError(`${path} is no JSON object: the backup was broken off or changed`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const FORM: Readonly<Record<keyof BackupManifest, (value: unknown) => boolean>> = {
  format: (value) => value === FORMAT,
  state: (value) => value === 'complete',
  made_at: isText,
  release: isText,
  origin: isText,
  events: isCount,
  checkpoint: (value) => value === null || isText(value),
  artifacts: isCount,
  keys: (value) => value === 'apart' || value === 'included',
  files: (value) => Array.isArray(value) && value.every(isFile),
};

function oddMember(found: Readonly<Record<string, unknown>>): string | null {
  return Object.entries(FORM).find(([name, holds]) => !holds(found[name]))?.[0] ?? null;
}

function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { path, bytes, sha256 } = value as Readonly<Record<string, unknown>>;
  return isText(path) && isBelow(path as string) && isCount(bytes) && isText(sha256);
}

/** Whether a path leads nowhere but below the folder. */
function isBelow(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\\'));
}
