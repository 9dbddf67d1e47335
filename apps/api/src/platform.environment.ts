import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be meant; the message names it and its allowed form. */
export class ConfigError extends Error {
  constructor(name: string, form: string) {
    super(`${name}: ${form}`);
    this.name = 'ConfigError';
  }
}

/** An empty text counts as not set. @throws ConfigError */
export function given(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  if (/[\0\r\n]/.test(value)) throw new ConfigError(name, 'one line of text');
  return value;
}

/**
 * A setting that holds a password: itself, or in the file that `<name>_FILE` names, so that it stands in no environment,
 * which whoever may look at a process or a container can read. The file holds one line, with or without its end.
 * @throws ConfigError
 */
export function secret(env: Environment, name: string): string | undefined {
  const inFile = `${name}_FILE`;
  const [value, path] = [given(env, name), given(env, inFile)];
  if (path === undefined) return value;
  if (value !== undefined)
    throw new ConfigError(inFile, `the path of a file with ${name}, or ${name} itself; not both`);
  const text = contentOf(path, inFile).replace(/\r?\n$/, '');
  if (text === '' || /[\0\r\n]/.test(text)) throw new ConfigError(inFile, `${path} must hold one line of text`);
  return text;
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      name,
      `${path} cannot be read (${code ?? 'unknown fault'}); the path of a file with one line`,
    );
  }
}
