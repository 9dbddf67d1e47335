import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems, showObject } from './shown.js';

export interface Looking {
  readonly unredacted?: boolean;
}

/** `mace jobs list`: one's own; everybody's for an operator. */
export async function list(context: Context, page: Page): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/jobs${queryOf({ ...page })}` });
  showItems(context, answer, ['job_id', 'created_at', 'status', 'user_id', 'agent_id', 'route_reason']);
  return EXIT.ok;
}

/** `mace jobs show|log`. */
export async function show(context: Context, jobId: string, of: '' | '/log', looking: Looking): Promise<ExitCode> {
  const path = `${pathOf(jobId)}${of}${asked(looking)}`;
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path }));
  return EXIT.ok;
}

/** `mace jobs events`: in their order. */
export async function events(
  context: Context,
  jobId: string,
  { unredacted, ...page }: Page & Looking,
): Promise<ExitCode> {
  const path = `${pathOf(jobId)}/events${queryOf({ ...page, unredacted: unredacted ? 'true' : undefined })}`;
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), ['revision', 'type', 'event_id']);
  return EXIT.ok;
}

/** `mace jobs feedback`. */
export function feedback(context: Context, jobId: string, verdict: string, comment?: string): Promise<ExitCode> {
  const body = given({ upvote: verdict === 'up', comment });
  return send(context, { method: 'POST', path: `${pathOf(jobId)}/feedback`, body });
}

/** `mace jobs review`. */
export function review(context: Context, jobId: string, comment?: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(jobId)}/review`, body: given({ comment }) });
}

export function asked({ unredacted }: Looking): string {
  return queryOf({ unredacted: unredacted ? 'true' : undefined });
}

function pathOf(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}
