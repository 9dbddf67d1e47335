import { ConfigError, type Environment, given } from '../platform.environment.js';

/** One of the allowed texts; the first where nothing is said. @throws ConfigError */
export function oneOf<const T extends string>(env: Environment, name: string, allowed: readonly [T, ...T[]]): T {
  const value = given(env, name);
  if (value === undefined) return allowed[0];
  const found = allowed.find((one) => one === value);
  if (found === undefined)
    throw new ConfigError(
      name,
      allowed.length === 1 ? `${allowed[0]}, in this release` : `one of ${allowed.join(', ')}`,
    );
  return found;
}

/** Digits only; undefined where nothing is said. @throws ConfigError */
export function wholeNumber(
  env: Environment,
  name: string,
  { from, to }: { from: number; to: number },
): number | undefined {
  const value = given(env, name);
  if (value === undefined) return undefined;
  const number = /^[0-9]{1,12}$/.test(value) ? Number(value) : NaN;
  if (!(number >= from && number <= to)) throw new ConfigError(name, `a whole number from ${from} to ${to}`);
  return number;
}
