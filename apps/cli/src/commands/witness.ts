import { rehearsedHere, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

interface Options {
  readonly host: string;
  readonly port: number;
  readonly log?: readonly string[];
  readonly name?: string;
}

/** `mace witness serve`. */
export async function serveWitnessHere(
  context: Context,
  data: string | undefined,
  { host, port, log = [], name }: Options,
): Promise<ExitCode> {
  if (data === undefined) throw new CommandError('--data: the witness has a folder of its own; name it', EXIT.usage);
  if (rehearsedHere(context, `witness ${log.length} logs on http://${host}:${port} (data: ${data})`, data))
    return EXIT.ok;
  const { serveWitness } = await import('../../../witness/src/serve.js');
  return serveWitness({ data, host, port, logs: log, ...(name === undefined ? {} : { name }) });
}
