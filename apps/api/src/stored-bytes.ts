import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { artifactBytes } from '#lib/event-store';

/** A database's WAL is given back by itself, and its size says nothing of what is kept. */
const NOT_COUNTED = /-wal$|-shm$/;

/** Bytes that the files of a data folder take beside its artifacts. @param but whose size somebody else knows better */
export function fileBytes(folder: string, but?: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    if (name === but || NOT_COUNTED.test(name)) continue;
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}

/** Bytes that everything in a data folder takes, whether a process holds it or not. */
export async function storedBytes(folder: string): Promise<number> {
  const artifacts = join(folder, 'artifacts');
  return fileBytes(folder) + (existsSync(artifacts) ? await artifactBytes(artifacts) : 0);
}
