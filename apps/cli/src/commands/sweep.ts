import { setTimeout as wait } from 'node:timers/promises';

import type { JsonObject } from '#lib/kernel';
import type { SweepView } from '#lib/replay';

import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { writing } from '../output-file.js';
import { type Show, timeLeft, withProgress } from '../progress.js';
import { replay, type ReplayOptions } from './replay.js';

export interface SweepOptions {
  readonly all?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly threads?: number;
}

const POLL_MS = 200;
/** Options of one job's replay, and of all jobs'. */
const OF_ONE = ['mock', 'approval', 'unredacted'];
const OF_ALL = ['from', 'to', 'threads'];

/** `mace replay JOB` or `mace replay --all`. */
export function replayOrSweep(
  context: Context,
  jobId: string | undefined,
  options: ReplayOptions & SweepOptions,
  wasGiven: (option: string) => boolean,
): Promise<ExitCode> {
  const strange = (options.all ? OF_ONE : OF_ALL).find(wasGiven);
  if (strange !== undefined)
    throw new CommandError(`--${strange}: ${options.all ? 'not with --all' : 'only with --all'}`, EXIT.usage);
  if (!options.all) {
    if (jobId === undefined) throw new CommandError('a job_id, or --all', EXIT.usage);
    return replay(context, jobId, options);
  }
  if (jobId !== undefined) throw new CommandError('a job_id or --all, not both', EXIT.usage);
  if (options.mode !== 'audit') throw new CommandError('--mode: audit, where all jobs are replayed', EXIT.usage);
  return sweep(context, options);
}

/** Every job a match: 0. A job that differs: 2. None, but one whose replay was refused, or the sweep did not end: 1. */
async function sweep(context: Context, { from, to, threads, output }: SweepOptions & ReplayOptions): Promise<ExitCode> {
  const body: JsonObject = {
    mode: 'audit',
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(threads === undefined ? {} : { threads }),
  };
  const call = { method: 'POST', path: '/replay/sweeps', body } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const view = await writing(output, async (write) => {
    const ended = await sweptBy(context, await context.answer<SweepView>(call));
    await write(JSON.stringify(ended));
    return ended;
  });
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, view);
  return exitCodeOf(view);
}

/** `mace replay cancel`. */
export async function cancel(context: Context, id: string): Promise<ExitCode> {
  const call = { method: 'POST', path: `/replay/sweeps/${encodeURIComponent(id)}/cancel`, body: {} } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const view = await context.answer<SweepView>(call);
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, view);
  return EXIT.ok;
}

/** `mace replay sweep`: as it stands; the exit code says of its jobs what that of `mace replay --all` does. */
export async function look(context: Context, id: string): Promise<ExitCode> {
  const view = await context.answer<SweepView>({ method: 'GET', path: `/replay/sweeps/${encodeURIComponent(id)}` });
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, view);
  return view.state === 'running' ? EXIT.ok : exitCodeOf(view);
}

/** `mace replay sweeps`. */
export async function list(context: Context, limit: number): Promise<ExitCode> {
  const path = `/replay/sweeps?limit=${limit}`;
  const listed = await context.answer<{ items: readonly SweepView[] }>({ method: 'GET', path });
  if (context.json) context.io.out(JSON.stringify(listed, null, 2));
  else {
    const rows = listed.items.map(({ sweep_id, started_at, state, processed, total, unmatched_total }) => [
      sweep_id,
      started_at,
      state,
      `${processed} of ${total}`,
      String(unmatched_total),
    ]);
    for (const line of table([['SWEEP', 'STARTED', 'STATE', 'JOBS', 'NO MATCH'], ...rows])) context.io.out(line);
  }
  return EXIT.ok;
}

async function sweptBy(context: Context, begun: SweepView): Promise<SweepView> {
  return withProgress(context, '{value}/{total}  {rate}/s  {left} left  {unmatched} no match', async (show) => {
    let view = begun;
    while (view.state === 'running') {
      shown(view, show);
      await wait(POLL_MS);
      const path = `/replay/sweeps/${encodeURIComponent(view.sweep_id)}`;
      view = await context.answer<SweepView>({ method: 'GET', path });
    }
    shown(view, show);
    return view;
  });
}

function shown({ processed, total, rate, eta_seconds, unmatched_total: unmatched }: SweepView, show: Show): void {
  show(processed, total, { rate, unmatched, left: timeLeft(eta_seconds) });
}

function tell({ io }: Context, view: SweepView): void {
  const { state, processed, total, counts, unmatched, unmatched_total, position, authoritative, sweep_id } = view;
  const told = Object.entries(counts)
    .sort(matchesFirst)
    .map(([name, jobs]) => `${jobs} ${name}`);
  const line = `${processed} of ${total} jobs${told.length === 0 ? '' : `: ${told.join(', ')}`}`;
  if (state === 'failed')
    io.out(io.colors.red(`the sweep failed (${plain(view.reason ?? 'no reason')}); the server’s log says more`));
  else if (state !== 'done') io.out(io.colors.yellow(`${state}; --from ${position} goes on from there`));
  io.out(unmatched_total === 0 ? io.colors.green(line) : io.colors.red(line));
  if (!authoritative) io.out(io.colors.yellow('not authoritative: no checkpoint covered the jobs in time'));
  for (const { job_id, verdict, error_code, replay_id } of unmatched) {
    const what = verdict === null ? error_code : `${verdict} (${error_code})`;
    io.out(plain(`  ${job_id}  ${what}  ${replay_id}`));
  }
  if (unmatched_total > unmatched.length)
    io.out(`  and ${unmatched_total - unmatched.length} more; those listed are the first`);
  io.say(io.colors.dim(`${view.rate} jobs/s  ${sweep_id}`));
}

function matchesFirst([a]: readonly [string, number], [b]: readonly [string, number]): number {
  const isMatch = (name: string): number => Number(name.startsWith('MATCH'));
  return isMatch(b) - isMatch(a) || (a < b ? -1 : 1);
}

function exitCodeOf({ state, counts, unmatched_total }: SweepView): ExitCode {
  if ((counts['MISMATCH'] ?? 0) > 0) return EXIT.divergence;
  return state === 'done' && unmatched_total === 0 ? EXIT.ok : EXIT.failure;
}
