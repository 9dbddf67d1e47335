import { load } from './archive.js';
import type * as Program from './mace.js';

const { mace } = (await load('apps/cli/src/mace.js')) as typeof Program;
process.exitCode = await mace();
