import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Page, queryOf, send, showItems } from './shown.js';
import { wholeId } from './whole-id.js';

export interface Filter extends Page {
  readonly status?: string;
  readonly severity?: string;
  readonly key?: string;
  readonly principal?: string;
}

interface Cause {
  readonly type: string;
  readonly stream: string;
}

export async function list(context: Context, filter: Filter): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/incidents${queryOf({ ...filter })}` });
  const items = (answer['items'] as readonly JsonObject[]).map((item) => {
    const { type, stream } = item['cause'] as unknown as Cause;
    const opened = item['opened_at'] ?? 'unsigned';
    return { ...item, incident: item['incident_id']!, opened, cause: `${type} in ${stream}` };
  });
  showItems(context, context.json ? answer : { ...answer, items }, [
    'incident',
    'opened',
    'status',
    'severity',
    'cause',
  ]);
  return EXIT.ok;
}

export async function acknowledge(context: Context, id: string, note: string): Promise<ExitCode> {
  const incident_id = await wholeId(context, id, { path: '/incidents', member: 'incident_id' });
  return send(context, { method: 'POST', path: '/admin/incident/ack', body: { incident_id, note } });
}

export async function refusedRequests(context: Context, filter: Filter): Promise<ExitCode> {
  const path = `/incidents/refused-requests${queryOf({ ...filter })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  const columns = ['recorded_at', 'principal', 'error_code', 'route', 'count', 'last_trace_id'];
  showItems(context, answer, columns);
  return EXIT.ok;
}

/** First those that could not be recorded yet. */
export async function failedWrites(context: Context, filter: Filter): Promise<ExitCode> {
  const path = `/incidents/failed-writes${queryOf({ ...filter })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  const of = (list: string, untold: string): JsonObject[] =>
    (answer[list] as readonly JsonObject[]).map((item) => ({ ...item, recorded: item['recorded_at'] ?? untold }));
  const items = [...of('waiting', 'waits'), ...of('items', 'unsigned')];
  showItems(context, context.json ? answer : { ...answer, items }, ['key', 'error_code', 'attempts', 'recorded']);
  return EXIT.ok;
}
