import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Apart from everything else: whoever asks for the version waits for nothing more to be loaded.

/** The folder that holds package.json: the same for sources and for what is built of them. */
export const PROJECT_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** `mace-<version>`, as recorded with every job. */
export function systemVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };
  return `mace-${version}`;
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above this file');
  return rootAbove(parent);
}
