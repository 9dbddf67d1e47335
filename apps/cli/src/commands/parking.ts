import type { ParkedView } from '#lib/projections';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { given } from './shown.js';

export interface ParkingChoice {
  readonly all?: boolean;
  readonly reason?: string;
}

type Verb = 'park' | 'replay' | 'discard' | 'skip';

/** `mace projections parked`: exit code 1 where an event is in the way. */
export async function list(context: Context, name: string, { all = false }: ParkingChoice): Promise<ExitCode> {
  const { io } = context;
  const items = await parkedOf(context, name);
  const shown = all ? items : items.filter(isInTheWay);
  if (context.json) io.out(JSON.stringify(shown, null, 2));
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
  const positions = position === undefined ? await meant(context, verb, name, all) : [position];
  let code: ExitCode = EXIT.ok;
  for (const one of positions) {
    const outcome = await carryOut(context, callOf(verb, name, one, given({ reason })), OUTCOMES[verb]);
    if (outcome !== EXIT.ok) code = outcome;
  }
  return code;
}

/** `mace projections skip`, of the event with this id. */
export async function skip(
  context: Context,
  name: string,
  event_id: string,
  { reason }: ParkingChoice,
): Promise<ExitCode> {
  const found = (await parkedOf(context, name)).find((one) => one.event_id === event_id);
  if (!found) throw new CommandError(`${name} has no such event parked, nor has it halted at it`, EXIT.failure);
  const body = given({ event_id, reason });
  return carryOut(context, callOf('skip', name, found.position, body), OUTCOMES.skip);
}

const OUTCOMES: Readonly<Record<Verb, ParkedView['state']>> = {
  park: 'parked',
  replay: 'replayed',
  discard: 'discarded',
  skip: 'skipped',
};

async function carryOut(context: Context, call: Call, wanted: ParkedView['state']): Promise<ExitCode> {
  if (rehearsed(context, call)) return EXIT.ok;
  const view = await context.answer<ParkedView>(call);
  const { io } = context;
  const isDone = view.done && view.state === wanted;
  if (context.json) io.out(JSON.stringify(view, null, 2));
  else
    io.out(
      io.colors[isDone ? 'green' : 'red'](`${view.projection}: position ${view.position} ${wordsOf(view, wanted)}`),
    );
  return isDone ? EXIT.ok : EXIT.failure;
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
  const found = (await parkedOf(context, name)).filter(({ state }) => states.includes(state)).reverse();
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

async function parkedOf(context: Context, name: string): Promise<readonly ParkedView[]> {
  const path = `/projections/${encodeURIComponent(name)}/parked`;
  return (await context.answer<{ items: readonly ParkedView[] }>({ method: 'GET', path })).items;
}

function callOf(verb: Verb, name: string, position: string, body: Call['body']): Call {
  const path = `/projections/${encodeURIComponent(name)}/parked/${encodeURIComponent(position)}/${verb}`;
  return { method: 'POST', path, body };
}
