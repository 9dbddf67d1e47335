import type { HistoryChange, HistoryDiffPage } from '#lib/history';
import type { Json } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { queryOf } from './shown.js';

export interface DiffOptions {
  readonly from: string;
  readonly to?: string;
  readonly kind?: string;
}

const PAGE = 200;
const WIDEST = 120;

/** Prints each change as its page comes; with --json one object of the whole range. */
export async function diff(context: Context, { from, to, kind }: DiffOptions): Promise<ExitCode> {
  const items: HistoryChange[] = [];
  let end = to;
  let cursor: string | undefined;
  let found = 0;
  do {
    const path = `/history/diff${queryOf({ from, to: end, kind, limit: PAGE, cursor })}`;
    const page = await context.answer<HistoryDiffPage>({ method: 'GET', path });
    // The first page says where the range ends, so that what is written meanwhile does not move it.
    end ??= page.to;
    found += page.items.length;
    if (context.json) items.push(...page.items);
    else for (const change of page.items) tell(context, change);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (context.json) context.io.out(JSON.stringify({ from, to: end, items }, null, 2));
  else
    context.io.say(found === 0 ? `nothing changed from ${from} to ${end}` : `${found} changed from ${from} to ${end}`);
  return found === 0 ? EXIT.ok : EXIT.divergence;
}

function tell(
  { io }: Context,
  { kind, stream, change, from_version, to_version, differences, reason }: HistoryChange,
): void {
  const word = change === 'unreadable' ? io.colors.red(change) : change;
  const why = reason === undefined ? '' : `: ${plain(reason)}`;
  io.out(`${kind} ${plain(stream)}: ${word}, ${from_version} -> ${to_version} events${why}`);
  for (const { pointer, from, to } of differences) io.out(plain(`  ${pointer || '/'}: ${shown(from)} -> ${shown(to)}`));
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= WIDEST ? text : `${text.slice(0, WIDEST)}...`;
}
