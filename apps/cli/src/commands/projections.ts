import { setTimeout as wait } from 'node:timers/promises';

import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';

interface Projection {
  readonly name: string;
  readonly state: string;
  readonly position: string;
  readonly head: string;
  readonly lag: { readonly events: number; readonly seconds: number };
}

interface Rerun {
  readonly rerun_id: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly processed: number;
  readonly total: number;
  readonly rate: number | null;
  readonly live_digest: string | null;
  readonly rerun_digest: string | null;
  readonly reason?: string | null;
}

const POLL_MS = 200;

export async function list(context: Context): Promise<ExitCode> {
  const { items } = await context.answer<{ items: readonly Projection[] }>({ method: 'GET', path: '/projections' });
  const { io } = context;
  if (context.json) io.out(JSON.stringify(items, null, 2));
  else {
    const rows = items.map(({ name, state, position, head, lag }) => [
      name,
      state,
      `${position}/${head}`,
      `${lag.events} events`,
      `${lag.seconds} s`,
    ]);
    for (const line of table([['NAME', 'STATE', 'POSITION', 'BEHIND', ''], ...rows])) io.out(line);
  }
  return EXIT.ok;
}

/** `mace projections rerun`: the same digest, or exit code 2. */
export async function rerun(context: Context, name: string, from: number): Promise<ExitCode> {
  const path = `/projections/${encodeURIComponent(name)}/rerun`;
  const call = { method: 'POST', path, body: { from: String(from) } } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const { rerun_id: id } = await context.answer<{ rerun_id: string }>(call);
  const progress = await progressBar(context);
  let status: Rerun;
  for (;;) {
    status = await context.answer<Rerun>({ method: 'GET', path: `${path}s/${encodeURIComponent(id)}` });
    progress.show(status);
    if (status.state !== 'running') break;
    await wait(POLL_MS);
  }
  progress.end();
  return verdict(context, name, status);
}

function verdict({ io, json }: Context, name: string, status: Rerun): ExitCode {
  const same = status.state === 'done' && status.live_digest === status.rerun_digest;
  if (json) io.out(JSON.stringify(status, null, 2));
  else if (status.state === 'failed')
    io.out(io.colors.red(`${name}: the rerun failed: ${status.reason ?? 'see the log'}`));
  else if (same)
    io.out(io.colors.green(`${name}: SAME after ${status.processed} events, digest ${status.live_digest ?? ''}`));
  else
    io.out(io.colors.red(`${name}: DIFFERENT, live ${status.live_digest ?? ''}, rerun ${status.rerun_digest ?? ''}`));
  if (status.state === 'failed') return EXIT.failure;
  return same ? EXIT.ok : EXIT.divergence;
}

/** Drawn on stderr, and only where a person sees it. */
async function progressBar({ io, json }: Context): Promise<{ show(status: Rerun): void; end(): void }> {
  if (!io.interactive || json) return { show: () => undefined, end: () => undefined };
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar(
    {
      stream: process.stderr,
      format: '{bar} {percentage}%  {value}/{total} events  {rate}/s  {eta_formatted}',
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  return {
    show: ({ processed, total, rate }) => {
      const facts = { rate: Math.round(rate ?? 0) };
      if (!started) bar.start(total, processed, facts);
      else bar.update(processed, facts);
      bar.setTotal(total);
      started = true;
    },
    end: () => bar.stop(),
  };
}
