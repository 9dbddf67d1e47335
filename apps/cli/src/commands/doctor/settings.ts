import { readdirSync } from 'node:fs';

import { tracingProblem } from '#lib/tracing';

import { ConfigurationFileError, ConfigurationFolder } from '../../../../api/src/configuration-files.js';
import { type Config, ConfigError, readConfig } from '../../../../api/src/platform.config.js';
import { emptyKeys } from '../../../../api/src/settings/services.js';
import { EXIT } from '../../exit-codes.js';
import { fail, type Finding, ok, warn } from './finding.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which setting asks for another that is missing: without it the rest can be looked at. */
const ASKED_BY: Readonly<Record<string, string>> = {
  MACE_KEYS_FILE: 'MACE_MODE',
  MACE_ORIGIN: 'MACE_ROLE',
  MACE_EVENT_STORE: 'MACE_ROLE',
  MACE_READ_STORE: 'MACE_ROLE',
  EVENTSTORE_URL: 'MACE_EVENT_STORE',
  MONGODB_URL: 'MACE_READ_STORE',
  REDIS_URL: 'MACE_CACHE',
  MACE_KMS_TOKEN_FILE: 'MACE_KMS_URL',
  MACE_OIDC_CLIENT_ID: 'MACE_OIDC_ISSUER',
  MACE_PUBLIC_URL: 'MACE_OIDC_ISSUER',
  MACE_JWKS_URL: 'MACE_OIDC_ISSUER',
  MACE_WITNESS_URL: 'MACE_WITNESS_KEY',
  MACE_WITNESS_KEY: 'MACE_WITNESS_URL',
};
/** Read by others than the configuration: by tests, by what starts the process, and by commands that act as somebody. */
const OTHERS = /^MACE_(?:(?:TEST|BENCH|SIMULATION)_|TOKEN(?:_FILE)?$)/;

/** Every setting that cannot be meant, and the configuration without those. */
export function settings(env: Environment): { readonly findings: Finding[]; readonly config: Config } {
  const findings: Finding[] = [];
  const asked = new Set<string>();
  let left: Environment = { ...env };
  for (;;) {
    try {
      const config = readConfig(noting(left, asked));
      if (findings.length === 0) findings.push(ok('settings', `${given(env, asked).length} given, all can be meant`));
      return { findings: [...findings, ...passedOver(env, asked), ...openTelemetry(env)], config };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const [name = '', form = ''] = split(error.message);
      // One that cannot be meant is missing next.
      const isSaid = findings.some(({ check }) => check === name);
      const found = left[name] ? 'cannot be meant' : 'is missing';
      if (!isSaid) findings.push(fail(name, found, `allowed: ${form}`, EXIT.usage));
      left = without(left, name);
    }
  }
}

/** Engines that no question goes to, because the variable of their key holds nothing. */
export function languageEngines({ llmProviders }: Pick<Config, 'llmProviders'>, env: Environment): Finding[] {
  const name = 'MACE_LLM_PROVIDERS';
  if (llmProviders.length === 0) return [];
  const empty = emptyKeys(llmProviders, env);
  if (empty.length === 0) return [ok(name, `${llmProviders.length} engines, each with a key`)];
  return [warn(name, `${empty.join(', ')} ${empty.length === 1 ? 'is' : 'are'} empty`, KEY_HINT)];
}

const KEY_HINT =
  'set the variable to the key of its engine, which is not asked before; one that needs no key takes any text';

/** @param folder the folder `config/` */
export function configurationFiles(folder: string): Finding[] {
  const configuration = new ConfigurationFolder(folder);
  const names = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const faults = names.sort().flatMap((file) => {
    try {
      configuration.read(file.slice(0, -'.json'.length));
      return [];
    } catch (error) {
      if (!(error instanceof ConfigurationFileError)) throw error;
      const [name = '', reason = ''] = split(error.message);
      return [fail(name, reason, 'mend it, or put back the one of the release', EXIT.usage)];
    }
  });
  return faults.length > 0 ? faults : [ok('config/*.json', `${names.length} files, all can be meant`)];
}

function openTelemetry(env: Environment): Finding[] {
  const problem = tracingProblem(env);
  return problem ? [fail(problem.name, 'cannot be meant', `allowed: ${problem.form}`, EXIT.usage)] : [];
}

function noting(env: Environment, asked: Set<string>): Environment {
  return new Proxy(env, {
    get: (target, name) => {
      asked.add(String(name));
      return Reflect.get(target, name) as string | undefined;
    },
  });
}

function given(env: Environment, asked: ReadonlySet<string>): string[] {
  return [...asked].filter((name) => (env[name] ?? '') !== '');
}

/** A misspelt name changes nothing, and nobody else would say so. */
function passedOver(env: Environment, asked: ReadonlySet<string>): Finding[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('MACE_') && !asked.has(name) && !OTHERS.test(name))
    .map((name) =>
      warn(name, 'nobody reads it with these settings', 'mend its name (docs/running.md), or take it away'),
    );
}

/** @throws ConfigError where taking it away would change nothing */
function without(env: Environment, name: string): Environment {
  const gone = (env[name] ?? '') === '' ? ASKED_BY[name] : name;
  if (gone === undefined || (env[gone] ?? '') === '') throw new ConfigError(name, 'it cannot be done without');
  return Object.fromEntries(Object.entries(env).filter(([one]) => one !== gone && one !== `${gone}_FILE`));
}

function split(message: string): readonly string[] {
  const at = message.indexOf(': ');
  return [message.slice(0, at), message.slice(at + 2)];
}
