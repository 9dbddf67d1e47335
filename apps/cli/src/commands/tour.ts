import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

/** `mace tour`: the story that the README shows first. */
export async function tour(_context: Context): Promise<ExitCode> {
  throw new CommandError('the tour is not part of this build', EXIT.unavailable);
}
