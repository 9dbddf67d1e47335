import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sha256Hex } from '#lib/kernel';

import { replaceFile } from './durable-file.js';

const FOLDER = 'checkpoints';
const ENDING = '.checkpoint';

/**
 * The last checkpoint of a log, kept beside its keys and not beside its events: whoever puts back older events without
 * putting back the keys too is found out. One file a log, named by a hash of its origin.
 */
export class AnchorFile {
  private readonly folder: string;
  private readonly path: string;

  constructor(keyFolder: string, origin: string) {
    this.folder = join(keyFolder, FOLDER);
    this.path = join(this.folder, `${sha256Hex(origin).slice(0, 32)}${ENDING}`);
  }

  get name(): string {
    return this.path;
  }

  /** The signed note; null where none was kept. */
  read(): string | null {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : null;
  }

  /** Durable once it settles. */
  async write(note: string): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    await replaceFile(this.path, note);
  }
}

/** The notes of every log that a key folder knows. */
export function anchorsIn(keyFolder: string): readonly string[] {
  const folder = join(keyFolder, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
