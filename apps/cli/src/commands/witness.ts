import { serveWitness } from '../../../witness/src/serve.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

interface Options {
  readonly host: string;
  readonly port: number;
  readonly log?: readonly string[];
  readonly name?: string;
}

/** `mace witness serve`. */
export async function serveWitnessHere(
  data: string | undefined,
  { host, port, log = [], name }: Options,
): Promise<ExitCode> {
  if (data === undefined) throw new CommandError('--data: the witness has a folder of its own; name it', EXIT.usage);
  return serveWitness({ data, host, port, logs: log, ...(name === undefined ? {} : { name }) });
}
