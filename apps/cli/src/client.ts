import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import {
  ApiError,
  createClient,
  type FollowedEvent,
  isEnvelope,
  NoAnswerError,
  socketStream,
  socketTransport,
  type StreamTransport,
  type Transport,
} from '#lib/client';
import type { JsonObject } from '#lib/kernel';

import type { Config } from '../../api/src/platform.config.js';
import { CommandError, EXIT } from './exit-codes.js';
import { refuseNothing } from './nothing-there.js';

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
  /**
   * The events of a stream, over restarts of the server; the last is `closed`. @param after from now on where absent
   * @throws ApiError; the signal's reason
   */
  follow(path: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<FollowedEvent, void>;
  close(): Promise<void>;
}

/** The body of a successful answer. @throws ApiError */
export async function answerOf<T = JsonObject>(client: Client, call: Call): Promise<T> {
  const { body } = await client.send(call);
  if (isEnvelope(body)) throw new ApiError(body);
  return body as T;
}

/** How long a command waits for a folder that another process has. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;
/** Longer than anything that one call waits for. */
const CALL_MS = 600_000;

export interface Opening {
  /** Acts as its holder; without one as the principal `local`. */
  readonly token?: string | undefined;
  /** Makes the folder where there is none. */
  readonly begins?: boolean;
}

/** @throws CommandError where the folder can be neither reached nor opened, or there is none */
export async function openClient(config: Config, { token, begins = false }: Opening = {}): Promise<Client> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { localSocketOf } = await import('../../api/src/edge/local-address.js');
  const { DataFolderInUseError } = await import('#lib/sqlite');
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const socketPath = localSocketOf(config.dataDir);
    if (socketPath !== null && (await isAnswering(socketPath))) {
      return clientOn(socketPath, headers);
    }
    if (!begins) refuseNothing(config);
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
  return clientOn(socketPath, {});
}

/** The same. @throws CommandError where none answers */
export async function runningServer(dataFolder: string): Promise<Client> {
  const server = await serverOn(dataFolder);
  if (server) return server;
  const todo =
    '`mace serve` starts one, `mace doctor` looks at what a start would find; --data or MACE_DATA_DIR names another';
  throw new CommandError(`no server runs on the data folder ${resolve(dataFolder)}: ${todo}`, EXIT.unavailable);
}

function clientOn(socketPath: string, credentials: Readonly<Record<string, string>>): Client {
  const ways = { server: socketTransport(socketPath), stream: socketStream(socketPath) };
  return clientOver('server', ways, credentials, () => Promise.resolve());
}

async function openFolder(config: Config, headers: Record<string, string>): Promise<Client> {
  const { openInProcess } = await import('../../api/src/main.in-process.js');
  const { refusalOf } = await import('../../api/src/main.refusal.js');
  try {
    const app = await openInProcess(config);
    const transport: Transport = async ({ method, target, headers: given, body }) => {
      const payload = body === undefined ? {} : { payload: body };
      const answer = await app.inject({ method, url: target, headers: given, ...payload });
      return { status: answer.statusCode, headers: textsOf(answer.headers), body: answer.rawPayload };
    };
    const stream: StreamTransport = async ({ method, target, headers: given, signal }) => {
      const answer = await app.inject({ method, url: target, headers: given, signal, payloadAsStream: true });
      return { status: answer.statusCode, headers: textsOf(answer.headers), body: answer.stream() };
    };
    return clientOver('folder', { server: transport, stream }, headers, () => app.close());
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    throw new CommandError(message, exitCode, { cause: error });
  }
}

/** A socket that nobody listens on is what a killed server left. */
async function isAnswering(socketPath: string): Promise<boolean> {
  try {
    const live = { method: 'GET', target: '/health/live', headers: {}, body: undefined };
    return (await socketTransport(socketPath)({ ...live, signal: AbortSignal.timeout(CALL_MS) })).status === 200;
  } catch {
    return false;
  }
}

/** A command makes each call once: whoever runs it sees what came of it, and decides. */
function clientOver(
  transport: Client['transport'],
  ways: { readonly server: Transport; readonly stream: StreamTransport },
  credentials: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): Client {
  const mace = createClient({ ...ways, tries: 1, timeoutMs: CALL_MS });
  const send = async ({ method, path, body, headers }: Call): Promise<Answer> => {
    try {
      const answer = await mace.send({ method, target: path, body, headers: { ...credentials, ...headers } });
      return { status: answer.status, body: answer.body as JsonObject };
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw wentAway(error);
    }
  };
  // What is followed is followed on after a restart, unlike a call that is made once.
  const follower = createClient(ways);
  const follow: Client['follow'] = async function* (path, after, signal) {
    const given = { signal, headers: credentials, ...(after === undefined ? {} : { after }) };
    try {
      yield* follower.followTarget(path, given);
    } catch (error) {
      throw error instanceof NoAnswerError ? wentAway(error) : error;
    }
  };
  return { transport, send, follow, close };
}

function wentAway(error: NoAnswerError): CommandError {
  return new CommandError(`the server went away: ${error.message}`, EXIT.unavailable, { cause: error });
}

function textsOf(headers: Readonly<Record<string, number | string | string[] | undefined>>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
