import type { JsonObject } from '#lib/kernel';
import { confusion, routingCorpus } from '#lib/routing';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { given, send, showObject } from './shown.js';

/** `mace router corpus`: how the classifier fares on the labelled queries; exit code 2 where it misses one. */
export function corpus({ io, json }: Context): Promise<ExitCode> {
  const result = confusion(routingCorpus());
  if (json) io.out(JSON.stringify(result, null, 2));
  else {
    const intents = [
      ...new Set(Object.entries(result.table).flatMap(([said, row]) => [said, ...Object.keys(row)])),
    ].sort();
    const rows = intents.map((said) => [said, ...intents.map((given) => String(result.table[said]?.[given] ?? '·'))]);
    for (const line of table([['SAID \\ GIVEN', ...intents], ...rows])) io.out(line);
    io.out('');
    io.out(`${result.right} of ${result.total} queries as labelled`);
    for (const { query, expected, given } of result.misses) io.out(`  ${query}: ${expected}, given ${given}`);
  }
  return Promise.resolve(result.misses.length === 0 ? EXIT.ok : EXIT.divergence);
}

/** `mace router decide`: where a job of one's own would go, with every candidate's score. */
export function decide(context: Context, query_text: string, tags: JsonObject | undefined): Promise<ExitCode> {
  const body = given({ query_text, context_tags: tags });
  return send(context, { method: 'POST', path: '/router/decide', body }, (answer) => tell(context, answer));
}

/** `mace router route`: where the nine rules of stage 0 send a query. */
export function route(context: Context, query_text: string, user?: string, tags?: JsonObject): Promise<ExitCode> {
  const body = given({ query_text, user_id: user, context_tags: tags });
  return send(context, { method: 'POST', path: '/router/route', body });
}

function tell(context: Context, answer: JsonObject): void {
  if (context.json) return showObject(context, answer);
  const { route_trace, ...place } = answer;
  showObject(context, place);
  const { candidates, excluded, snapshots } = route_trace as unknown as Trace;
  const rows = [
    ...candidates.map(({ node_id, final_score, availability }) => [node_id, String(final_score), String(availability)]),
    ...excluded.map(({ node_id, reason, availability }) => [node_id, reason, String(availability)]),
  ];
  for (const line of table([['CANDIDATE', 'SCORE', 'AVAILABILITY'], ...rows])) context.io.out(line);
  for (const line of table(Object.entries(snapshots))) context.io.out(line);
}

interface Trace {
  readonly candidates: readonly {
    readonly node_id: string;
    readonly final_score: number;
    readonly availability: number;
  }[];
  readonly excluded: readonly { readonly node_id: string; readonly reason: string; readonly availability: number }[];
  readonly snapshots: Readonly<Record<string, string>>;
}
