#!/usr/bin/env node
/** The `mace` command: installs and builds what is missing, then runs the command line of apps/cli. */
import { startBuilt } from './lib/start-built.mjs';

await startBuilt('apps', 'cli', 'src', 'main.js');
