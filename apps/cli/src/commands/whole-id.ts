import { type Context, readBefore } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { everyPage } from './shown.js';

/** So that the beginning of a number that somebody typed is no id by accident. */
const BEGINNING = /^[a-z]+-[0-9a-f]{6,31}$/;

/**
 * The one id of a list that begins with what was typed; six digits are the least. A whole id, and what is no beginning of
 * one, stay as they are, for the server to say.
 *
 * @param list its path, and the member of an item that is its id
 * @throws CommandError where no id of the list begins so, or two do
 */
export async function wholeId(
  context: Context,
  typed: string,
  list: { path: string; member: string },
): Promise<string> {
  if (!BEGINNING.test(typed)) return typed;
  return readBefore(context, () => found(context, typed, list), typed);
}

async function found(context: Context, typed: string, list: { path: string; member: string }): Promise<string> {
  const ids: string[] = [];
  for await (const { items } of everyPage<Readonly<Record<string, string>>>(context, list.path)) {
    ids.push(...items.map((item) => item[list.member]!).filter((id) => id.startsWith(typed)));
    if (ids.length > 1) break;
  }
  if (ids.length === 1) return ids[0]!;
  const why = ids.length === 0 ? 'no id of yours begins so' : `more than one begins so: ${ids.slice(0, 2).join(', ')}`;
  throw new CommandError(`${typed}: ${why}`, EXIT.usage);
}
