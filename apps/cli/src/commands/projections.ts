import { setTimeout as wait } from 'node:timers/promises';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { withProgress } from '../progress.js';
import { everyItem, given } from './shown.js';

interface Projection {
  readonly name: string;
  readonly state: string;
  readonly position: string;
  readonly head: string;
  readonly lag: { readonly events: number; readonly at_least?: true; readonly seconds: number };
  readonly parked: number;
  readonly rebuilding: string | null;
}

interface Rerun {
  readonly rerun_id: string;
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  readonly progress: { readonly processed: number; readonly total: number; readonly rate: number } | null;
  readonly result: RerunResult | null;
  readonly reason: string | null;
}

interface RerunResult {
  readonly from: string;
  readonly to: string;
  readonly processed: number;
  readonly live_digest: string | null;
  readonly scratch_digest: string;
  readonly stream?: { readonly name: string; readonly from_revision: number; readonly to_revision: number | null };
  readonly comparable: boolean;
  readonly reason?: string;
  readonly differing: readonly { readonly collection: string; readonly id: string }[] | null;
}

export interface RerunRange {
  readonly from?: number;
  readonly to?: number;
  readonly stream?: string;
  readonly fromRevision?: number;
}

const POLL_MS = 200;

export async function list(context: Context): Promise<ExitCode> {
  const listed = await everyItem<Projection>(context, '/projections');
  const { io } = context;
  if (context.json) io.out(JSON.stringify(listed, null, 2));
  else {
    const rows = listed.items.map(({ name, state, position, head, lag, parked, rebuilding }) => [
      name,
      state,
      `${position}/${head}`,
      `${lag.at_least ? '>' : ''}${lag.events} events`,
      `${lag.seconds.toFixed(1)} s`,
      [...(parked > 0 ? [`${parked} parked`] : []), ...(rebuilding === null ? [] : ['rebuilding'])].join(', '),
    ]);
    for (const line of table([['NAME', 'STATE', 'POSITION', 'BEHIND', '', ''], ...rows])) io.out(line);
  }
  return EXIT.ok;
}

/** `mace projections rerun`: the same digest, or exit code 2. */
export async function rerun(context: Context, name: string, range: RerunRange): Promise<ExitCode> {
  if (rehearsed(context, rerunCall(name, range))) return EXIT.ok;
  const view = await withProgress(context, '{value}/{total} positions  {rate}/s', (show) =>
    finishedRerun(
      (call) => context.answer(call),
      name,
      range,
      ({ progress }) => progress && show(progress.processed, progress.total, { rate: progress.rate }),
    ),
  );
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, name, view);
  return exitCodeOf(view);
}

function rerunCall(name: string, { from, to, stream, fromRevision }: RerunRange): Call {
  const position = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));
  const body = given({ from: position(from), to: position(to), stream, from_revision: fromRevision });
  return { method: 'POST', path: `/projections/${encodeURIComponent(name)}/rerun`, body };
}

/** Has a projection rerun, and waits for its end; @param onView is given every look at it */
export async function finishedRerun(
  answer: <T>(call: Call) => Promise<T>,
  name: string,
  range: RerunRange,
  onView: (view: Rerun) => void = () => undefined,
): Promise<Rerun> {
  const call = rerunCall(name, range);
  const { rerun_id: id } = await answer<{ rerun_id: string }>(call);
  for (;;) {
    const view = await answer<Rerun>({ method: 'GET', path: `${call.path}s/${encodeURIComponent(id)}` });
    onView(view);
    if (view.state !== 'running') return view;
    await wait(POLL_MS);
  }
}

function tell({ io }: Context, name: string, { state, result, reason }: Rerun): void {
  if (state === 'interrupted')
    return io.out(io.colors.red(`${name}: the rerun was interrupted, as its server ended; run it again`));
  if (!result) return io.out(io.colors.red(`${name}: the rerun failed: ${plain(reason ?? 'the log says why')}`));
  const { from, to, processed, live_digest: live, scratch_digest: scratch, differing } = result;
  const range = `${processed} events of ${result.stream ? streamRange(result.stream) : `${from} to ${to}`}`;
  if (!result.comparable)
    return io.out(`${name}: ${range}, digest ${scratch}; not compared: ${plain(result.reason ?? '')}`);
  if (live === scratch) return io.out(io.colors.green(`${name}: SAME, ${range}, digest ${scratch}`));
  io.out(io.colors.red(`${name}: DIFFERENT, ${range}, live ${live ?? 'none'}, rerun ${scratch}`));
  for (const { collection, id } of differing ?? []) io.out(plain(`  ${collection}/${id}`));
}

function streamRange({ name, from_revision, to_revision }: NonNullable<RerunResult['stream']>): string {
  return `${plain(name)} from revision ${from_revision} to ${to_revision ?? 'none'}`;
}

/** A rerun that could not be compared cannot tell. */
function exitCodeOf({ result }: Rerun): ExitCode {
  if (!result?.comparable) return EXIT.failure;
  return result.live_digest === result.scratch_digest ? EXIT.ok : EXIT.divergence;
}
