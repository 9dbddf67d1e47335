import type { JsonObject } from '#lib/kernel';

import { readConfig, type Config } from '../../api/src/platform.config.js';
import { actingToken } from './acting-token.js';
import { answerOf, openClient, serverOn, type Call, type Client } from './client.js';
import type { Io } from './io.js';
import { BEGINNERS } from './nothing-there.js';

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly data?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly dryRun?: boolean;
  readonly requestKey?: string;
}

/** One thing that a command would do: a request that it would send, or what it would change by itself. */
export type Step =
  | { readonly send: Call }
  | {
      /** As it follows "would". */
      readonly change: string;
      /** Paths that would be written. */
      readonly files: readonly string[];
    };

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly json: boolean;
  readonly dryRun: boolean;
  /** What a rehearsal has found so far; told when the command ends. */
  readonly steps: Step[];
  /** Read when it is first asked for. @throws ConfigError */
  readonly config: Config;
  /** The environment with the command line's own settings in it. */
  readonly env: NodeJS.ProcessEnv;
  /** Whose holder the command acts as; as `local` where absent. @throws CommandError */
  readonly token: string | undefined;
  /** A call with the key under which it is to be done once, where one was given. */
  readonly keyed: (call: Call) => Call;
  /** Opened at the first call, closed when the command ends. */
  client(): Promise<Client>;
  /** @throws ApiError */
  answer<T = Record<string, unknown>>(call: Call): Promise<T>;
  close(): Promise<void>;
}

/** @param command its words behind `mace` */
export function contextOf(io: Io, options: GlobalOptions, command: string): Context {
  const env = { ...process.env, ...(options.data === undefined ? {} : { MACE_DATA_DIR: options.data }) };
  let read: Config | undefined;
  const configOf = (): Config => (read ??= readConfig(env));
  let opened: Promise<Client> | undefined;
  const tokenOf = (): string | undefined => actingToken(command, options, env);
  const client = (): Promise<Client> =>
    (opened ??= openClient(quiet(configOf(), env), { token: tokenOf(), begins: BEGINNERS.has(command) }));
  const keyed = (call: Call): Call => underKey(call, options.requestKey);
  return {
    io,
    json: options.json ?? false,
    dryRun: options.dryRun ?? false,
    steps: [],
    keyed,
    get config(): Config {
      return configOf();
    },
    env,
    get token(): string | undefined {
      return tokenOf();
    },
    client,
    answer: async (call) => answerOf(await client(), keyed(call)),
    // Where opening failed there is nothing to close, and whoever asked knows of it.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

function underKey(call: Call, key: string | undefined): Call {
  if (key === undefined || call.method === 'GET') return call;
  return { ...call, headers: { 'idempotency-key': key, ...call.headers } };
}

/** Notes what a command would ask for, where that is all it should do. */
export function rehearsed({ dryRun, steps, keyed }: Context, call: Call): boolean {
  if (dryRun) steps.push({ send: keyed(call) });
  return dryRun;
}

/** Notes what a command would change by itself, where that is all it should do. @param change follows "would" */
export function rehearsedHere({ dryRun, steps }: Context, change: string, ...files: readonly string[]): boolean {
  if (dryRun) steps.push({ change, files });
  return dryRun;
}

/**
 * What has to be read before it is known what is to be sent. A rehearsal asks a server that runs on the folder, and opens
 * no folder for it: then `otherwise`.
 */
export async function readBefore<T>(context: Context, read: () => Promise<T>, otherwise: T): Promise<T> {
  if (context.dryRun && (await serverOn(context.config.dataDir)) === null) return otherwise;
  return read();
}

/** Tells what a rehearsal has found: a line for each step, or one object. */
export function tellSteps({ io, json, steps }: Context): void {
  if (steps.length === 0) return;
  if (json) return io.out(JSON.stringify({ dry_run: true, steps: steps.map(stepOf) }, null, 2));
  for (const step of steps) io.out(`would ${'send' in step ? lineOf(step.send) : step.change}`);
}

function lineOf(call: Call): string {
  const { method, path, body, headers = {} } = call;
  const key = headers['idempotency-key'];
  const shown = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  return `send ${method} ${path}${shown}${key === undefined ? '' : ` with Idempotency-Key: ${key}`}`;
}

function stepOf(step: Step): JsonObject {
  if (!('send' in step)) return { change: step.change, files: [...step.files] };
  const { method, path, body = null, headers = {} } = step.send;
  return { method, path, body, idempotency_key: headers['idempotency-key'] ?? null };
}

/** A command that opens the folder itself says what it found, not how; unless one asks for it. */
function quiet(config: Config, env: NodeJS.ProcessEnv): Config {
  return env['MACE_LOG_LEVEL'] === undefined ? { ...config, logLevel: 'warn' } : config;
}
