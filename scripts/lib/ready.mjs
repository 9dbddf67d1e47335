import { ensureBuilt } from './builder.mjs';
import { ensureInstalled } from './install.mjs';

/** Everything a program of dist/ needs: dependencies and an up-to-date build. With nothing changed some milliseconds. */
export async function makeReady(wanted) {
  await ensureInstalled();
  await ensureBuilt(wanted);
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
