import { resolve } from 'node:path';

import type { JsonObject } from '#lib/kernel';

import { answerOf, serverOn } from '../client.js';
import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { showObject } from './shown.js';

/** `mace health`: whether a server takes requests; 69 where not, with the part and the reason. It opens no folder itself. */
export async function ready(context: Context): Promise<ExitCode> {
  const { dataDir } = context.config;
  const server = await serverOn(dataDir);
  if (!server) {
    const todo =
      '`mace serve` starts one, `mace doctor` looks at what a start would find; --data or MACE_DATA_DIR names another';
    throw new CommandError(`no server runs on the data folder ${resolve(dataDir)}: ${todo}`, EXIT.unavailable);
  }
  showObject(context, await answerOf<JsonObject>(server, { method: 'GET', path: '/health/ready' }));
  return EXIT.ok;
}
