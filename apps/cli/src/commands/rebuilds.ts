import { setTimeout as wait } from 'node:timers/promises';

import type { RebuildView } from '#lib/projections';

import { readBefore, rehearsed, rehearsedHere, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { timeLeft, withProgress } from '../progress.js';
import { everyItem, given } from './shown.js';

export interface RebuildChoice {
  readonly rebuild?: string;
  readonly reason?: string;
}

interface Listed {
  readonly items: readonly RebuildView[];
}

const POLL_MS = 200;

/** `mace projections rebuild`: waits for its end; the same digest, or exit code 2. */
export async function rebuild(
  context: Context,
  name: string,
  { reason, swap = false }: { readonly reason?: string; readonly swap?: boolean },
): Promise<ExitCode> {
  const call = { method: 'POST', path: `${pathOf(name)}/rebuild`, body: given({ reason }) } as const;
  if (rehearsed(context, call)) {
    if (swap) rehearsedHere(context, 'swap it in then, where both digests are the same');
    return EXIT.ok;
  }
  const ended = await withProgress(context, '{value}/{total} positions  {rate}/s  {left} left', async (show) =>
    settled(context, await context.answer<RebuildView>(call), ({ processed, total, rate, eta_seconds }) =>
      show(processed, total, { rate, left: timeLeft(eta_seconds) }),
    ),
  );
  const view = swap && ended.equal === true ? await order(context, 'swap', ended, reason) : ended;
  show(context, view);
  if (view.state === 'failed' || view.state === 'cancelled' || view.equal === null) return EXIT.failure;
  return view.equal ? EXIT.ok : EXIT.divergence;
}

/** `mace projections rebuilds`. */
export async function list(context: Context, name: string): Promise<ExitCode> {
  const listed = await rebuildsOf(context, name);
  const { io } = context;
  if (context.json) io.out(JSON.stringify(listed, null, 2));
  else {
    const rows = listed.items.map((one) => [
      one.rebuild_id,
      one.state,
      `${one.processed}/${one.total}`,
      verdictOf(one),
    ]);
    for (const line of table([['REBUILD', 'STATE', 'PROCESSED', 'COMPARED'], ...rows])) io.out(line);
  }
  return EXIT.ok;
}

/** `mace projections swap|rollback|cancel`, of the newest rebuild where none is named. */
export async function change(
  context: Context,
  verb: 'swap' | 'rollback' | 'cancel',
  name: string,
  { rebuild: named, reason }: RebuildChoice,
): Promise<ExitCode> {
  const rebuild_id = named ?? (await readBefore(context, () => newestOf(context, name), '(the newest)'));
  if (rebuild_id === undefined) throw new CommandError(`${name} was never rebuilt`, EXIT.failure);
  const call = callOf(verb, { projection: name, rebuild_id }, reason);
  if (rehearsed(context, call)) return EXIT.ok;
  show(context, await settled(context, await context.answer<RebuildView>(call)));
  return EXIT.ok;
}

async function order(
  context: Context,
  verb: 'swap',
  rebuilt: RebuildView,
  reason: string | undefined,
): Promise<RebuildView> {
  return settled(context, await context.answer<RebuildView>(callOf(verb, rebuilt, reason)));
}

function callOf(
  verb: string,
  { projection, rebuild_id }: Pick<RebuildView, 'projection' | 'rebuild_id'>,
  reason: string | undefined,
) {
  const path = `${pathOf(projection)}/rebuilds/${encodeURIComponent(rebuild_id)}/${verb}`;
  return { method: 'POST', path, body: given({ reason }) } as const;
}

async function newestOf(context: Context, name: string): Promise<string | undefined> {
  return (await rebuildsOf(context, name)).items[0]?.rebuild_id;
}

async function rebuildsOf(context: Context, name: string): Promise<Listed> {
  return everyItem<RebuildView>(context, `${pathOf(name)}/rebuilds`);
}

function pathOf(name: string): string {
  return `/projections/${encodeURIComponent(name)}`;
}

/** Looks until nothing is under way any more. */
async function settled(
  context: Context,
  begun: RebuildView,
  onView: (view: RebuildView) => void = () => undefined,
): Promise<RebuildView> {
  const path = `${pathOf(begun.projection)}/rebuilds/${encodeURIComponent(begun.rebuild_id)}`;
  let view = begun;
  while (['running', 'swapping', 'rolling_back'].includes(view.state)) {
    onView(view);
    await wait(POLL_MS);
    view = await context.answer<RebuildView>({ method: 'GET', path });
  }
  onView(view);
  return view;
}

function show({ io, json }: Context, view: RebuildView): void {
  if (json) return io.out(JSON.stringify(view, null, 2));
  const { projection, state, rebuild_id, position, live_digest, rebuilt_digest, failure, processed } = view;
  const line = `${projection}: ${state}, ${rebuild_id}`;
  if (state === 'failed' || state === 'cancelled')
    return io.out(io.colors.red(`${line}${failure === null ? '' : `: ${plain(failure)}`}`));
  io.out(`${line}, ${processed} positions, generation ${view.generation}`);
  if (view.equal === true) io.out(io.colors.green(`SAME at position ${position}, digest ${rebuilt_digest}`));
  else
    io.out(
      io.colors.red(`DIFFERENT at position ${position}, live ${live_digest ?? 'none'}, rebuilt ${rebuilt_digest}`),
    );
}

function verdictOf({ equal }: RebuildView): string {
  return equal === null ? 'not compared' : equal ? 'same' : 'different';
}
