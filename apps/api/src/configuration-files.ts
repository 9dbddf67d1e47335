import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { JsonObject } from '#lib/kernel';

/** The folder that holds package.json: the same for sources and for what is built of them. */
export const PROJECT_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** A file of `config/`, which enters the log as a snapshot. @throws Error naming the file that is missing or not JSON */
export function configFile(name: string): JsonObject {
  const path = join(PROJECT_ROOT, 'config', `${name}.json`);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  } catch (error) {
    throw new Error(`config/${name}.json: ${(error as Error).message}`);
  }
}

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
