import { PERMISSIONS, permissionOf, type PermissionName } from '#lib/access';

import type { DeclaredRoute } from '../../apps/api/src/edge/permission.js';

/** The table of docs/capabilities.md: what may be asked for, and in which forms. */

export const BEGIN = '<!-- made by test/capabilities/capabilities.spec.ts: begin -->';
export const END = '<!-- made by test/capabilities/capabilities.spec.ts: end -->';

/** As the OpenAPI document names it. */
export function operationOf({ method, url }: Pick<DeclaredRoute, 'method' | 'url'>): string {
  return `${method} ${url.replace(/:([a-z_]+)/g, '{$1}')}`;
}

/** Operations that no command asks for, and why. */
export const WITHOUT_COMMAND: ReadonlyMap<string, string> = new Map([
  ['GET /', 'tells a browser or a program where to go'],
  ['GET /console', 'pages for a browser'],
  ['GET /console/*', 'pages for a browser'],
  ['GET /console/files/{file}', 'pages for a browser'],
  ['GET /console/verify', 'pages for a browser; `mace verify` is the same check'],
  ['GET /console/oidc/start', 'pages for a browser'],
  ['GET /console/oidc/callback', 'pages for a browser'],
  ['POST /console/session', 'for a browser, by the link of `mace console`'],
  ['POST /console/session/step-up', 'for a browser; `mace auth step-up` elevates a token'],
  ['DELETE /console/session', 'for a browser; `mace auth revoke` revokes a token'],
  ['GET /docs', 'pages for a browser'],
  ['GET /docs/start.js', 'pages for a browser'],
  ['GET /docs/{asset}', 'pages for a browser'],
  ['GET /openapi.json', 'for programs that are made from it'],
  ['GET /metrics', 'for what scrapes it'],
  ['GET /health/live', 'asked before every command, which tells of nothing'],
  ['GET /.well-known/jwks.json', 'for `mace verify-response --jwks`, which takes its URL'],
  ['GET /.well-known/oauth-protected-resource', 'for clients that look for an issuer of tokens'],
  ['GET /.well-known/oauth-protected-resource/mcp', 'for clients that look for an issuer of tokens'],
  ['GET /mcp', 'always refused: no stream is held open'],
  ['DELETE /mcp', 'always refused: no session is held'],
  ['GET /.well-known/mace-log.vkey', 'for `mace checkpoint verify --key`, which takes what it answers'],
  ['GET /audit/checkpoint/note', 'for witnesses; `mace checkpoint show` prints the note'],
  ['POST /graphql', 'each of its fields is an operation that has a command'],
  ['POST /a2a', 'for other agents; each of its methods is an operation that has a command'],
  ['GET /.well-known/agent-card.json', 'for other agents'],
  ['PATCH /reflective-logs/{log_id}', 'always refused; `mace reflective-logs amend` is the way'],
]);

/** Operations for somebody with a token that no field of GraphQL asks for, and why. */
export const WITHOUT_FIELD: ReadonlyMap<string, string> = new Map([
  ['POST /console/session/step-up', 'sets a cookie of a browser'],
  ['DELETE /console/session', 'takes the cookie of a browser away'],
  ['POST /graphql', 'is GraphQL'],
  ['POST /a2a', 'a protocol of its own; each of its methods is an operation that has a field'],
  ['POST /mcp', 'is MCP'],
  ['PATCH /reflective-logs/{log_id}', 'always refused: a mutation that never could is none'],
  ['GET /audit/checkpoint/note', 'a text for other programs, signed as it stands'],
]);

/** Only for the command line on the data folder: it carries no token, and GraphQL asks for one. */
const isLocal = (access: PermissionName | 'public'): boolean =>
  access !== 'public' && permissionOf(access).localOnly === true;

/** Whether an operation needs no field: whoever asks has no token, or there is a reason. */
export function needsNoField({ access, ...route }: DeclaredRoute): boolean {
  return access === 'public' || isLocal(access) || WITHOUT_FIELD.has(operationOf(route));
}

