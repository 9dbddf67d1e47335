import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

import type { BackedUpFile } from './manifest.js';

/** What a file holds, by its digest. @param path below `folder` */
export async function digestOf(folder: string, path: string): Promise<BackedUpFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of createReadStream(join(folder, path))) {
    hash.update(part as Buffer);
    bytes += (part as Buffer).length;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/**
 * Copies a file that nobody changes, durable once it settles; for its owner only.
 * @param path below `to`
 * @returns null where it is gone, or goes meanwhile
 */
export async function copyWhole(from: string, to: string, path: string): Promise<BackedUpFile | null> {
  const body = await unlessMissing(open(from, 'r'));
  if (body === null) return null;
  try {
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const copy = await open(target, 'wx', 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const part of body.createReadStream({ autoClose: false })) {
        await copy.writeFile(part as Buffer);
        hash.update(part as Buffer);
        bytes += (part as Buffer).length;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
    return { path, bytes, sha256: hash.digest('hex') };
  } finally {
    await body.close();
  }
}

/** Files below a folder, by path with `/`, in order; none where the folder is missing. */
export function filesBelow(folder: string): readonly string[] {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();
}

/** Writes a small file in one step; a crash leaves the one before it, or none. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Makes names that were given or taken in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
