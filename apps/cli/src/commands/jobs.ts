import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems, showObject } from './shown.js';

export interface Looking {
  readonly unredacted?: boolean;
}

export interface JobFilter extends Page {
  readonly status?: string;
  readonly agent?: string;
  readonly error?: string;
  readonly replayable?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `mace jobs list`: one's own; everybody's for an operator. */
export async function list(
  context: Context,
  { error: error_code, from: from_time, to: to_time, ...filter }: JobFilter,
): Promise<ExitCode> {
  const path = `/jobs${queryOf({ ...filter, error_code, from_time, to_time })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  showItems(context, answer, ['job_id', 'created_at', 'status', 'error_code', 'duration_ms', 'user_id', 'agent_id']);
  return EXIT.ok;
}

export interface CountsWanted {
  readonly from?: string;
  readonly to?: string;
  readonly step?: string;
}

/** `mace jobs counts`. */
export async function counts(
  context: Context,
  { from: from_time, to: to_time, step }: CountsWanted,
): Promise<ExitCode> {
  const path = `/jobs/counts${queryOf({ from_time, to_time, step })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  const items = (answer['counts'] as readonly JsonObject[]).map((item) => {
    const { errors, duration_ms: took } = item as unknown as Counted;
    const told = errors.map(({ error_code, jobs }) => `${error_code ?? 'unknown'} ${jobs}`).join(', ');
    return { ...item, errors: told, median_ms: took && Math.round(took.median), p95_ms: took && Math.round(took.p95) };
  });
  const columns = ['time', 'begun', 'completed', 'blocked', 'failed', 'median_ms', 'p95_ms', 'errors'];
  showItems(context, context.json ? answer : { items }, columns);
  return EXIT.ok;
}

interface Counted {
  readonly errors: readonly { readonly error_code: string | null; readonly jobs: number }[];
  readonly duration_ms: { readonly median: number; readonly p95: number } | null;
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
  { unredacted, ...page }: Page & Looking & { readonly type?: string },
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
