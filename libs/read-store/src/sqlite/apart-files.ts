import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOf } from '../definitions.js';
import type { Generation } from '../port.js';
import { DocumentFile, removeFile } from './document-file.js';
import type { Place } from './tables.js';
import { WritingThread } from './writing-thread.js';

const APART_FILE = /^(read-.+\.db)(-wal|-shm)?$/;

/**
 * Generations that are kept in files of their own: those in the making, and what has become of them. While it is made
 * such a file has a thread of its own and is never waited for to be on the disk, which is where the time of everybody
 * else's appends would go; only a crash of the machine harms it then, and it is begun again after one.
 */
export class ApartFiles {
  private readonly files = new Map<string, DocumentFile>();

  private constructor(
    private readonly folder: string,
    private readonly main: DocumentFile,
    private readonly thread: WritingThread,
  ) {}

  /** Opens those that read.db names and removes all others. @throws as DocumentFile.open does */
  static async open(folder: string, main: DocumentFile, thread: WritingThread): Promise<ApartFiles> {
    const apart = new ApartFiles(folder, main, thread);
    for (const [generation, { file, boot }] of main.read((reader) => reader.places())) {
      const isSound = boot === null || boot === thisBoot();
      if (isSound && existsSync(join(folder, file))) await apart.take(generation, file, boot !== null);
      else await main.write({ kind: 'drop', generation });
    }
    const named = new Set([...apart.files.values()].map(({ path }) => path));
    for (const name of await readdir(folder)) {
      const file = APART_FILE.exec(name)?.[1];
      if (file !== undefined && !named.has(join(folder, file))) await removeFile(join(folder, file));
    }
    return apart;
  }

  of(generation: Generation): DocumentFile | undefined {
    return this.files.get(keyOf(generation));
  }

  /** A file for a generation that is not there yet; again, where nothing was written to it, is no error. */
  async make(generation: Generation): Promise<void> {
    if (this.of(generation)) return;
    const file = fileOf(generation);
    await removeFile(join(this.folder, file));
    await this.take(generation, file, true);
    try {
      await this.note(generation, { file, boot: thisBoot() });
    } catch (error) {
      await this.remove(generation);
      throw error;
    }
  }

  /** From then on it outlives a crash of the machine too. Without meaning for one that does already. */
  async settle(generation: Generation): Promise<void> {
    const file = this.of(generation);
    if (!file?.isInTheMaking) return;
    await file.settle();
    await this.note(generation, { file: fileOf(generation), boot: null });
  }

  async remove(generation: Generation): Promise<void> {
    const file = this.of(generation);
    this.files.delete(keyOf(generation));
    await file?.remove();
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) await file.close();
  }

  private async take(generation: Generation, file: string, isInTheMaking: boolean): Promise<void> {
    const own = isInTheMaking ? await WritingThread.start(`read-store ${file}`, { disposable: true }) : undefined;
    try {
      this.files.set(keyOf(generation), DocumentFile.open(join(this.folder, file), this.thread, own));
    } catch (error) {
      await own?.stop();
      throw error;
    }
  }

  private async note(generation: Generation, place: Place): Promise<void> {
    await this.main.write({ kind: 'place', generation, place });
  }
}

function fileOf({ projection, name }: Generation): string {
  return `read-${projection}-${name}.db`;
}

let boot: string | undefined;

/**
 * The run of the machine: what was written in it lies in its memory or on its disk, whatever became of the process. A
 * system that does not tell it has a run for each process.
 */
function thisBoot(): string {
  boot ??= bootId() ?? randomUUID();
  return boot;
}

function bootId(): string | null {
  const path = '/proc/sys/kernel/random/boot_id';
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
