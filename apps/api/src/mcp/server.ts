import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';

import { hasRole, permissionOf, type Principal } from '#lib/access';
import { McpExchange, PROTOCOL_VERSIONS, type ToolCalls } from './exchange.js';
import { McpCalls, type McpParts } from './calls.js';
import { RESOURCE_TEMPLATES } from './resources.js';
import type { Tool } from './tool.js';
import { TOOLS } from './tools.js';

const CAPABILITIES = { tools: {}, resources: {} };
/** The library would make one for each server, to hold what people are asked by it: nobody is. */
const NO_VALIDATOR = {
  getValidator: () => () => {
    throw new Error('nothing is elicited');
  },
};

export function openExchange(parts: McpParts): McpExchange {
  const calls = new McpCalls(parts);
  const call: ToolCalls['call'] = (name, args, request) => calls.call(toolNamed(name, request), args, request);
  const ofTools = { call, serverInfo: serverInfo(parts) };
  return new McpExchange((request) => serverFor(parts, calls, request), ofTools, parts.hostnames, parts.isPersonal);
}

/** @throws ProtocolError */
function toolNamed(name: string, { mace: { principal } }: FastifyRequest): Tool {
  const tool = BY_NAME.get(name);
  if (tool) return tool;
  const known = TOOLS.filter(isFor(principal!)).map((one) => one.name);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no such tool; there are ${known.join(', ')}`);
}

const BY_NAME = new Map(TOOLS.map((one) => [one.name, one]));

function serverInfo({ version }: McpParts): { name: string; title: string; version: string } {
  return { name: 'mace', title: 'MACE', version };
}

/** What one request may list and do, by its token. */
function serverFor(parts: McpParts, calls: McpCalls, request: FastifyRequest): Server {
  const principal = request.mace.principal!;
  const server = new Server(serverInfo(parts), {
    capabilities: CAPABILITIES,
    instructions: instructionsFor(principal),
    supportedProtocolVersions: PROTOCOL_VERSIONS,
    jsonSchemaValidator: NO_VALIDATOR,
  });
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS.filter(isFor(principal)).map(listed) as never }));
  server.setRequestHandler('resources/list', ({ params }) => calls.list(params?.cursor, request) as never);
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: RESOURCE_TEMPLATES.filter(isFor(principal)).map(({ template }) => template),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => calls.read(uri, request) as never);
  return server;
}

/** Whether a role of the caller opens its door; what it takes besides, a refusal says. */
function isFor(principal: Principal): (one: Pick<Tool, 'operation'>) => boolean {
  return ({ operation }) => permissionOf(operation.access).roles.some((role) => hasRole(principal, role));
}

function listed({ name, title, description, inputSchema, outputSchema, annotations }: Tool): object {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function instructionsFor({ id, roles }: Principal): string {
  return `MACE remembers, decides and records: what you do here is an event under ${id}, with the roles ${roles.join(', ')}. Keys of memory are scope/entity_type/entity_id/attribute; your own begin with user/profile/${id}/. A refusal is an error that says what was wrong and what is allowed; do not repeat a call that was refused as it is.`;
}
