import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a restore sets aside, and what one that was broken off was about to put in its place. */
const ASIDE = /^(?:replaced-.+|restoring)$/;

/** Folders in a data folder that hold another state of it, by path in order. */
export function foldersAside(dataFolder: string): readonly string[] {
  if (!existsSync(dataFolder)) return [];
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ASIDE.test(entry.name))
    .map(({ name }) => join(dataFolder, name))
    .sort();
}
