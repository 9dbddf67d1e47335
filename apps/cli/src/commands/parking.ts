import type { ParkedView } from '#lib/projections';

import type { Call } from '../client.js';
import { readBefore, rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { everyItem, given } from './shown.js';

export interface ParkingChoice {
  readonly all?: boolean;
  readonly reason?: string;
}

interface Listed {
  readonly items: readonly ParkedView[];
}

type Verb = 'park' | 'replay' | 'discard' | 'skip';

/** `mace projections parked`: exit code 1 where an event is in the way. */
export async function list(context: Context, name: string, { all = false }: ParkingChoice): Promise<ExitCode> {
  const { io } = context;
  const listed = await parkedOf(context, name);
  const { items } = listed;
  const shown = all ? items : items.filter(isInTheWay);
  if (context.json) io.out(JSON.stringify({ ...listed, items: shown }, null, 2));
  else if (shown.length === 0) io.out(io.colors.green(`${name}: nothing is in the way`));
  else {
    const rows = shown.map((one) => [one.position, stateOf(one), one.event_type, one.reason_class, one.event_id]);
    for (const line of table([['POSITION', 'STATE', 'TYPE', 'FAULT', 'EVENT'], ...rows])) io.out(line);
  }
  return items.some(isInTheWay) ? EXIT.failure : EXIT.ok;
}

/** `mace projections park|replay|discard`: of the only event that it can be meant of where none is named. */
export async function order(
  context: Context,
  verb: Exclude<Verb, 'skip'>,
  name: string,
  position: string | undefined,
  { all = false, reason }: ParkingChoice,
): Promise<ExitCode> {
  if (all && position !== undefined) throw new CommandError('--all: or a position, not both', EXIT.usage);
  const found = (): Promise<readonly string[]> => meant(context, verb, name, all);
  const positions = position === undefined ? await readBefore(context, found, ['(what is there then)']) : [position];
  const views: ParkedView[] = [];
  for (const one of positions) {
    const view = await carriedOut(context, callOf(verb, name, one, given({ reason })));
    if (!view) continue;
    views.push(view);
    if (!context.json) tell(context, view, OUTCOMES[verb]);
  }
  if (context.json && views.length > 0) context.io.out(JSON.stringify(all ? { items: views } : views[0], null, 2));
  return views.every((view) => isDone(view, OUTCOMES[verb])) ? EXIT.ok : EXIT.failure;
}

/** `mace projections skip`, of the event with this id. */
export async function skip(
  context: Context,
  name: string,
  event_id: string,
  { reason }: ParkingChoice,
): Promise<ExitCode> {
  const position = await readBefore(context, () => positionOf(context, name, event_id), '(its position)');
  const view = await carriedOut(context, callOf('skip', name, position, given({ event_id, reason })));
  if (!view) return EXIT.ok;
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, view, OUTCOMES.skip);
  return isDone(view, OUTCOMES.skip) ? EXIT.ok : EXIT.failure;
}

async function positionOf(context: Context, name: string, event_id: string): Promise<string> {
  const found = (await parkedOf(context, name)).items.find((one) => one.event_id === event_id);
  if (!found) throw new CommandError(`${name} has no such event parked, nor has it halted at it`, EXIT.failure);
  return found.position;
}

const OUTCOMES: Readonly<Record<Verb, ParkedView['state']>> = {
  park: 'parked',
  replay: 'replayed',
  discard: 'discarded',
  skip: 'skipped',
};

/** Null where it is only rehearsed. */
async function carriedOut(context: Context, call: Call): Promise<ParkedView | null> {
  return rehearsed(context, call) ? null : context.answer<ParkedView>(call);
}

function isDone(view: ParkedView, wanted: ParkedView['state']): boolean {
  return view.done && view.state === wanted;
}

function tell({ io }: Context, view: ParkedView, wanted: ParkedView['state']): void {
  const color = isDone(view, wanted) ? 'green' : 'red';
  io.out(io.colors[color](`${view.projection}: position ${view.position} ${wordsOf(view, wanted)}`));
}

function wordsOf(view: ParkedView, wanted: ParkedView['state']): string {
  if (!view.done) return `is to be ${wanted}, which is under way; \`mace projections parked\` tells when it is done`;
  return view.state === wanted
    ? `is ${view.state}`
    : `still cannot be taken (${view.reason_class}) and is ${view.state}`;
}

async function meant(context: Context, verb: Verb, name: string, all: boolean): Promise<readonly string[]> {
  const states: readonly string[] =
    verb === 'park' ? ['halted'] : verb === 'replay' ? ['halted', 'parked'] : ['parked'];
  const found = (await parkedOf(context, name)).items.filter(({ state }) => states.includes(state)).reverse();
  if (found.length === 0) throw new CommandError(`${name}: nothing is ${states.join(' or ')}`, EXIT.failure);
  if (found.length > 1 && !all) {
    const positions = found.map(({ position }) => position).join(', ');
    throw new CommandError(`${name}: name a position, or --all; there are ${positions}`, EXIT.usage);
  }
  return found.map(({ position }) => position);
}

function isInTheWay({ state, done }: ParkedView): boolean {
  return state === 'halted' || state === 'parked' || !done;
}

function stateOf({ state, done }: ParkedView): string {
  return done ? state : `${state}, under way`;
}

function parkedOf(context: Context, name: string): Promise<Listed> {
  return everyItem<ParkedView>(context, `/projections/${encodeURIComponent(name)}/parked`);
}

function callOf(verb: Verb, name: string, position: string, body: Call['body']): Call {
  const path = `/projections/${encodeURIComponent(name)}/parked/${encodeURIComponent(position)}/${verb}`;
  return { method: 'POST', path, body };
}
