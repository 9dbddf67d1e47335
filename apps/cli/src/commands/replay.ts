import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

interface ReplayAnswer {
  readonly replay_id: string;
  readonly verdict: string | null;
  readonly steps?: readonly unknown[];
  readonly divergence?: unknown;
}

/** `mace replay`: MATCH, or the first difference and exit code 2. */
export async function replay(context: Context, jobId: string, mode: string): Promise<ExitCode> {
  const call = { method: 'POST', path: '/replay/request', body: { job_id: jobId, mode } } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const result = await context.answer<ReplayAnswer>(call);
  const { io } = context;
  const verdict = result.verdict ?? 'no verdict yet';
  const matches = verdict.startsWith('MATCH');
  if (context.json) io.out(JSON.stringify(result, null, 2));
  else {
    io.out(matches ? io.colors.green(verdict) : io.colors.red(verdict));
    if (result.divergence) io.out(JSON.stringify(result.divergence, null, 2));
    io.say(io.colors.dim(`${result.steps?.length ?? 0} steps compared  ${result.replay_id}`));
  }
  return matches ? EXIT.ok : EXIT.divergence;
}
