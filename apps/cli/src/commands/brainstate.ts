import type { Json, JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { given, queryOf, send } from './shown.js';

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
