#!/usr/bin/env node
/** The `mace` command: installs and builds what is missing, then runs the command line of apps/cli. */
import { startAlone, startBuilt } from './lib/start-built.mjs';

// A bundle is checked by a program of its own, which loads nothing else of this project.
if (process.argv[2] === 'verify') {
  process.argv.splice(2, 1);
  await startAlone('libs/verifier', 'src', 'main.js');
} else await startBuilt('apps', 'cli', 'src', 'main.js');
