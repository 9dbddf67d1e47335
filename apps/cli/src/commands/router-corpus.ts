import { closeSync, openSync, readSync } from 'node:fs';

import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { given } from './shown.js';

/** One query of a file, with what somebody says that it is. */
export interface OwnQuery {
  readonly line: number;
  readonly query: string;
  readonly expected_intent?: string;
}

interface PreviewedRoute {
  readonly intent_tags: readonly string[];
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly error_code: string | null;
  readonly candidates: readonly { readonly node_id: string; readonly final_score: number }[];
  readonly excluded: readonly { readonly node_id: string; readonly reason: string }[];
}

interface Preview {
  readonly proposed: boolean;
  readonly snapshots: Readonly<Record<string, string>>;
  readonly routes: readonly PreviewedRoute[];
}

type Routed = OwnQuery & PreviewedRoute;

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** A request holds so many queries at most, and so many bytes of them as JSON beside the policy. */
const AT_ONCE = { queries: 100, bytes: 96 * 1024 };

/** `mace router corpus FILE`: where one's own queries would go; exit code 2 where one is not taken for what is expected. */
export async function ownCorpus(context: Context, file: string, policyFile: string | undefined): Promise<ExitCode> {
  const queries = queriesIn(textOf(file, 'file'), file);
  const change = policyFile === undefined ? undefined : policyIn(textOf(policyFile, '--policy'), policyFile);
  const routes: Routed[] = [];
  let preview: Preview | undefined;
  for (const some of batches(queries)) {
    const body = given({ queries: some.map(({ query }) => query), change });
    preview = await context.answer<Preview>({ method: 'POST', path: '/router/preview', body });
    routes.push(...preview.routes.map((route, i) => ({ ...some[i]!, ...route })));
  }
  const { proposed = false, snapshots = {} } = preview ?? {};
  const misses = routes.filter((route) => !isAsExpected(route));
  const total = routes.length;
  const expected = routes.filter(({ expected_intent }) => expected_intent !== undefined).length;
  const told = { proposed, snapshots, total, expected, right: expected - misses.length, routes };
  if (context.json) context.io.out(JSON.stringify(told, null, 2));
  else tell(context, routes, misses, expected === 0 ? `${total} in all` : `${told.right} of ${expected} as expected`);
  return misses.length === 0 ? EXIT.ok : EXIT.divergence;
}

function isAsExpected({ expected_intent, intent_tags }: Routed): boolean {
  return expected_intent === undefined || expected_intent === intent_tags[0];
}

function tell({ io }: Context, routes: readonly Routed[], misses: readonly Routed[], summary: string): void {
  const rows = routes.map((route) => [
    String(route.line),
    shortened(route.query, 40),
    route.intent_tags.join(', ') || '-',
    route.agent_id ?? 'none',
    whyOf(route),
  ]);
  for (const line of table([['LINE', 'QUERY', 'TAGS', 'AGENT', 'WHY'], ...rows])) io.out(line);
  io.out('');
  io.out(summary);
  const differing = misses.map(({ line, expected_intent, intent_tags: [tag = 'none'] }) => [
    `  line ${line}: ${expected_intent}, given ${tag}`,
  ]);
  for (const line of table(differing)) io.out(line);
}

/** The scores of those who could be asked; where nobody could, what kept each out. */
function whyOf({ error_code, candidates, excluded, intent_tags, route_reason }: PreviewedRoute): string {
  const scores = candidates.map(({ node_id, final_score }) => `${node_id} ${final_score}`);
  const out = excluded.map(({ node_id, reason }) => `${node_id} ${reason}`);
  const all = [...scores, ...out].slice(0, 4).join(', ');
  if (error_code === null && route_reason !== 'fallback_generic') return all;
  const nobody = all || (intent_tags[0] === undefined ? '' : `nobody serves ${intent_tags[0]}`);
  return [error_code ?? 'fallback', nobody].filter((part) => part !== '').join(': ');
}

function shortened(text: string, most: number): string {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join('')}…`;
}

/**
 * One query a line, as it stands or as a JSON object; empty lines are none.
 * @throws CommandError that names the line
 */
export function queriesIn(text: string, file: string): readonly OwnQuery[] {
  const queries = text.split('\n').flatMap((raw, i): OwnQuery[] => {
    const line = i + 1;
    const query = raw.trim();
    if (query === '') return [];
    return [query.startsWith('{') ? objectIn(query, line, file) : { line, query }];
  });
  if (queries.length === 0) throw usage(`${file}: there is no query in it; write one a line`);
  return queries;
}

function objectIn(text: string, line: number, file: string): OwnQuery {
  const form = '{"query": "…"} or {"query": "…", "expected_intent": "…"}';
  const { query, expected_intent, ...more } = parsed(text) ?? {};
  const isOne = typeof query === 'string' && query !== '' && Object.keys(more).length === 0;
  if (!isOne || (expected_intent !== undefined && typeof expected_intent !== 'string'))
    throw usage(`${file}, line ${line}: ${form} is needed, or a query that begins otherwise`);
  return { line, query, ...(expected_intent === undefined ? {} : { expected_intent }) };
}

function policyIn(text: string, file: string): JsonObject {
  const change = parsed(text);
  if (change === null) throw usage(`--policy: ${file} holds no JSON object: give the change as it would be proposed`);
  return change as JsonObject;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function* batches(queries: readonly OwnQuery[]): Generator<readonly OwnQuery[]> {
  let some: OwnQuery[] = [];
  let bytes = 0;
  for (const one of queries) {
    const more = Buffer.byteLength(JSON.stringify(one.query)) + 1;
    if (some.length === AT_ONCE.queries || (some.length > 0 && bytes + more > AT_ONCE.bytes)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(one);
    bytes += more;
  }
  if (some.length > 0) yield some;
}

/** No more of a file is read than it may hold; `-` is what comes from before. */
function textOf(file: string, what: string): string {
  const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
  let length = 0;
  try {
    const handle = file === '-' ? 0 : openSync(file, 'r');
    try {
      for (let more = -1; more !== 0 && length < buffer.length; length += more)
        more = readSync(handle, buffer, length, buffer.length - length, null);
    } finally {
      if (handle !== 0) closeSync(handle);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${what}: ${file} cannot be read (${code ?? 'unknown fault'})`, EXIT.failure);
  }
  if (length > MAX_FILE_BYTES) throw usage(`${what}: ${file} has more than ${MAX_FILE_BYTES} bytes`);
  return buffer.toString('utf8', 0, length);
}

function usage(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}
