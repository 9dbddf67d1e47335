import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One file of a folder: its name, its whole path and its bytes. */
export interface FolderFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
}

/**
 * Every file below a folder that a server may be writing to. A file that is renamed while the folder is read would be
 * missed under both of its names, so the folder is then read again from its beginning.
 */
export function filesBelow(folder: string): readonly FolderFile[] {
  for (let left = 100; ; left--) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(isFile).map(read);
    } catch (error) {
      if (left === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function isFile(entry: Dirent): boolean {
  return entry.isFile();
}

function read({ parentPath, name }: Dirent): FolderFile {
  const path = join(parentPath, name);
  return { name, path, bytes: readFileSync(path) };
}
