import { readConfig } from '../../../api/src/platform.config.js';
import { rehearsedHere, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

/** `mace serve`. */
export async function serveHere(context: Context, { host, port }: { host?: string; port?: string }): Promise<ExitCode> {
  const env = {
    ...context.env,
    ...(host === undefined ? {} : { MACE_HOST: host }),
    ...(port === undefined ? {} : { MACE_PORT: port }),
  };
  if (context.dryRun) {
    const { host: at, port: on, dataDir, eventStore } = readConfig(env);
    rehearsedHere(context, `serve http://${at}:${on} (event store: ${eventStore}, data: ${dataDir})`, dataDir);
    return EXIT.ok;
  }
  const { serve } = await import('../../../api/src/main.serve.js');
  return (await serve(env)) as ExitCode;
}
