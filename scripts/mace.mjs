#!/usr/bin/env node
/** The `mace` command: installs and builds what is missing, then runs the command line of apps/cli. */

// A bundle is checked by a program of its own, which loads nothing else of this project.
if (process.argv[2] === 'verify') {
  process.argv.splice(2, 1);
  const { startAlone } = await import('./lib/start-alone.mjs');
  await startAlone('libs/verifier');
} else {
  const { startBuilt } = await import('./lib/start-built.mjs');
  await startBuilt('apps', 'cli', 'src', 'main.js');
}
