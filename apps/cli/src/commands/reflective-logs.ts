import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asked, type Looking } from './jobs.js';
import { given, type Page, queryOf, send, showItems, showObject } from './shown.js';

export async function show(context: Context, logId: string, looking: Looking): Promise<ExitCode> {
  const path = `${pathOf(logId)}${asked(looking)}`;
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path }));
  return EXIT.ok;
}

/** What stands beside a log, oldest first. */
export async function amendments(
  context: Context,
  logId: string,
  { unredacted, ...page }: Page & Looking,
): Promise<ExitCode> {
  const path = `${pathOf(logId)}/amendments${queryOf({ ...page, unredacted: unredacted ? 'true' : undefined })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  showItems(context, answer, ['amendment_id', 'created_at', 'author', 'effect', 'changes']);
  return EXIT.ok;
}

export function amend(context: Context, logId: string, effect: string, changes: JsonObject): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(logId)}/amendments`, body: { effect, changes } });
}

/** Exit code 2 where the log is not as it was signed. */
export async function verify(context: Context, logId: string): Promise<ExitCode> {
  let isSound = true;
  const exitCode = await send(context, { method: 'POST', path: `${pathOf(logId)}/verify` }, (answer) => {
    isSound = answer['valid'] !== false;
    showObject(context, answer);
  });
  return isSound ? exitCode : EXIT.divergence;
}

export function groundTruth(context: Context, logId: string, verdict: string, note?: string): Promise<ExitCode> {
  const body = given({ correct: verdict === 'correct', note });
  return send(context, { method: 'POST', path: `${pathOf(logId)}/ground_truth`, body });
}

export function auditTag(context: Context, logId: string, tag: string, note?: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(logId)}/audit_tags`, body: given({ tag, note }) });
}

function pathOf(logId: string): string {
  return `/reflective-logs/${encodeURIComponent(logId)}`;
}
