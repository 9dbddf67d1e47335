import { join } from 'node:path';

import { digestOf, filesBelow } from './files.js';
import { BackupError, type BackupManifest, MANIFEST } from './manifest.js';

export interface FileCheck {
  /** Below the folder that holds them; only these are looked at, all where absent. */
  readonly only?: (path: string) => boolean;
  readonly onProgress: (progress: { readonly bytes: number; readonly total: number }) => void;
}

/**
 * Whether the files are those that the manifest names, byte for byte.
 * @param folder the backup, or a copy of some of its files
 * @throws BackupError naming the first that is not
 */
export async function checkFiles(
  folder: string,
  manifest: BackupManifest,
  { only, onProgress }: FileCheck,
): Promise<void> {
  const files = manifest.files.filter(({ path }) => only?.(path) ?? true);
  const named = new Set(files.map(({ path }) => path));
  const other = filesBelow(folder).find((path) => path !== MANIFEST && !named.has(path));
  if (other !== undefined)
    throw new BackupError(`${join(folder, other)} is no file of the backup: its ${MANIFEST} does not name it`);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let bytes = 0;
  for (const file of files) {
    const found = await digestIfThere(folder, file.path);
    if (found === null) throw new BackupError(`${join(folder, file.path)} is missing from the backup`);
    if (found.sha256 !== file.sha256)
      throw new BackupError(
        `${join(folder, file.path)} is not what was backed up: its SHA-256 is ${found.sha256}, and ${MANIFEST} says ${file.sha256}`,
      );
    bytes += found.bytes;
    onProgress({ bytes, total });
  }
}

async function digestIfThere(folder: string, path: string) {
  try {
    return await digestOf(folder, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
