import type { AddressInfo } from 'node:net';

import { ROLES, SignInLinks, signToken } from '#lib/access';

import { linkWith, publicUrlOf } from './console/public-place.js';
import { addressOf, refuseTakenPorts } from './listening.js';
import type { OpenApp } from './main.open.js';
import { Beside, runUntilTold, type Running } from './main.running.js';
import { readConfig, type Config } from './platform.config.js';
import { emptyKeys } from './settings/services.js';

/** How long a session of the console lasts that a start begins: a working day. */
const SESSION_S = 8 * 3600;

/** `mace serve`: runs until SIGTERM or SIGINT, and answers the exit code. */
export function serve(env: NodeJS.ProcessEnv): Promise<number> {
  return runUntilTold(env, { configOf: readConfig, refuseTakenPorts, begin: listen });
}

/** @throws what listening throws, with everything closed again */
async function listen(opened: OpenApp): Promise<Running> {
  const { fastify } = opened.app;
  const { config } = opened.platform;
  const beside = new Beside(opened);
  try {
    await beside.serveMetrics();
    await fastify.listen({ host: addressOf(config.host), port: config.port });
    await beside.serveGrpc();
    await beside.serveLocally();
  } catch (error) {
    await beside.stop();
    throw error;
  }
  tellEngines(opened);
  const bound = fastify.server.address() as AddressInfo;
  const lines = [greeting(bound, config), ...(await linkLine(opened, bound))];
  return { greeting: lines.join('\n'), stop: () => beside.stop() };
}

/** Whether questions that need a language engine can be answered, and what to do where not. */
function tellEngines({ platform: { config, log } }: OpenApp): void {
  const { llmProviders } = config;
  const variables = emptyKeys(llmProviders, process.env).join(', ');
  const engines = llmProviders.map(({ base_url, model }) => `${model} at ${new URL(base_url).host}`).join(', ');
  if (llmProviders.length === 0)
    log.info({ set: 'MACE_LLM_PROVIDERS' }, 'no language engine is configured (docs/language-engines.md)');
  else if (variables !== '')
    log.warn({ engines, variables }, 'a language engine is not asked: the variable that should hold its key is empty');
  else log.info({ engines }, 'language engines are configured');
}

/** Where the console is, as somebody who may do everything: for who tries it on a machine of their own. */
async function linkLine({ app, platform }: OpenApp, bound: AddressInfo): Promise<readonly string[]> {
  const { config, ring } = platform;
  // Whoever reads what a service writes is not whoever started it.
  if (config.mode === 'production' || config.jwksUrl !== undefined || !process.stdout.isTTY) return [];
  const now = Date.now();
  const names = { issuer: config.jwtIssuer, audience: config.jwtAudience };
  const roles = ROLES.filter((role) => role !== 'agent');
  const token = await signToken(ring, { ...names, userId: 'developer', roles, ttlSeconds: SESSION_S, now });
  const { code, expires_in } = app.nest.get(SignInLinks, { strict: false }).add(token, now);
  return [`Console, once and within ${expires_in} s: ${linkWith(code, publicUrlOf(config, bound))}`];
}

/** The one line that says where requests are taken. */
function greeting({ address, port }: AddressInfo, { dataDir, eventStore }: Config): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `MACE is listening on http://${host}:${port} (event store: ${eventStore}, data: ${dataDir})`;
}
