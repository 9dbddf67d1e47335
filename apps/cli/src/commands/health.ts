import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { showObject } from './shown.js';

/** `mace health`: whether requests are taken; 69 where not, with the part and the reason. */
export async function ready(context: Context): Promise<ExitCode> {
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path: '/health/ready' }));
  return EXIT.ok;
}
