import { request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import type { ErrorEnvelope, JsonObject } from '#lib/kernel';

import type { Config } from '../../api/src/platform.config.js';
import { CommandError, EXIT } from './exit-codes.js';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks the REST interface; whether a server runs makes no difference to a command. */
export interface Client {
  /** `server`: through the data folder's socket; `folder`: this process opened the folder itself. */
  readonly transport: 'server' | 'folder';
  /** Any answer, errors too. */
  send(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** The interface answered with an error envelope. */
export class EnvelopeError extends Error {
  constructor(readonly envelope: ErrorEnvelope) {
    super(envelope.developer_message);
    this.name = 'EnvelopeError';
  }
}

/** The body of a successful answer. @throws EnvelopeError */
export async function answerOf<T = JsonObject>(client: Client, call: Call): Promise<T> {
  const { body } = await client.send(call);
  if (isEnvelope(body)) throw new EnvelopeError(body);
  return body as T;
}

function isEnvelope(body: unknown): body is ErrorEnvelope {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error_code' in body &&
    typeof body.error_code === 'string' &&
    'severity' in body
  );
}

/** How long a command waits for a folder that another process has. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/**
 * @param token acts as its holder; without one as the principal `local`
 * @throws CommandError where the folder can be neither reached nor opened
 */
export async function openClient(config: Config, token?: string): Promise<Client> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { localSocketOf } = await import('../../api/src/edge/local-address.js');
  const { DataFolderInUseError } = await import('#lib/sqlite');
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const socketPath = localSocketOf(config.dataDir);
    if (socketPath !== null && (await isAnswering(socketPath))) {
      return { transport: 'server', send: (call) => sendTo(socketPath, call, headers), close: () => Promise.resolve() };
    }
    try {
      return await openFolder(config, headers);
    } catch (error) {
      // Another command has the folder for a moment, or a server takes it and will answer soon.
      const isTaken = error instanceof CommandError && error.cause instanceof DataFolderInUseError;
      if (!isTaken || Date.now() >= deadline) throw error;
    }
    await pause(POLL_MS);
  }
}

/** A server that works on the folder, as the principal `local`; null where none answers. */
export async function serverOn(dataFolder: string): Promise<Client | null> {
  const { localSocketOf } = await import('../../api/src/edge/local-address.js');
  const socketPath = localSocketOf(dataFolder);
  if (socketPath === null || !(await isAnswering(socketPath))) return null;
  return { transport: 'server', send: (call) => sendTo(socketPath, call, {}), close: () => Promise.resolve() };
}

async function openFolder(config: Config, headers: Record<string, string>): Promise<Client> {
  const { openInProcess } = await import('../../api/src/main.in-process.js');
  const { refusalOf } = await import('../../api/src/main.refusal.js');
  try {
    const app = await openInProcess(config);
    const send = async ({ method, path, body, headers: more }: Call): Promise<Answer> => {
      const answer = await app.inject({
        method,
        url: path,
        headers: { ...headers, ...more },
        ...(body ? { payload: body } : {}),
      });
      return { status: answer.statusCode, body: parse(answer.payload) };
    };
    return { transport: 'folder', send, close: () => app.close() };
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    throw new CommandError(message, exitCode, { cause: error });
  }
}

/** A socket that nobody listens on is what a killed server left. */
async function isAnswering(socketPath: string): Promise<boolean> {
  try {
    return (await sendTo(socketPath, { method: 'GET', path: '/health/live' }, {})).status === 200;
  } catch {
    return false;
  }
}

function sendTo(socketPath: string, call: Call, headers: Record<string, string>): Promise<Answer> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const typed =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((done, failed) => {
    const lost = (error: Error): void =>
      failed(new CommandError(`the server went away: ${error.message}`, EXIT.unavailable));
    const options = {
      socketPath,
      // A connection that was kept may have been closed at the other end by the next call.
      agent: false as const,
      method: call.method,
      path: call.path,
      headers: { host: 'mace', ...headers, ...typed, ...call.headers },
    };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', lost);
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }),
      );
    });
    request.on('error', lost);
    request.end(body);
  });
}

function parse(text: string): JsonObject {
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}
