import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

import { copyEventLog, copySubjectKeys } from '#lib/event-store';
import { copyMerkleLog, logAtRest, type LogAtRest } from '#lib/proof';
import { isStorageFull } from '#lib/sqlite';

import { copyWhole, digestOf, filesBelow, syncFolder, writeWhole } from './files.js';
import {
  type BackedUpFile,
  BackupError,
  type BackupManifest,
  FORMAT,
  isOfBackup,
  MANIFEST,
  UNDER_WAY,
} from './manifest.js';

export interface BackupOptions {
  /** The data folder; a server may be at work on it. */
  readonly dataDir: string;
  /** Where the backup is to stand: nothing, or an empty folder. */
  readonly to: string;
  readonly keyFile: string;
  /** Whether the key ring goes with it, in the clear. */
  readonly withKeys: boolean;
  /** The release's configuration files. */
  readonly configFolder: string;
  readonly release: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Told of each file that is whole in the copy, with what is copied by then and what there was to copy at first. */
  readonly onProgress: (progress: { readonly bytes: number; readonly total: number }) => void;
}

/** There is no room for the backup; nothing of it was left behind. */
export class BackupFullError extends Error {
  override readonly name = 'BackupFullError';
}

const UNFINISHED = '.unfinished';
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * Copies a data folder as it is at one moment, while a server goes on writing to it. It grows beside its place, in
 * `TO.unfinished`, and takes the place in one step: what stands under its name is whole, and one that was broken off is
 * refused by everybody who is given it, and replaced by the next attempt.
 *
 * What is read first reaches least far: the checkpoint and the tree, then the events, then the data keys and artifacts, of
 * which each was there before an event that needs it.
 * @throws BackupError, BackupFullError, RestoreError, OriginError, DataFileError
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const to = resolve(options.to);
  const draft = `${to}${UNFINISHED}`;
  refusePlace(options.dataDir, to, draft);
  rmSync(draft, { recursive: true, force: true });
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    await writeWhole(join(draft, MANIFEST), `${JSON.stringify(UNDER_WAY)}\n`);
    const manifest = await filled(draft, options);
    await writeWhole(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(draft, to);
    await syncFolder(dirname(to));
    return manifest;
  } catch (error) {
    // What failed leaves nothing for somebody to clear away; only a kill leaves a draft, which says what it is.
    rmSync(draft, { recursive: true, force: true });
    if (!isFull(error)) throw error;
    throw new BackupFullError(
      `there is no room for the backup at ${to}: it takes some ${megabytes(sizeOf(options))} MB. Nothing of it was left there`,
      { cause: error },
    );
  }
}

/** @throws BackupError */
function refusePlace(dataDir: string, to: string, draft: string): void {
  if (!existsSync(join(dataDir, 'events.db')))
    throw new BackupError(`${dataDir} holds no events.db: there is nothing to back up`);
  const way = relative(resolve(dataDir), to);
  if (way === '' || !(way === '..' || way.startsWith(`..${sep}`)))
    throw new BackupError(`${to} lies in the data folder: give a place outside it, best on another disk`);
  if (existsSync(to) && (!statSync(to).isDirectory() || readdirSync(to).length > 0))
    throw new BackupError(`${to} is there already: give a place where nothing stands`);
  if (existsSync(draft) && !isOfBackup(draft) && readdirSync(draft).length > 0)
    throw new BackupError(`${draft}, where the backup would grow, holds something else: move it away`);
}

async function filled(draft: string, options: BackupOptions): Promise<BackupManifest> {
  const { dataDir, keyFile, configFolder, withKeys, release, madeAt } = options;
  const copy = new Copy(draft, sizeOf(options), options.onProgress);
  const log: LogAtRest = logAtRest(dataDir, dirname(keyFile));
  if (copyMerkleLog(dataDir, join(draft, 'proof.db'))) await copy.made('proof.db');
  const events = copyEventLog(dataDir, join(draft, 'events.db'));
  await copy.made('events.db');
  if (existsSync(join(dataDir, 'subject-keys.db'))) {
    copySubjectKeys(dataDir, join(draft, 'subject-keys.db'));
    await copy.made('subject-keys.db');
  }
  const artifacts = await copy.below(
    join(dataDir, 'artifacts'),
    'artifacts',
    (path) => !path.startsWith('unfinished/'),
  );
  await copy.below(configFolder, 'config', (path) => path.endsWith('.json') && !path.includes('/'));
  await copy.file(join(dataDir, 'origin'), 'origin');
  if (withKeys) {
    await copy.file(keyFile, 'keys/ring.json');
    await copy.below(join(dirname(keyFile), 'checkpoints'), 'keys/checkpoints', () => true);
  }
  if (logAtRest(dataDir, dirname(keyFile)).origin !== log.origin)
    throw new BackupError(`${dataDir} was restored meanwhile: make the backup again`);
  const keys = withKeys ? 'included' : 'apart';
  const { origin, note: checkpoint } = log;
  const about = { format: FORMAT, state: 'complete', made_at: madeAt, release, origin, events, checkpoint } as const;
  return { ...about, artifacts, keys, files: copy.files() };
}

/** What has been copied so far. */
class Copy {
  private readonly copied: BackedUpFile[] = [];
  private bytes = 0;

  constructor(
    private readonly draft: string,
    private readonly total: number,
    private readonly onProgress: BackupOptions['onProgress'],
  ) {}

  /** Takes a file that stands in the draft already. */
  async made(path: string): Promise<void> {
    this.take(await digestOf(this.draft, path));
  }

  async file(from: string, path: string): Promise<boolean> {
    const copied = await copyWhole(from, this.draft, path);
    if (copied) this.take(copied);
    return copied !== null;
  }

  /** @returns how many files */
  async below(folder: string, name: string, isWanted: (path: string) => boolean): Promise<number> {
    let count = 0;
    for (const path of filesBelow(folder).filter(isWanted))
      if (await this.file(join(folder, path), `${name}/${path}`)) count++;
    return count;
  }

  files(): readonly BackedUpFile[] {
    return [...this.copied].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private take(file: BackedUpFile): void {
    this.copied.push(file);
    this.bytes += file.bytes;
    this.onProgress({ bytes: this.bytes, total: Math.max(this.total, this.bytes) });
  }
}

/** About as much as the backup will take. */
function sizeOf({ dataDir }: BackupOptions): number {
  const files = [
    'events.db',
    'proof.db',
    'subject-keys.db',
    ...filesBelow(join(dataDir, 'artifacts')).map((path) => `artifacts/${path}`),
  ];
  return files.reduce((sum, name) => sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}

function isFull(error: unknown): boolean {
  return isStorageFull(error) || NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '');
}
