import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import { sha256Hex } from '#lib/kernel';
import { EMPTY_ROOT, parseCheckpoint, parseNote } from '#lib/verifier';

import { readText, replaceFile } from './durable-file.js';
import type { SizedRoot } from './kept-tree.js';
import type { LogKeys } from './log-keys.js';

const FOLDER = 'checkpoints';
const ENDING = '.checkpoint';
const RETIRED = '.superseded';

/**
 * The last checkpoint of a log, kept beside its keys and not beside its events: whoever puts back older events without
 * putting back the keys too is found out. One file a log, named by a hash of its origin.
 */
export class AnchorFile {
  private readonly folder: string;
  private readonly path: string;

  constructor(keyFolder: string, origin: string) {
    this.folder = join(keyFolder, FOLDER);
    this.path = besideAnchor(keyFolder, origin, ENDING);
  }

  get name(): string {
    return this.path;
  }

  /** The signed note; null where none was kept. */
  read(): string | null {
    return existsSync(this.path) ? readText(this.path) : null;
  }

  /** Durable once it settles. */
  async write(note: string): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    await replaceFile(this.path, note);
  }
}

/**
 * Makes a log known to a key folder before it has any event: a checkpoint of nothing. From then on no other name frees
 * its events from what is signed of them. One that is known stays as it is.
 * @throws KeyOutOfTimeError, and what writing throws
 */
export async function claimOrigin(keyFolder: string, keys: LogKeys): Promise<void> {
  const anchor = new AnchorFile(keyFolder, keys.origin);
  if (anchor.read() === null) await anchor.write(keys.sign(0, EMPTY_ROOT));
}

/** Whether nothing is known of a log but that it began. */
export function isClaim(anchor: AnchorFile): boolean {
  const note = anchor.read();
  return note !== null && parseCheckpoint(parseNote(note).text)?.size === 0;
}

/** The same for a log that is begun on these events, and on no others. @throws as above */
export async function claimOver(keyFolder: string, keys: LogKeys, { size, root }: SizedRoot): Promise<void> {
  await new AnchorFile(keyFolder, keys.origin).write(keys.sign(size, Buffer.from(root, 'hex')));
}

/** Path of what else is kept of a log beside its keys. */
export function besideAnchor(keyFolder: string, origin: string, ending: string): string {
  return join(keyFolder, FOLDER, `${sha256Hex(origin).slice(0, 32)}${ending}`);
}

/** Another log has taken the place of this one: its checkpoint is kept, and makes it known no longer. Again is no error. */
export function retireOrigin(keyFolder: string, origin: string): void {
  const { name } = new AnchorFile(keyFolder, origin);
  if (existsSync(name)) renameSync(name, `${name}${RETIRED}`);
}

/** Whether a restore has taken the place of this log. */
export function wasHere(keyFolder: string, origin: string): boolean {
  return existsSync(`${new AnchorFile(keyFolder, origin).name}${RETIRED}`);
}

/** Paths of the last checkpoints of every log that a key folder knows. */
export function anchorsIn(keyFolder: string): readonly string[] {
  const folder = join(keyFolder, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => join(folder, name));
}
