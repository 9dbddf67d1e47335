import { rehearsedHere, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

/** `mace worker`. */
export async function workHere(context: Context): Promise<ExitCode> {
  if (context.dryRun) {
    const { dataDir, eventStore } = context.config;
    rehearsedHere(context, `run projections and reactors (event store: ${eventStore}, data: ${dataDir})`, dataDir);
    return EXIT.ok;
  }
  const { work } = await import('../../../worker/src/work.js');
  return (await work(context.env)) as ExitCode;
}
