import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Page, queryOf, showItems, showObject } from './shown.js';

export interface Looking {
  readonly unredacted?: boolean;
}

export interface Listing extends Page, Looking {
  readonly stream?: string;
  readonly type?: string;
  readonly causedBy?: string;
  readonly from?: number;
  readonly fromRevision?: number;
  readonly form?: string;
}

export interface TrailFilter extends Page {
  readonly kind?: string;
  readonly type?: string;
  readonly actor?: string;
}

const TRAIL_COLUMNS = ['position', 'kind', 'type', 'actor_id', 'stream', 'event_id'];
const COLUMNS = ['position', 'type', 'signed_by', 'stream', 'event_id'];

export function event(context: Context, id: string, looking: Looking): Promise<ExitCode> {
  return one(context, `/audit/event/${encodeURIComponent(id)}${asked(looking)}`);
}

export function evidence(context: Context, ref: string): Promise<ExitCode> {
  return one(context, `/audit/evidence/${encodeURIComponent(ref)}`);
}

export function events(context: Context, listing: Listing): Promise<ExitCode> {
  return list(context, `/audit/events${asked(listing)}`);
}

export async function trail(context: Context, { kind, type, actor, limit, cursor }: TrailFilter): Promise<ExitCode> {
  const path = `/audit/trail${queryOf({ kind, type, actor, limit, cursor })}`;
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), TRAIL_COLUMNS);
  return EXIT.ok;
}

export function stream(context: Context, name: string, listing: Listing): Promise<ExitCode> {
  return list(context, `/audit/streams/${encodeURIComponent(name)}${asked(listing)}`);
}

async function one(context: Context, path: string): Promise<ExitCode> {
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path }));
  return EXIT.ok;
}

async function list(context: Context, path: string): Promise<ExitCode> {
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), COLUMNS);
  return EXIT.ok;
}

function asked({
  unredacted,
  stream: name,
  type,
  causedBy: causation_id,
  from,
  fromRevision,
  form,
  limit,
  cursor,
}: Partial<Listing>): string {
  const looking = { form, unredacted: unredacted ? 'true' : undefined };
  return queryOf({ stream: name, type, causation_id, from, from_revision: fromRevision, limit, cursor, ...looking });
}
