import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems, showObject } from './shown.js';

interface Trust {
  readonly apt: number;
  readonly status: string;
  readonly trust_events: number;
}

/** A module's trust and what moved it, newest first. */
export async function show(context: Context, nodeId: string, { limit, cursor }: Page): Promise<ExitCode> {
  const path = `/apt/${encodeURIComponent(nodeId)}${queryOf({ limit, cursor })}`;
  const answer = await context.answer<Trust & JsonObject>({ method: 'GET', path });
  const { apt, status, trust_events } = answer;
  if (!context.json) context.io.out(`${nodeId}: trust ${apt}, ${status}, after ${trust_events} trust events`);
  showItems(context, answer, ['recorded_at', 'event_type', 'apt_before', 'apt_after', 'event_id'], 'history');
  return EXIT.ok;
}

export function post(
  context: Context,
  nodeId: string,
  eventType: string,
  payload: JsonObject | undefined,
): Promise<ExitCode> {
  const body = given({ node_id: nodeId, event_type: eventType, payload });
  return send(context, { method: 'POST', path: '/apt/event', body });
}

/** Exit code 2 where the stored trust is not what its stream gives. */
export async function recompute(context: Context, node_id: string): Promise<ExitCode> {
  const call = { method: 'POST', path: '/apt/recompute', body: { node_id } } as const;
  let isEqual = true;
  const exitCode = await send(context, call, (answer) => {
    isEqual = answer['equal'] === true;
    showObject(context, answer);
  });
  return isEqual ? exitCode : EXIT.divergence;
}
