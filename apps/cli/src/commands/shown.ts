import type { Json, JsonObject } from '#lib/kernel';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';

export interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

/** The most that a page of a list may hold. */
const MOST = 200;

/** A list as one page, however many it took to read it; all else is as its first page says. */
export interface Whole<T> {
  readonly items: readonly T[];
  readonly next_cursor: null;
  readonly [member: string]: unknown;
}

type Query = Readonly<Record<string, string | undefined>>;

interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Every page of a list, as they come, so that no more than one is held. @param path without its query */
export async function* everyPage<T>(context: Context, path: string, query: Query = {}): AsyncGenerator<Listed<T>> {
  let cursor: string | undefined;
  do {
    const page = await context.answer<Listed<T>>({
      method: 'GET',
      path: path + queryOf({ ...query, limit: MOST, cursor }),
    });
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** All pages of a list together. @param path without its query */
export async function everyItem<T>(context: Context, path: string, query: Query = {}): Promise<Whole<T>> {
  const items: T[] = [];
  let first: object | undefined;
  for await (const page of everyPage<T>(context, path, query)) {
    first ??= page;
    items.push(...page.items);
  }
  return { ...first, items, next_cursor: null };
}

/** The members of an object that were given. */
export function given(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** `?a=b` of what was given; nothing where nothing was. */
export function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Sends a call, or says what it would be, and shows its answer. */
export async function send(
  context: Context,
  call: Call,
  show: (answer: JsonObject) => void = (answer) => showObject(context, answer),
): Promise<ExitCode> {
  if (rehearsed(context, call)) return EXIT.ok;
  show(await context.answer<JsonObject>(call));
  return EXIT.ok;
}

/** An answer by its members: texts as they are, all else as JSON. */
export function showObject({ io, json }: Context, answer: JsonObject): void {
  if (json) return io.out(JSON.stringify(answer, null, 2));
  for (const line of table(Object.entries(answer).map(([name, value]) => [name, cell(value)]))) io.out(line);
}

/** A list by some of its items' members, and how to go on. */
export function showItems({ io, json }: Context, answer: JsonObject, columns: readonly string[], of = 'items'): void {
  if (json) return io.out(JSON.stringify(answer, null, 2));
  const items = answer[of] as readonly JsonObject[];
  const rows = items.map((item) => columns.map((column) => cell(item[column] ?? null)));
  for (const line of table([columns.map((column) => column.toUpperCase()), ...rows])) io.out(line);
  if (typeof answer['next_cursor'] === 'string') io.say(`more: --cursor ${answer['next_cursor']}`);
}

function cell(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
