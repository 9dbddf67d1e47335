import { readFileSync, statSync } from 'node:fs';

import { CommandError, EXIT } from './exit-codes.js';

/** Whose token a command acts with: the command line goes before the environment. */

/** Commands that only who holds the folder may give, and that make tokens: an exported one, which may be old, is not theirs. */
const OF_HOLDER: ReadonlySet<string> = new Set(['token', 'otp enrol']);

interface TokenOptions {
  readonly token?: string;
  readonly tokenFile?: string;
}
type Environment = Readonly<Record<string, string | undefined>>;

const MOST_BYTES = 65_536;

/**
 * @param command its words behind `mace`
 * @returns undefined where none is given anywhere: the command acts as `local`
 * @throws CommandError for one that is given and is none, empty ones too: nobody who names a token means `local`
 */
export function actingToken(command: string, { token, tokenFile }: TokenOptions, env: Environment): string | undefined {
  const byOption = given([
    ['--token', token],
    ['--token-file', tokenFile],
  ]);
  const byEnvironment = given([
    ['MACE_TOKEN', env['MACE_TOKEN']],
    ['MACE_TOKEN_FILE', env['MACE_TOKEN_FILE']],
  ]);
  const [found, second] = byOption.length > 0 || OF_HOLDER.has(command) ? byOption : byEnvironment;
  if (!found) return undefined;
  if (second) throw new CommandError(`${found.name} and ${second.name}: one of them`, EXIT.usage);
  return found.name.toLowerCase().endsWith('file') ? tokenIn(found) : tokenOf(found.name, found.value);
}

interface Given {
  readonly name: string;
  readonly value: string;
}

function given(all: readonly (readonly [string, string | undefined])[]): readonly Given[] {
  return all.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function tokenIn({ name, value: file }: Given): string {
  let text: string;
  try {
    if (statSync(file).size > MOST_BYTES)
      throw new CommandError(`${name}: ${file} holds more than a token`, EXIT.usage);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    throw new CommandError(`${name}: ${file} cannot be read (${code})`, EXIT.failure);
  }
  return tokenOf(`${name}: ${file}`, text);
}

/** The value is not repeated: it may be a token with something beside it. */
function tokenOf(name: string, text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const found = token === '' ? 'is empty' : 'is no token';
  throw new CommandError(
    `${name} ${found}; \`mace token\` prints one, and without one a command acts as \`local\``,
    EXIT.usage,
  );
}
