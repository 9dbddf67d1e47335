import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { type Page, queryOf, showItems } from './shown.js';

const COLUMNS = {
  keys: ['key', 'revision', 'withheld'],
  consents: ['consent_id', 'pii_type', 'scope', 'status', 'expires_at'],
  jobs: ['job_id', 'status', 'created_at'],
  requests: ['dsr_id', 'kind', 'status', 'due_at'],
  'action-requests': ['request_id', 'kind', 'status', 'due_at'],
} as const;
type List = keyof typeof COLUMNS;

interface Own extends JsonObject {
  readonly user_id: string;
  readonly roles: readonly string[];
  readonly second_factor: { readonly enrolled: boolean; readonly enrolled_at: string | null };
}

/** A table for each list, and how the rest of it is asked for. */
export async function show(context: Context): Promise<ExitCode> {
  const own = await context.answer<Own>({ method: 'GET', path: '/me' });
  const { io, json } = context;
  if (json) {
    io.out(JSON.stringify(own, null, 2));
    return EXIT.ok;
  }
  const { user_id, roles, second_factor } = own;
  const since = second_factor.enrolled_at === null ? 'none' : `since ${second_factor.enrolled_at}`;
  for (const line of table([
    ['you', user_id],
    ['roles', roles.join(', ')],
    ['second factor', since],
  ])) {
    io.out(line);
  }
  for (const name of Object.keys(COLUMNS) as List[]) {
    const { items, more } = own[name.replace('-', '_')] as { items: readonly JsonObject[]; more: boolean };
    io.out('');
    io.out(`${name}: ${items.length === 0 ? 'none' : more ? `the first ${items.length}` : items.length}`);
    if (items.length > 0) showItems(context, { items, next_cursor: null }, COLUMNS[name]);
    if (more) io.say(`all of them: mace ${name === 'consents' ? 'consent list' : `me ${name}`}`);
  }
  return EXIT.ok;
}

export async function list(context: Context, name: Exclude<List, 'consents'>, page: Page): Promise<ExitCode> {
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/me/${name}${queryOf({ ...page })}` });
  showItems(context, answer, COLUMNS[name]);
  return EXIT.ok;
}
