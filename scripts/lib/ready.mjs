import { ensureBuilt } from './build.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled } from './install.mjs';

/**
 * Everything a program of dist/ needs: dependencies and an up-to-date build. With nothing changed some milliseconds.
 * @param dev whether what tests and checks need is wanted too
 */
export async function makeReady({ dev = false } = {}) {
  await ensureInstalled({ dev });
  if (dev) await (await import('./client-types.mjs')).ensureClientTypes();
  await Promise.all([ensureBuilt(), ensureConsole()]);
}

/** Runs a script's main function; a failure is one readable message and exit code 1. */
export async function run(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
