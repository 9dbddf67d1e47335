import { work } from '../../../worker/src/work.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';

/** `mace worker`. */
export async function workHere({ env }: Context): Promise<ExitCode> {
  return (await work(env)) as ExitCode;
}
