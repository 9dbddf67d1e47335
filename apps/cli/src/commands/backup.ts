import { constants, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { KeyFileError } from '#lib/access';
import { BackupError, BackupFullError, type BackupManifest, checkFiles, readManifest, writeBackup } from '#lib/backup';
import { LogGuardError, OriginError, RestoreError } from '#lib/proof';
import { DataFileError } from '#lib/sqlite';

import { PROJECT_ROOT, systemVersion } from '../../../api/src/configuration-files.js';
import { checkCopy } from '../checked-copy.js';
import { type Context, rehearsedHere } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { keyFileOf } from '../own-keys.js';
import { withProgress } from '../progress.js';

const ON_SERVERS =
  'mace backup copies what the embedded stores keep, and the settings name others: back EventStoreDB up by its own means first, then MongoDB by its own, then the key folder (docs/operations.md)';

/** `mace backup`: one state of the data folder, while a server may be at work on it. */
export async function backup(
  context: Context,
  to: string,
  { withKeys = false }: { readonly withKeys?: boolean },
): Promise<ExitCode> {
  const { config, io } = context;
  if (config.eventStoreDb ?? config.mongoDb) throw new CommandError(ON_SERVERS, EXIT.usage);
  const which = `${withKeys ? 'with' : 'without'} the keys`;
  if (rehearsedHere(context, `back ${resolve(config.dataDir)} up to ${resolve(to)}, ${which}`, resolve(to)))
    return EXIT.ok;
  // The copy holds what the folder holds: nobody else may read it.
  process.umask(0o077);
  const manifest = await withProgress(context, '{value}/{total} bytes', (show) =>
    inWords(() =>
      writeBackup({
        dataDir: config.dataDir,
        to,
        keyFile: keyFileOf(config),
        withKeys,
        configFolder: join(PROJECT_ROOT, 'config'),
        release: systemVersion(),
        madeAt: new Date().toISOString(),
        onProgress: ({ bytes, total }) => show(bytes, total),
      }),
    ),
  );
  if (context.json) io.out(JSON.stringify(told(to, manifest), null, 2));
  else {
    io.out(`${resolve(to)} holds the log up to event ${manifest.events}, and ${manifest.artifacts} artifacts`);
    if (withKeys) io.say('the keys lie in it in the clear: whoever has it can read everything, and sign in your name');
    else io.say(`the keys are not in it: back up ${keyFileOf(config)} apart from it`);
    io.say(`\`mace backup verify ${to}\` says whether it can be restored`);
  }
  return EXIT.ok;
}

/** `mace backup verify`: every digest, signature, chain and reference of a backup; exit code 2 where one does not hold, 1 where there is none. */
export async function verifyBackup(context: Context, folder: string): Promise<ExitCode> {
  const { config, io } = context;
  const path = resolve(folder);
  const scratch = mkdtempSync(join(tmpdir(), 'mace-verify-'));
  try {
    const manifest = readManifest(path);
    if (manifest === null) throw new CommandError(`${path} holds no backup.json: it is no backup`, EXIT.failure);
    await withProgress(context, '{value}/{total} bytes', (show) =>
      checkFiles(path, manifest, { onProgress: ({ bytes, total }) => show(bytes, total) }),
    );
    await layOut(path, scratch);
    const checked = await withProgress(context, '{value}/{total} events', (show) =>
      checkCopy(scratch, config, manifest, show),
    );
    if (context.json) io.out(JSON.stringify({ ...told(path, manifest), sound: true, ...checked }, null, 2));
    else
      io.out(
        `${path} is sound: ${checked.events} events in ${checked.streams} streams, ${manifest.files.length} files`,
      );
    return EXIT.ok;
  } catch (error) {
    if (!isOfCopy(error)) throw error instanceof Error ? said(error) : error;
    if (context.json) io.out(JSON.stringify({ backup: path, sound: false, reason: error.message }, null, 2));
    io.say(`mace: ${error.message}`);
    return EXIT.divergence;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function told(to: string, { files, ...about }: BackupManifest) {
  return { backup: resolve(to), ...about, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * What a look opens for writing is copied to a folder of its own, where the system can by sharing the blocks; the rest is
 * pointed to. Nothing is written in the backup, which may lie where nothing can be.
 */
async function layOut(from: string, scratch: string): Promise<void> {
  for (const name of ['events.db', 'subject-keys.db'])
    if (existsSync(join(from, name))) await copyFile(join(from, name), join(scratch, name), constants.COPYFILE_FICLONE);
  const artifacts = join(from, 'artifacts');
  mkdirSync(join(scratch, 'artifacts'));
  if (!existsSync(artifacts)) return;
  for (const name of readdirSync(artifacts)) symlinkSync(join(artifacts, name), join(scratch, 'artifacts', name));
}

/** What is wrong with the backup itself, and not with what is needed for looking at it. */
function isOfCopy(error: unknown): error is Error {
  return [BackupError, RestoreError, LogGuardError, DataFileError].some((kind) => error instanceof kind);
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error ? said(error) : error;
  }
}

function said(error: Error): Error {
  if (error instanceof BackupFullError) return new CommandError(error.message, EXIT.unavailable, { cause: error });
  const kinds = [BackupError, RestoreError, OriginError, LogGuardError, DataFileError, KeyFileError];
  if (kinds.some((kind) => error instanceof kind))
    return new CommandError(error.message, EXIT.failure, { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC')
    return new CommandError(`no room for a copy to look at (TMPDIR says where): ${message}`, EXIT.unavailable);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new CommandError(`what is to be written, or read, may not be: ${message}`, EXIT.failure, { cause: error });
  return error;
}
