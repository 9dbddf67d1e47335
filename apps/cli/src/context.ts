import { readConfig, type Config } from '../../api/src/platform.config.js';
import { answerOf, openClient, type Call, type Client } from './client.js';
import type { Io } from './io.js';

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly data?: string;
  readonly token?: string;
  readonly dryRun?: boolean;
}

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly json: boolean;
  readonly dryRun: boolean;
  /** Read when it is first asked for. @throws ConfigError */
  readonly config: Config;
  /** The environment with the command line's own settings in it. */
  readonly env: NodeJS.ProcessEnv;
  /** Opened at the first call, closed when the command ends. */
  client(): Promise<Client>;
  /** @throws EnvelopeError */
  answer<T = Record<string, unknown>>(call: Call): Promise<T>;
  close(): Promise<void>;
}

export function contextOf(io: Io, options: GlobalOptions): Context {
  const env = { ...process.env, ...(options.data === undefined ? {} : { MACE_DATA_DIR: options.data }) };
  let read: Config | undefined;
  const configOf = (): Config => (read ??= readConfig(env));
  let opened: Promise<Client> | undefined;
  const client = (): Promise<Client> => (opened ??= openClient(quiet(configOf(), env), options.token));
  return {
    io,
    json: options.json ?? false,
    dryRun: options.dryRun ?? false,
    get config(): Config {
      return configOf();
    },
    env,
    client,
    answer: async (call) => answerOf(await client(), call),
    // Where opening failed there is nothing to close, and whoever asked knows of it.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** Says what a command would ask for, where that is all it should do. */
export function rehearsed({ dryRun, io }: Context, { method, path, body }: Call): boolean {
  if (dryRun) io.out(`would send ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
  return dryRun;
}

/** A command that opens the folder itself says what it found, not how; unless one asks for it. */
function quiet(config: Config, env: NodeJS.ProcessEnv): Config {
  return env['MACE_LOG_LEVEL'] === undefined ? { ...config, logLevel: 'warn' } : config;
}
