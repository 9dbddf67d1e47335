import { serve } from '../../../api/src/main.serve.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';

/** `mace serve`. */
export async function serveHere({ env }: Context, { host, port }: { host?: string; port?: string }): Promise<ExitCode> {
  const exitCode = await serve({
    ...env,
    ...(host === undefined ? {} : { MACE_HOST: host }),
    ...(port === undefined ? {} : { MACE_PORT: port }),
  });
  return exitCode as ExitCode;
}
