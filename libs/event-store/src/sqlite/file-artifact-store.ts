import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { DataFileError, type DataFolder } from '#lib/sqlite';

import { artifactName, type ArtifactStore, DamagedArtifactError } from '../artifacts.js';
import { NO_ROOM } from '../no-room.js';
import { StorageFullError, StoreUnavailableError } from '../port.js';

const NAME = /^[0-9a-f]{64}$/;
const FOLDER_LENGTH = 2;
/** Files that are looked at side by side. */
const AT_ONCE = 64;

/**
 * Artifacts as files of the data folder: artifacts/ab/cd…. A body is written beside, made durable, then given its
 * name, so that under a name there is all of it or nothing.
 * @throws DataFileError where the folder cannot be written
 */
export async function openFileArtifactStore({ folder }: { readonly folder: DataFolder }): Promise<ArtifactStore> {
  if (!folder.isHeld) throw new Error(`the data folder ${folder.path} was released already`);
  const root = join(folder.path, 'artifacts');
  const unfinished = join(root, 'unfinished');
  try {
    // What a crash left half written.
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
  } catch (error) {
    throw new DataFileError(root, `cannot be written: ${(error as Error).message}`, 'Make it writable for this user.', {
      cause: error,
    });
  }
  return new FileArtifactStore(root, unfinished, await artifactBytes(root));
}

class FileArtifactStore implements ArtifactStore {
  private closed = false;
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly root: string,
    private readonly unfinished: string,
    private bytes: number,
  ) {}

  get localBytes(): number {
    return this.bytes;
  }

  put(body: Uint8Array): Promise<string> {
    return this.track(async () => {
      const name = artifactName(body);
      const path = this.pathOf(name);
      if (!(await this.isWhole(name))) await this.writeOnce(path, body);
      return name;
    });
  }

  has(name: string): Promise<boolean> {
    return this.track(async () => NAME.test(name) && (await sizeOf(this.pathOf(name))) !== null);
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.track(async () => {
      if (!NAME.test(name)) return null;
      const body = await unlessMissing(readFile(this.pathOf(name)));
      if (body && artifactName(body) !== name) throw new DamagedArtifactError(name);
      return body;
    });
  }

  names(after: string | null, limit: number): Promise<readonly string[]> {
    return this.track(async () => {
      const found: string[] = [];
      const folders = (await readdir(this.root)).filter(({ length }) => length === FOLDER_LENGTH).sort();
      for (const folder of folders.filter((one) => one >= (after ?? '').slice(0, FOLDER_LENGTH))) {
        const names = (await readdir(join(this.root, folder))).map((rest) => folder + rest).sort();
        found.push(...names.filter((name) => NAME.test(name) && name > (after ?? '')));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    });
  }

  delete(name: string): Promise<boolean> {
    return this.track(async () => {
      if (!NAME.test(name)) return false;
      const path = this.pathOf(name);
      const size = await sizeOf(path);
      const deleted = await unlessMissing(rm(path).then(() => true));
      if (deleted) {
        this.bytes -= size ?? 0;
        await sync(dirname(path));
      }
      return deleted ?? false;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.underWay);
  }

  /** Only ever called with a name of our own form, so nothing outside the folder can be reached. */
  private pathOf(name: string): string {
    return join(this.root, name.slice(0, 2), name.slice(2));
  }

  /** A file that was damaged is written again by the next who puts its bytes. */
  private async isWhole(name: string): Promise<boolean> {
    const stored = await unlessMissing(readFile(this.pathOf(name)));
    return stored !== null && artifactName(stored) === name;
  }

  /** Whoever puts the same meanwhile waits for this one, and its bytes are counted once. */
  private writeOnce(path: string, body: Uint8Array): Promise<void> {
    const known = this.writing.get(path);
    if (known) return known;
    const write = this.write(path, body).finally(() => this.writing.delete(path));
    this.writing.set(path, write);
    return write;
  }

  private async write(path: string, body: Uint8Array): Promise<void> {
    const temporary = join(this.unfinished, randomUUID());
    try {
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(body);
        await file.sync();
      } finally {
        await file.close();
      }
      const made = await mkdir(dirname(path), { recursive: true });
      const before = await sizeOf(path);
      await rename(temporary, path);
      this.bytes += body.length - (before ?? 0);
      await sync(dirname(path));
      if (made) await sync(this.root);
    } catch (error) {
      await rm(temporary, { force: true });
      const { code = '' } = error as NodeJS.ErrnoException;
      throw NO_ROOM.has(code) ? new StorageFullError('the disk of the data folder has no room') : error;
    }
  }

  private track<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailableError('the artifact store is closed'));
    const result = work();
    this.underWay.add(result);
    const forget = (): void => void this.underWay.delete(result);
    result.then(forget, forget);
    return result;
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

async function sizeOf(path: string): Promise<number | null> {
  return unlessMissing(stat(path).then(({ size }) => size));
}

/** Bytes that the artifacts of a folder take. */
export async function artifactBytes(root: string): Promise<number> {
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  let bytes = 0;
  for (let from = 0; from < files.length; from += AT_ONCE) {
    const some = files.slice(from, from + AT_ONCE).map(({ parentPath, name }) => sizeOf(join(parentPath, name)));
    for (const size of await Promise.all(some)) bytes += size ?? 0;
  }
  return bytes;
}

/** Makes a name that was given or taken in a folder durable. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
