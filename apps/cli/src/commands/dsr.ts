import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Page, queryOf, send, showItems } from './shown.js';

export interface Proof {
  readonly user: string;
  readonly otp?: string;
  readonly document?: string;
  readonly reason?: string;
}

export function request(context: Context, kind: string, { user, otp, document, reason }: Proof): Promise<ExitCode> {
  const byDocument = document !== undefined || reason !== undefined;
  if (byDocument === (otp !== undefined)) {
    throw new CommandError('prove who it is: --otp of the person, or --document and --reason', EXIT.usage);
  }
  const proof: JsonObject = otp === undefined ? { document_ref: document ?? '', reason: reason ?? '' } : { otp };
  const body = { kind, user_id: user, identity_proof: proof };
  return send(context, { method: 'POST', path: '/dsr/request', body });
}

export async function list(context: Context, query: Page & { readonly state?: string }): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/dsr${queryOf({ ...query })}` });
  showItems(context, answer, ['dsr_id', 'kind', 'user_id', 'status', 'due_at']);
  return EXIT.ok;
}

export function show(context: Context, id: string): Promise<ExitCode> {
  return send(context, { method: 'GET', path: pathOf(id) });
}

export function approve(context: Context, id: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(id)}/approve`, body: {} });
}

export function refuse(context: Context, id: string, reason: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(id)}/refuse`, body: { reason } });
}

/** Always JSON: it is for keeping, not for looking at. */
export function take(context: Context, id: string): Promise<ExitCode> {
  const print = (answer: JsonObject): void => context.io.out(JSON.stringify(answer, null, 2));
  return send(context, { method: 'GET', path: `${pathOf(id)}/export` }, print);
}

export function hold(context: Context, evidence_ref: string, reason: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: '/dsr/holds', body: { evidence_ref, reason } });
}

export async function holds(context: Context, page: Page): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/dsr/holds${queryOf({ ...page })}` });
  showItems(context, answer, ['hold_id', 'evidence_ref', 'placed_by', 'placed_at', 'lifted_at']);
  return EXIT.ok;
}

export function lift(context: Context, hold: string, reason: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `/dsr/holds/${encodeURIComponent(hold)}/lift`, body: { reason } });
}

function pathOf(id: string): string {
  return `/dsr/${encodeURIComponent(id)}`;
}
