import { pipeline, Transform, type TransformCallback } from 'node:stream';

import {
  deserializeMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

import { ApiError, isEnvelope } from '#lib/client';
import type { JsonObject } from '#lib/kernel';

import { type Answer, type Client, runningServer } from '../client.js';
import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';

interface Introduced {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
}

/** Bytes of one message; the server takes a quarter of that. */
const MOST_BYTES = 1024 * 1024;
const VERSION = '2025-11-25';

/** What comes on stdin goes to the server as it is, under the token of the command, and what it answers to stdout. */
export async function serveMcp(context: Context): Promise<ExitCode> {
  await runningServer(context.config.dataDir);
  const client = await context.client();
  const clientInfo = { name: 'mace mcp', version: '1' };
  const { body } = await send(client, 'initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo });
  if (isEnvelope(body)) throw new ApiError(body);
  const { serverInfo, capabilities, instructions } = body['result'] as unknown as Introduced;
  const serverFor = (): Server => {
    const server = new Server(serverInfo, { capabilities, instructions });
    server.fallbackRequestHandler = async ({ method, params }) =>
      resultOf(await sendOrFail(client, method, (params ?? {}) as JsonObject));
    return server;
  };
  // How it ends is told by the transport.
  const messages = pipeline(process.stdin, new Messages(), () => undefined);
  const ended = new Promise((resolve) => {
    messages.once('close', resolve);
    context.io.unread.addEventListener('abort', resolve, { once: true });
  });
  const transport = new StdioServerTransport(messages, process.stdout, { maxBufferSize: MOST_BYTES });
  const onerror = ({ message }: Error): void => context.io.say(plain(`mace: ${message}`));
  const served = serveStdio(serverFor, { transport, maxSubscriptions: 0, onerror });
  await ended;
  await served.close();
  process.stdin.destroy();
  return EXIT.ok;
}

/** Answers lines that are no message, which the transport leaves without an answer, and passes on all others. */
class Messages extends Transform {
  private rest: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _: string, done: TransformCallback): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (let end; (end = this.rest.indexOf('\n') + 1) > 0; this.rest = this.rest.subarray(end))
      if (isMessage(this.rest.toString('utf8', 0, end))) this.push(this.rest.subarray(0, end));
    // Nothing that follows can be told from the rest of it.
    if (this.rest.length <= MOST_BYTES) return done();
    refuse(ProtocolErrorCode.InvalidRequest, `a message has at most ${MOST_BYTES} bytes`);
    this.destroy();
  }
}

function isMessage(line: string): boolean {
  if (line.trim() === '') return false;
  try {
    deserializeMessage(line);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) refuse(ProtocolErrorCode.ParseError, 'no JSON: one message is one line');
    else refuse(ProtocolErrorCode.InvalidRequest, 'no message of JSON-RPC 2.0; several in a list are not taken');
    return false;
  }
}

function refuse(code: number, message: string): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
}

function send(client: Client, method: string, params: JsonObject): Promise<Answer> {
  const headers = { accept: 'application/json, text/event-stream' };
  return client.send({ method: 'POST', path: '/mcp', headers, body: { jsonrpc: '2.0', id: 1, method, params } });
}

/** @throws ProtocolError where the server went away; the next request may find it again */
async function sendOrFail(client: Client, method: string, params: JsonObject): Promise<JsonObject> {
  try {
    return (await send(client, method, params)).body;
  } catch (error) {
    if (error instanceof CommandError) throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    throw error;
  }
}

/** @throws ProtocolError */
function resultOf(body: JsonObject): JsonObject {
  if (isEnvelope(body)) {
    const { error_code, developer_message } = body;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${error_code}: ${developer_message}`, body);
  }
  const { result, error } = body as { result?: JsonObject; error?: { code: number; message: string; data?: unknown } };
  if (result) return result;
  throw new ProtocolError(error?.code ?? ProtocolErrorCode.InternalError, error?.message ?? 'no answer', error?.data);
}
