import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Page, queryOf, showItems } from './shown.js';

const COLUMNS = ['critic_id', 'health', 'state', 'heard_at', 'registered_at'];

export async function list(context: Context, page: Page): Promise<ExitCode> {
  const path = `/critics${queryOf({ ...page })}`;
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), COLUMNS);
  return EXIT.ok;
}
