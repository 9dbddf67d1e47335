import { type Command, CommanderError } from 'commander';

import { ApiError, ForeignAnswerError } from '#lib/client';

import { ConfigError } from '../../api/src/platform.config.js';
import { contextOf, type Context, type GlobalOptions, tellSteps } from './context.js';
import { CommandError, EXIT, exitCodeOf, type ExitCode } from './exit-codes.js';
import type { Act, Action } from './forms.js';
import { plain, plainText, terminal, type Io } from './io.js';
import { program } from './program.js';

/** Runs one command line and answers its exit code; the process ends when nothing is left to do. */
export async function run(args: readonly string[], io: Io = terminal()): Promise<number> {
  if (args[0] === '--version') {
    io.out((await import('../../api/src/system-version.js')).systemVersion());
    return EXIT.ok;
  }
  // Whoever checks a bundle needs no configuration, and no folder either.
  if (args[0] === 'verify') {
    const { runVerify } = await import('#lib/verifier');
    return runVerify(args.slice(1), { out: (text) => io.out(text.trimEnd()), say: (text) => io.say(text.trimEnd()) });
  }
  let exitCode: ExitCode = EXIT.ok;
  const act: Act = async (command, action) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    try {
      const context = contextOf(io, options, nameOf(command));
      exitCode = await withContext(context, action);
    } catch (error) {
      exitCode = explain(io, error, options.json ?? false);
    }
  };
  try {
    await program(act).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode;
}

/** Its words behind `mace`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

async function withContext(context: Context, action: Action): Promise<ExitCode> {
  const interrupt = (): void => void endInterrupted(context);
  process.once('SIGINT', interrupt);
  try {
    const exitCode = await action(context);
    tellSteps(context);
    return exitCode;
  } finally {
    await context.close();
    process.off('SIGINT', interrupt);
  }
}

async function endInterrupted(context: Context): Promise<void> {
  process.once('SIGINT', () => process.exit(EXIT.interrupted));
  await context.close().catch(() => undefined);
  process.exit(EXIT.interrupted);
}

/** Tells what went wrong: the person's message first, then what a developer needs. */
function explain(io: Io, error: unknown, json: boolean): ExitCode {
  if (error instanceof ApiError) {
    const { envelope } = error;
    if (json) io.out(JSON.stringify(envelope, null, 2));
    io.say(plain(envelope.user_message));
    io.say(plain(`  ${envelope.error_code}: ${envelope.developer_message}`));
    return exitCodeOf(envelope.error_code);
  }
  if (error instanceof CommandError) {
    io.say(plainText(`mace: ${error.message}`));
    return error.exitCode;
  }
  if (error instanceof ForeignAnswerError) {
    const said = plain(error.message);
    io.say(`mace: what answers there is no MACE, or something stands before it: ${said} (status ${error.status})`);
    return EXIT.unavailable;
  }
  if (error instanceof ConfigError) {
    io.say(`mace: ${error.message}`);
    return EXIT.usage;
  }
  throw error;
}
