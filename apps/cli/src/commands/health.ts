import type { JsonObject } from '#lib/kernel';

import { answerOf, runningServer } from '../client.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { showObject } from './shown.js';

/** `mace health`: whether a server takes requests; 69 where not, with the part and the reason. It opens no folder itself. */
export async function ready(context: Context): Promise<ExitCode> {
  const { dataDir } = context.config;
  const server = await runningServer(dataDir);
  showObject(context, await answerOf<JsonObject>(server, { method: 'GET', path: '/health/ready' }));
  return EXIT.ok;
}
