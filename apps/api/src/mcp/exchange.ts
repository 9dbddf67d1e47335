import {
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  type MessageClassification,
  PerRequestHTTPServerTransport,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type JsonObject, MaceError } from '#lib/kernel';

import { withoutPersonal } from '../edge/answer-failure.js';
import { personalDataIn } from '../edge/personal-data-in.js';

/** The revision whose requests each say their version, and need no `initialize`. */
export const MODERN_REVISION = '2026-07-28';
/** Of servers that answer here. */
export const PROTOCOL_VERSIONS = [...SUPPORTED_PROTOCOL_VERSIONS, MODERN_REVISION];
const HEADER_MISMATCH = -32_020;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
/** Each request counts once to every limit. */
const ONE_MESSAGE = 'body: one message of JSON-RPC; several in a list are not taken';
const EARLIER: MessageClassification = { era: 'legacy' };

/** What is refused before a handler is asked, by its code (MCP 2026-07-28, Streamable HTTP). */
const STATUS_OF: Readonly<Record<number, number>> = {
  [ProtocolErrorCode.InvalidRequest]: 400,
  [ProtocolErrorCode.MethodNotFound]: 404,
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 400,
  [HEADER_MISMATCH]: 400,
};
/** Members of params that a header repeats, so that proxies need not read the body. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const HEADERS = [
  ['protocolVersionHeader', 'mcp-protocol-version'],
  ['mcpMethodHeader', 'mcp-method'],
  ['mcpNameHeader', 'mcp-name'],
] as const;

type Message = Readonly<Record<string, unknown>>;
type Id = string | number | null;

/**
 * Answers messages of MCP over Streamable HTTP, of either era, by a server without sessions. Each is a request of its own,
 * which the hooks of the edge have admitted, and its answer is one JSON document that goes out by `reply.send`: signed,
 * with the headers of every answer, and counted. Nothing is written past Fastify, and no stream is held open. The library
 * tells the eras apart and speaks the protocol. Calls of tools, which are nearly all that comes, go past its server: making
 * and asking one costs more than a read of memory does.
 */
export class McpExchange {
  private readonly pages: string[];

  /**
   * @param serverFor a server for one request: what it lists and does depends on who asks; with `PROTOCOL_VERSIONS`
   * @param calls what answers calls of tools instead of it
   * @param hostnames of pages that may ask, beside those of this machine
   * @param isPersonal of an id, which every answer repeats
   */
  constructor(
    private readonly serverFor: (request: FastifyRequest) => Server,
    private readonly calls: ToolCalls | undefined,
    hostnames: readonly string[],
    private readonly isPersonal: (text: string) => boolean,
  ) {
    this.pages = [...LOCAL_HOSTS, ...hostnames];
  }

  /** The answer, whose status is set; undefined for a message that has none. @throws MaceError PERMISSION_DENIED for a page of another host */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<object> | object | undefined {
    this.refuseOtherPages(request);
    const body = request.body as JSONRPCMessage;
    if (Array.isArray(body)) throw new MaceError('INVALID_INPUT', ONE_MESSAGE);
    const id = idOf(body);
    if (typeof id === 'string' && this.isPersonal(id)) throw personalDataIn('body.id');
    const era = this.calls && plainEra(request.headers, body);
    if (this.calls && era) return called(this.calls, request, body as JSONRPCRequest, era === 'modern');
    const outcome = classifyInboundRequest({ httpMethod: 'POST', ...headersOf(request), body });
    if (outcome.kind === 'reject') return refused(reply, outcome.httpStatus, outcome, id);
    if (!('method' in body && 'id' in body)) return void reply.code(202);
    const fault = outcome.kind === 'modern' ? headerFault(request, outcome) : versionFault(request, body);
    if (fault) return refused(reply, 400, fault, body.id);
    if (this.calls && body.method === 'tools/call') return called(this.calls, request, body, outcome.kind === 'modern');
    return this.served(request, reply, body, outcome.kind === 'modern' ? outcome.classification : EARLIER);
  }

  private async served(
    request: FastifyRequest,
    reply: FastifyReply,
    body: JSONRPCRequest,
    kind: MessageClassification,
  ): Promise<object> {
    const exchange = new Exchange(kind);
    await this.serverFor(request).connect(exchange);
    const answer = await exchange.serve(body);
    if (!('error' in answer)) return answer;
    const status = kind !== EARLIER && exchange.isRefusal ? STATUS_OF[answer.error.code] : undefined;
    return refused(reply, status ?? 200, answer.error, body.id);
  }

  /** A page of another host that has this server's name for its own (DNS rebinding). */
  private refuseOtherPages({ headers }: FastifyRequest): void {
    if (validateOriginHeader(headers.origin, this.pages).ok) return;
    throw new MaceError('PERMISSION_DENIED', 'Origin: a page of this machine, or of the host in MACE_PUBLIC_URL');
  }
}

/** One message, and what answers it. It holds nothing that would have to be closed. */
class Exchange extends PerRequestHTTPServerTransport {
  /** Whether it was answered before any handler was asked: those are asked in a turn of their own. */
  isRefusal = false;
  private isGivenOver = false;
  private settle: ((answer: JSONRPCMessage) => void) | undefined;

  /** @param kind by which the server knows the revision that it is to speak */
  constructor(private readonly kind: MessageClassification) {
    super({ classification: kind });
  }

