import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import type * as Program from './mace.js';

/** Where the build put all that a command may load in one file (scripts/lib/archive-loader.cjs). */
const ARCHIVE = fileURLToPath(new URL('../../../archive.cjs', import.meta.url));

interface Loader {
  readonly load: (name: string) => unknown;
}

async function program(): Promise<typeof Program> {
  if (!existsSync(ARCHIVE)) return import('./mace.js');
  const { load } = createRequire(import.meta.url)(ARCHIVE) as Loader;
  return load('apps/cli/src/mace.js') as typeof Program;
}

const { mace } = await program();
process.exitCode = await mace();
