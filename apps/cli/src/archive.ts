import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../../../', import.meta.url);
/** Where the build put all that a command may load in one file (scripts/lib/archive-loader.cjs). */
const ARCHIVE = fileURLToPath(new URL('archive.cjs', DIST));

interface Loader {
  readonly load: (name: string) => unknown;
}

/**
 * A module of dist/ as the processes of the command line have it: from the archive where there is one.
 * @param name such as `apps/cli/src/mace.js`
 */
export async function load(name: string): Promise<unknown> {
  if (!existsSync(ARCHIVE)) return import(new URL(name, DIST).href);
  return (createRequire(import.meta.url)(ARCHIVE) as Loader).load(name);
}
