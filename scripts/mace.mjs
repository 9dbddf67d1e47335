#!/usr/bin/env node
/** The `mace` command: installs and builds what is missing, then runs the command line of apps/cli. */
import { startBuilt } from './lib/start-built.mjs';

// A bundle is checked by a program of its own, which loads nothing else of this project.
if (process.argv[2] === 'verify') {
  process.argv.splice(2, 1);
  await startBuilt('libs/verifier/mace-verify.cjs');
} else await startBuilt('mace/main.js');