/** Capabilities that have no form of a kind, and why. */
const WITHOUT_REST: Readonly<Record<string, string>> = {
  'negotiations.submit': 'gRPC: `SubmitProposal`, `SubmitVote`',
  'negotiations.register': 'gRPC: `RegisterAgent`, `Heartbeat`, `DeregisterAgent`',
};
/** Asked for by a command in a case that no example shows. */
export const ASKED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  // apps/cli/src/commands/proof.int.spec.ts: with a checkpoint that was kept.
  ['GET /audit/consistency', 'checkpoint verify'],
  // apps/cli/src/commands/decisions.int.spec.ts: with a file of queries.
  ['POST /router/preview', 'router corpus'],
]);
const WITHOUT_GRAPHQL: Readonly<Record<string, string>> = {
  'negotiations.submit': 'none: the Negotiation Room is entered over gRPC',
  'negotiations.register': 'none: the Negotiation Room is entered over gRPC',
  'graphql.ask': 'is GraphQL',
  'a2a.ask': 'none: each of its methods is an operation that has a field',
  'mcp.ask': 'is MCP',
};
const BY_HAND: Readonly<Record<string, string>> = {
  'negotiations.submit': '`mace negotiate vote` (a proposal comes from the program that produces)',
  'graphql.ask': 'none: each of its fields is an operation that has a command',
  'a2a.ask': 'none: each of its methods is an operation that has a command',
  'negotiations.register': 'none: a critic’s own process says how it is',
};

/**
 * @param callers the commands that ask for an operation
 * @param fields the fields of GraphQL that do
 * @returns the table, and what has no form that should have one
 */
export function capabilityTable(
  routes: readonly DeclaredRoute[],
  callers: ReadonlyMap<string, ReadonlySet<string>>,
  fields: ReadonlyMap<string, readonly string[]>,
): { readonly table: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const names: readonly (PermissionName | 'public')[] = [...(Object.keys(PERMISSIONS) as PermissionName[]), 'public'];
  const rows = names.map((name) => {
    const own = routes.filter(({ method, access }) => access === name && method !== 'HEAD');
    const operations = own.map(operationOf).sort();
    const rest = operations.map((one) => `\`${one}\``).join(', ') || (name !== 'public' && WITHOUT_REST[name]) || '';
    const commands = [...new Set(operations.flatMap((one) => [...(callers.get(one) ?? [])]))].sort();
    const cli = commands.map((one) => `\`mace ${one}\``).join(', ') || (name !== 'public' && BY_HAND[name]) || '';
    const asked = operations.flatMap((one) => fields.get(one) ?? []).sort();
    const graphql = asked.map((one) => `\`${one}\``).join(', ') || withoutGraphql(name);
    if (rest === '') missing.push(`${name}: REST`);
    if (cli === '') missing.push(`${name}: CLI`);
    if (graphql === '') missing.push(`${name}: GraphQL`);
    for (const one of own)
      if (!fields.has(operationOf(one)) && !needsNoField(one)) missing.push(`${operationOf(one)}: GraphQL`);
    const label = name === 'public' ? '(none)' : `\`${name}\``;
    const local = name !== 'public' && permissionOf(name).localOnly ? ' (through the folder’s socket alone)' : '';
    return `| ${label} | ${rest}${local} | ${graphql} | ${cli} |`;
  });
  const head = ['| permission | REST | GraphQL | command line |', '| --- | --- | --- | --- |'];
  const beside = [...WITHOUT_COMMAND]
    .filter(([operation]) => !callers.has(operation))
    .map(([operation, reason]) => `- \`${operation}\`: ${reason}`);
  const unasked = [...WITHOUT_FIELD].map(([operation, reason]) => `- \`${operation}\`: ${reason}`);
  const lists = ['Without a command:', '', ...beside, '', 'Without a field of GraphQL:', '', ...unasked];
  const table = [BEGIN, '', ...head, ...rows, '', ...lists, '', END].join('\n');
  return { table, missing };
}

function withoutGraphql(name: PermissionName | 'public'): string {
  if (name === 'public') return 'none: they ask for no token';
  return WITHOUT_GRAPHQL[name] ?? (isLocal(name) ? 'none: the command line’s alone' : '');
}
