import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { given, type Page, queryOf, send, showItems } from './shown.js';

export interface HaltFilter extends Page {
  readonly status: string;
}

export interface UnreplayableFilter extends Page {
  readonly missing?: string;
}

interface Row {
  readonly cause: { readonly type: string; readonly stream: string };
  readonly pinned_by: { readonly jobs: number; readonly at_least: boolean };
}

export async function list(context: Context, filter: HaltFilter): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/replay/halts${queryOf({ ...filter })}` });
  const items = (answer['items'] as readonly JsonObject[]).map((item) => {
    const { cause, pinned_by } = item as unknown as Row;
    const jobs = `${pinned_by.jobs}${pinned_by.at_least ? ' or more' : ''}`;
    return { ...item, snapshot: item['snapshot_id']!, cause: `${cause.type} in ${cause.stream}`, jobs };
  });
  const columns = ['snapshot', 'status', 'since', 'jobs', 'cause'];
  showItems(context, context.json ? answer : { ...answer, items }, columns);
  return EXIT.ok;
}

export function clear(context: Context, id: string, justification: string | undefined): Promise<ExitCode> {
  const path = `/replay/halts/${encodeURIComponent(id)}/clear`;
  return send(context, { method: 'POST', path, body: given({ justification }) });
}

/** The jobs, and on the side how many lack each kind. */
export async function unreplayable(context: Context, filter: UnreplayableFilter): Promise<ExitCode> {
  const path = `/jobs/unreplayable${queryOf({ ...filter })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  const items = (answer['items'] as readonly JsonObject[]).map((item) => ({
    ...item,
    job: item['job_id']!,
    artifacts: (item['artifacts'] as readonly string[]).join(', '),
  }));
  showItems(context, context.json ? answer : { ...answer, items }, ['job', 'missing', 'found_by', 'artifacts']);
  if (context.json) return EXIT.ok;
  context.io.say(countsOf(answer));
  const most = (answer['by_artifact'] as unknown as readonly Artifact[]).slice(0, MOST_ARTIFACTS);
  for (const { artifact, jobs } of most) context.io.say(`${plain(artifact)}: ${jobs}`);
  return EXIT.ok;
}

interface Artifact {
  readonly artifact: string;
  readonly jobs: number;
}

const MOST_ARTIFACTS = 5;

function countsOf(answer: JsonObject): string {
  const more = answer['at_least'] as readonly string[];
  const counts = Object.entries(answer['counts'] as Readonly<Record<string, number>>);
  return `of all: ${counts.map(([kind, count]) => `${kind} ${count}${more.includes(kind) ? ' or more' : ''}`).join(', ')}`;
}
