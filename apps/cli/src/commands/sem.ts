import type { Json, JsonObject } from '#lib/kernel';

import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plainText, table } from '../io.js';
import { given, queryOf, send, showObject } from './shown.js';

interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

/** `mace sem get`: a text line by line, anything else as JSON. */
export async function get(context: Context, key: string, asOf?: string): Promise<ExitCode> {
  const query = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`;
  const found = await context.answer<JsonObject>({ method: 'GET', path: pathOf(key) + query });
  const value = found['value'] ?? null;
  context.io.out(context.json ? pretty(found) : plainText(typeof value === 'string' ? value : pretty(value)));
  return EXIT.ok;
}

export async function put(
  context: Context,
  key: string,
  text: string,
  options: Record<string, string | boolean>,
): Promise<ExitCode> {
  const value = options['valueJson'] === true ? parsed(text) : text;
  const extras = ['source', 'notes', 'timestamp'].flatMap((name) =>
    typeof options[name] === 'string' ? [[name, options[name]]] : [],
  );
  const call = {
    method: 'PUT',
    path: pathOf(key),
    body: { value, ...(Object.fromEntries(extras) as JsonObject) },
  } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const stored = await context.answer<Written>(call);
  const { io } = context;
  if (context.json) io.out(pretty({ ...stored }));
  else if (stored.pending === true) io.out(`${stored.key}  waits for the council: ${stored.request_id}`);
  else io.out(`${stored.key}  revision ${stored.revision}${!stored.applied ? '  (not current)' : ''}`);
  return EXIT.ok;
}

/** `mace sem delete`. */
export function remove(context: Context, key: string): Promise<ExitCode> {
  return send(context, { method: 'DELETE', path: pathOf(key) });
}

export interface Naming {
  readonly scope: string;
  readonly entityType: string;
  readonly entityId?: string;
  readonly attribute: string;
  readonly user?: string;
}

/** `mace sem keys`. */
export function keyOf(context: Context, { scope, entityType, entityId, attribute, user }: Naming): Promise<ExitCode> {
  const body = given({
    scope,
    entity_type: entityType,
    entity_id_raw: entityId,
    attribute_raw: attribute,
    user_id: user,
  });
  return send(context, { method: 'POST', path: '/sem/keys', body });
}

/** `mace sem resolve`. */
export async function resolve(context: Context, text: string): Promise<ExitCode> {
  const path = `/sem/resolve?${new URLSearchParams({ text }).toString()}`;
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path }));
  return EXIT.ok;
}

export async function history(context: Context, key: string, { limit, cursor }: Page): Promise<ExitCode> {
  const answer = await context.answer<ItemPage>({
    method: 'GET',
    path: `${pathOf(key)}/history${queryOf({ limit, cursor })}`,
  });
  return show(context, answer, ['revision', 'timestamp', 'source', 'applied', 'value']);
}

export async function list(context: Context, prefix: string | undefined, { limit, cursor }: Page): Promise<ExitCode> {
  const answer = await context.answer<ItemPage>({ method: 'GET', path: `/sem${queryOf({ prefix, limit, cursor })}` });
  return show(context, answer, ['key']);
}

interface Written {
  readonly key: string;
  readonly revision: number;
  readonly applied: boolean;
  /** It is of high sensitivity; the request that decides on it. */
  readonly pending?: true;
  readonly request_id?: string;
}

interface ItemPage {
  readonly items: readonly Json[];
  readonly next_cursor: string | null;
}

function show({ io, json }: Context, answer: ItemPage, columns: readonly string[]): ExitCode {
  if (json) io.out(pretty(answer as unknown as Json));
  else for (const line of table(answer.items.map((item) => columns.map((column) => cell(item, column))))) io.out(line);
  if (!json && answer.next_cursor !== null) io.say(`more: --cursor ${answer.next_cursor}`);
  return EXIT.ok;
}

function cell(item: Json, column: string): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const value = (item as JsonObject)[column] ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Each part encoded, so that what is no key form arrives as it is and is refused by its name. */
function pathOf(key: string): string {
  const parts = key.split('/');
  if (parts.length !== 4 || parts.includes('')) {
    throw new CommandError(
      'a key is scope/entity_type/entity_id/attribute, such as user/profile/user_tuff/favorite_color',
      EXIT.usage,
    );
  }
  return `/sem/${parts.map(encodeURIComponent).join('/')}`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new CommandError('the value is not JSON; leave --value-json out to store a text', EXIT.usage);
  }
}

function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}
