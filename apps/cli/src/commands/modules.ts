import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { given, type Page, queryOf, send, showItems, showObject } from './shown.js';

export interface NewModule {
  readonly name?: string;
  readonly release: string;
  readonly agentId?: string;
  readonly capability?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly policy?: JsonObject;
  readonly url?: string;
  readonly a2a?: boolean;
  readonly secretRef?: string;
  readonly publicKey?: string;
  readonly prompt?: JsonObject;
}

export async function list(
  context: Context,
  { type, status, limit, cursor }: Page & { readonly type?: string; readonly status?: string },
): Promise<ExitCode> {
  const path = `/modules${queryOf({ type, status, limit, cursor })}`;
  const answer = await context.answer<JsonObject>({ method: 'GET', path });
  showItems(context, answer, ['node_id', 'type', 'status', 'callable', 'apt', 'status_reason']);
  return EXIT.ok;
}

export async function show(context: Context, nodeId: string, asOf: string | undefined): Promise<ExitCode> {
  const path = `${pathOf(nodeId)}${queryOf({ as_of: asOf })}`;
  showObject(context, await context.answer<JsonObject>({ method: 'GET', path }));
  return EXIT.ok;
}

/** The type is what stands before the colon; dependencies given here are required ones. */
export function register(context: Context, nodeId: string, module: NewModule): Promise<ExitCode> {
  const body = given({
    node_id: nodeId,
    type: nodeId.split(':')[0]!,
    display_name: module.name ?? nodeId,
    version: module.release,
    agent_id: module.agentId,
    capabilities: module.capability,
    dependencies: module.dependsOn?.map((to) => ({ to, required: true })),
    policy: module.policy,
    endpoint:
      module.url === undefined
        ? undefined
        : given({
            kind: module.a2a ? 'a2a' : 'http',
            url: module.url,
            secret_ref: module.secretRef,
            public_key: module.publicKey,
          }),
    prompt: module.prompt,
  });
  return send(context, { method: 'POST', path: '/module/register', body });
}

export function quarantine(context: Context, node_id: string, reason: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: '/module/quarantine', body: { node_id, reason } });
}

export function restore(context: Context, nodeId: string, reason: string | undefined): Promise<ExitCode> {
  return send(context, { method: 'POST', path: `${pathOf(nodeId)}/restore`, body: given({ reason }) });
}

function pathOf(nodeId: string): string {
  return `/modules/${encodeURIComponent(nodeId)}`;
}