  override start(): Promise<void> {
    return Promise.resolve();
  }

  serve(message: JSONRPCRequest): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.onmessage?.(message, { classification: this.kind });
      this.isGivenOver = true;
    });
  }

  /** What a server would say besides its answer has no stream to go by, and is left out. */
  override send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) {
      this.isRefusal = !this.isGivenOver;
      this.settle?.(message);
    }
    return Promise.resolve();
  }
}

/** Answers calls of tools. */
export interface ToolCalls {
  /** As results of 2026 name who made them. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** @throws ProtocolError */
  readonly call: (name: string, args: JsonObject, request: FastifyRequest) => Promise<object>;
}

async function called(
  { call, serverInfo }: ToolCalls,
  request: FastifyRequest,
  { id, params }: JSONRPCRequest,
  isModern: boolean,
): Promise<object> {
  const { name, arguments: args = {} } = (params ?? {}) as Message;
  try {
    if (typeof name !== 'string' || !isObject(args))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'params: name, a text, and arguments, an object');
    const result: object = await call(name, args, request);
    if (!isModern) return { jsonrpc: '2.0', id, result };
    const _meta = { [SERVER_INFO_META_KEY]: serverInfo };
    return { jsonrpc: '2.0', id, result: { ...result, resultType: 'complete', _meta } };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { jsonrpc: '2.0', id, error: withoutRepeating(error) };
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The era of a call of a tool that is plainly in order, as nearly every one is; undefined where the library has to look
 * closer, which takes a fifth of the time of a call.
 */
function plainEra(headers: FastifyRequest['headers'], body: unknown): MessageClassification['era'] | undefined {
  const { jsonrpc, method, params } = (body ?? {}) as Message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isObject(params) || idOf(body) === null) return undefined;
  if (Object.keys(body as Message).length !== 4) return undefined;
  const version = headers['mcp-protocol-version'];
  const { _meta: meta, name } = params;
  if (meta === undefined) return SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)) ? 'legacy' : undefined;
  if (!isObject(meta) || version !== MODERN_REVISION || meta[PROTOCOL_VERSION_META_KEY] !== version) return undefined;
  if (headers['mcp-method'] !== method || headers['mcp-name'] !== name) return undefined;
  const client = meta[CLIENT_INFO_META_KEY];
  if (!isObject(meta[CLIENT_CAPABILITIES_META_KEY]) || !isObject(client)) return undefined;
  return typeof client['name'] === 'string' && typeof client['version'] === 'string' ? 'modern' : undefined;
}

interface Fault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

function refused(reply: FastifyReply, status: number, fault: Fault, id: Id): object {
  void reply.code(status);
  return { jsonrpc: '2.0', id, error: withoutRepeating(fault) };
}

/** The library repeats versions, methods and names as they were given. */
function withoutRepeating({ code, message, data }: Fault): Fault {
  const said = data === undefined ? '' : JSON.stringify(data);
  return {
    code,
    message: withoutPersonal(message),
    ...(said !== '' && withoutPersonal(said) === said ? { data } : {}),
  };
}

function idOf(body: unknown): Id {
  const { id } = (body ?? {}) as Message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function headersOf({ headers }: FastifyRequest): Headers {
  const given: Headers = {};
  for (const [name, header] of HEADERS) {
    const value = headers[header];
    if (typeof value === 'string') given[name] = value;
  }
  return given;
}

type Headers = { [name in (typeof HEADERS)[number][0]]?: string };

/** A version that nobody here speaks; and headers that a request of 2026 has to have: what contradicts its body was refused before. */
function headerFault(
  { headers }: FastifyRequest,
  { message, classification: { revision = 'unknown' } }: InboundModernRoute,
): Fault | undefined {
  if (revision !== MODERN_REVISION)
    return new UnsupportedProtocolVersionError({ supported: [MODERN_REVISION], requested: revision });
  const missing = ['mcp-protocol-version', 'mcp-method'].find((name) => headers[name] === undefined);
  if (missing !== undefined) return mismatch(`${missing}: missing`);
  const member = NAMED_BY[message.method];
  const named = member === undefined ? undefined : message.params?.[member];
  if (typeof named !== 'string' || nameIn(headers['mcp-name']) === named) return undefined;
  return mismatch(`mcp-name: the same as params.${member}`);
}

function mismatch(form: string): Fault {
  return { code: HEADER_MISMATCH, message: `Header mismatch: ${form}` };
}

/** As it stands, or in Base64 where it has signs that a header has not. */
function nameIn(header: string | string[] | undefined): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(String(header ?? ''))?.[1];
  return encoded === undefined ? header?.toString().trim() : Buffer.from(encoded, 'base64').toString();
}

/** A version that nobody here speaks, of a client that has said in `initialize` which it speaks. */
function versionFault({ headers }: FastifyRequest, { method }: JSONRPCRequest): Fault | undefined {
  const version = headers['mcp-protocol-version'];
  if (method === 'initialize' || version === undefined || PROTOCOL_VERSIONS.includes(String(version))) return undefined;
  const supported = [LATEST_PROTOCOL_VERSION, MODERN_REVISION].join(', ');
  return { code: -32_000, message: `MCP-Protocol-Version: one that is served, such as ${supported}` };
}
