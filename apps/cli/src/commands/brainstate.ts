import type { Json, JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems } from './shown.js';

export interface NewSnapshot {
  readonly seed: string;
  readonly goals?: Json;
  readonly attention?: JsonObject;
  readonly budget?: JsonObject;
}

export function createSnapshot(context: Context, { seed, goals, attention, budget }: NewSnapshot): Promise<ExitCode> {
  const body = given({ job_seed: seed, goals, attention, resource_budget: budget });
  return send(context, { method: 'POST', path: '/brainstate/create_snapshot', body });
}

const COLUMNS = ['user_id', 'job_id', 'brainstate_snapshot_id', 'tick', 'goals', 'last_updated'];

export interface Listing extends Page {
  readonly user?: string;
  readonly job?: string;
}

export async function list(context: Context, { user, job, limit, cursor }: Listing): Promise<ExitCode> {
  const path = `/brainstate${queryOf({ user_id: user, job_id: job, limit, cursor })}`;
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), COLUMNS);
  return EXIT.ok;
}

/** `mace brainstate ticks`: of a snapshot or a job. */
export async function ticks(context: Context, id: string, page: Page): Promise<ExitCode> {
  const path = `/brainstate/${encodeURIComponent(id)}/ticks${queryOf({ ...page })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  const items = (answer['items'] as readonly (JsonObject & Ticked)[]).map((item) => ({
    ...item,
    ...item.attention,
    ...item.resource_budget,
    goals: item.goals.map(({ goal_id, status }) => `${goal_id} ${status}`).join(', '),
  }));
  const columns = ['tick', 'attention_gain', 'explore_bias', 'reward_signal', 'token_budget', 'goals', 'event_id'];
  showItems(context, context.json ? answer : { ...answer, items }, columns);
  return EXIT.ok;
}

interface Ticked {
  readonly attention: JsonObject;
  readonly resource_budget: JsonObject;
  readonly goals: readonly { readonly goal_id: string; readonly status: string }[];
}

interface Looked {
  readonly asOf?: string;
  readonly unredacted?: boolean;
}

export function show(context: Context, id: string, { asOf, unredacted }: Looked): Promise<ExitCode> {
  return send(context, {
    method: 'GET',
    path: `/brainstate/${encodeURIComponent(id)}${queryOf({ as_of: asOf, unredacted: unredacted ? 'true' : undefined })}`,
  });
}

export function insert(
  context: Context,
  id: string,
  type: string,
  value: Json,
  ttl: number | undefined,
): Promise<ExitCode> {
  const body = given({ brainstate_snapshot_id: id, type, value, ttl_ticks: ttl });
  return send(context, { method: 'POST', path: '/brainstate/insert', body });
}

export function tick(context: Context, id: string, eventIds: readonly string[]): Promise<ExitCode> {
  const body = { brainstate_snapshot_id: id, event_ids: eventIds };
  return send(context, { method: 'POST', path: '/brainstate/tick', body });
}

export function query(context: Context, id: string): Promise<ExitCode> {
  const body = { brainstate_snapshot_id: id };
  return send(context, { method: 'POST', path: '/brainstate/query', body });
}
