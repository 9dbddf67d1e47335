import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems } from './shown.js';

export interface Terms {
  readonly type: string;
  readonly text: string;
  readonly scope?: string;
  readonly ttl?: number;
  readonly jobSeed?: string;
  readonly idempotencyKey?: string;
}

export function grant(context: Context, terms: Terms): Promise<ExitCode> {
  const { type: pii_type, text: consent_text, ttl, jobSeed, idempotencyKey } = terms;
  const isForOne = jobSeed !== undefined || idempotencyKey !== undefined;
  const scope = terms.scope ?? (isForOne ? 'job' : 'persistent');
  const named = given({ ttl_seconds: ttl, job_seed: jobSeed, idempotency_key: idempotencyKey });
  return send(context, { method: 'POST', path: '/consents', body: { pii_type, scope, consent_text, ...named } });
}

export interface Elsewhere {
  readonly user: string;
  readonly type: string;
  readonly document: string;
  readonly reason: string;
}

export function record(context: Context, { user, type, document, reason }: Elsewhere): Promise<ExitCode> {
  const body = { user_id: user, pii_type: type, document_ref: document, reason };
  return send(context, { method: 'POST', path: '/consents/record', body });
}

export async function list(context: Context, page: Page): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/consents${queryOf({ ...page })}` });
  showItems(context, answer, ['consent_id', 'pii_type', 'scope', 'status', 'expires_at']);
  return EXIT.ok;
}

export function revoke(context: Context, id: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `/consents/${encodeURIComponent(id)}/revoke`, body: {} });
}
