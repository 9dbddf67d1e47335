import { isIP } from 'node:net';

import type { VaultTransitOptions } from '#lib/event-store';
import { COSIGNATURE, parseVkey, type VerifierKey } from '#lib/verifier';

import { ConfigError, type Environment, given, secret } from '../platform.environment.js';
import { wholeNumber } from './values.js';

/** Servers that this one calls beside its stores: a key service, an issuer of tokens, a witness, people, language engines. */

type Mode = 'development' | 'production';

/** Who cosigns checkpoints. */
export interface Witness {
  readonly url: string;
  readonly key: VerifierKey;
}

/** Who rules on escalated negotiations. */
export interface HitlService {
  readonly address: string;
  readonly isTls: boolean;
}

export interface LlmProvider {
  readonly base_url: string;
  readonly api_key_env: string;
  readonly model: string;
  readonly timeout_ms: number;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** @throws ConfigError */
export function kms(env: Environment, mode: Mode): VaultTransitOptions | undefined {
  const url = given(env, 'MACE_KMS_URL');
  if (url === undefined) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isSafe = parsed?.protocol === 'https:' || (mode === 'development' && LOOPBACK.includes(parsed?.hostname ?? ''));
  if (!parsed || !isSafe || parsed.username !== '' || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new ConfigError('MACE_KMS_URL', 'an https URL without credentials; http on this machine in development');
  }
  const [file, value] = [given(env, 'MACE_KMS_TOKEN_FILE'), given(env, 'MACE_KMS_TOKEN')];
  if ((file === undefined) === (value === undefined)) {
    throw new ConfigError('MACE_KMS_TOKEN_FILE', 'the path of the file with the token, or MACE_KMS_TOKEN; one of them');
  }
  const timeoutMs = wholeNumber(env, 'MACE_KMS_TIMEOUT_MS', { from: 1, to: 60_000 });
  return {
    url,
    mount: pathPart(env, 'MACE_KMS_MOUNT') ?? 'transit',
    key: pathPart(env, 'MACE_KMS_KEY') ?? 'mace',
    token: file === undefined ? { value: value! } : { file },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function pathPart(env: Environment, name: string): string | undefined {
  const value = given(env, name);
  if (value !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(value)) throw new ConfigError(name, '1-64 of A-Za-z0-9_-');
  return value;
}

/** Keys that came in clear text over a network could be anybody's. @throws ConfigError */
export function jwksUrl(env: Environment, mode: Mode): URL | undefined {
  const value = given(env, 'MACE_JWKS_URL');
  if (value === undefined) return undefined;
  const url = ofIssuer(value, mode);
  if (url) return url;
  throw new ConfigError('MACE_JWKS_URL', 'an https URL of the issuer’s key set, without a password in it');
}

/** Plain http is for development, and for this machine. */
function ofIssuer(value: string, mode: Mode): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHere = url !== undefined && LOOPBACK.includes(url.hostname);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && (isHere || mode === 'development'));
  return secure && url.username === '' && url.password === '' ? url : undefined;
}

/** By whom people sign in to the console. */
export interface Oidc {
  readonly issuer: URL;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
}

/** @throws ConfigError */
export function oidc(env: Environment, mode: Mode): Oidc | undefined {
  const value = given(env, 'MACE_OIDC_ISSUER');
  if (value === undefined) return undefined;
  const issuer = ofIssuer(value, mode);
  if (!issuer || `${issuer.search}${issuer.hash}` !== '')
    throw new ConfigError(
      'MACE_OIDC_ISSUER',
      'the https URL that the issuer calls itself by, without a password or a query in it',
    );
  const clientId = needed(env, 'MACE_OIDC_CLIENT_ID', 'the id under which the console is registered at the issuer');
  needed(env, 'MACE_PUBLIC_URL', 'where browsers reach this server, to which the issuer sends them back');
  needed(env, 'MACE_JWKS_URL', 'the issuer’s key set, with which its access tokens are verified');
  const scope = given(env, 'MACE_OIDC_SCOPE') ?? 'openid';
  if (!/^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/.test(scope) || !scope.split(' ').includes('openid'))
    throw new ConfigError('MACE_OIDC_SCOPE', 'names with a space between them, openid among them');
  return { issuer, clientId, clientSecret: secret(env, 'MACE_OIDC_CLIENT_SECRET'), scope };
}

/** What a sign-in by an issuer cannot do without. @throws ConfigError */
function needed(env: Environment, name: string, form: string): string {
  const value = given(env, name);
  if (value === undefined) throw new ConfigError(name, `${form}; MACE_OIDC_ISSUER needs it`);
  return value;
}

/** What a witness says is signed, so that plain http tells nobody anything wrong. @throws ConfigError */
export function witness(env: Environment): Witness | undefined {
  const [url, vkey] = [given(env, 'MACE_WITNESS_URL'), given(env, 'MACE_WITNESS_KEY')];
  if (url === undefined && vkey === undefined) return undefined;
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!parsed || !isHttp || parsed.username !== '' || parsed.search !== '') {
    throw new ConfigError('MACE_WITNESS_URL', 'an http or https URL without credentials, with MACE_WITNESS_KEY');
  }
  const form = 'the witness’s verifier key, as `mace witness serve` prints it: <name>+<8 hex>+<base64>';
  try {
    const key = parseVkey(vkey ?? '');
    if (key.type === COSIGNATURE) return { url: parsed.href.replace(/\/+$/, ''), key };
  } catch {
    throw new ConfigError('MACE_WITNESS_KEY', form);
  }
  throw new ConfigError('MACE_WITNESS_KEY', form);
}

/** @throws ConfigError */
export function hitl(env: Environment): HitlService | undefined {
  const value = given(env, 'MACE_HITL_URL');
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = url?.protocol === 'http:';
  const isWhole = url !== undefined && (isPlain || url.protocol === 'https:') && url.port !== '';
  if (!isWhole || url.username !== '' || url.pathname !== '/' || url.search !== '')
    throw new ConfigError(
      'MACE_HITL_URL',
      'http://host:port, or https://host:port for TLS, of a sw4rm.hitl.HitlService',
    );
  return { address: url.host, isTls: !isPlain };
}

/** @throws ConfigError */
export function providers(env: Environment): readonly LlmProvider[] {
  const name = 'MACE_LLM_PROVIDERS';
  const text = given(env, name);
  if (text === undefined) return [];
  const form = 'a JSON list of {"base_url": URL, "api_key_env": name, "model": name, "timeout_ms": 1-600000}';
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new ConfigError(name, form);
  }
  if (!Array.isArray(list) || !list.every(isProvider)) throw new ConfigError(name, form);
  return list;
}

/** @throws ConfigError */
export function agentHosts(env: Environment): readonly string[] {
  const entries = (given(env, 'MACE_AGENT_HOSTS') ?? '').split(',').map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== '');
  if (listed.every(isHostEntry)) return listed;
  throw new ConfigError(
    'MACE_AGENT_HOSTS',
    'hosts (agents.example.com, agents.example.com:8443), addresses (10.1.2.3, 10.1.2.3:8700, [::1]:8700) and networks, with commas between',
  );
}

const NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Whether an entry is of the form that the list holds: `host`, `host:port`, an address, `address:port`, `address/bits`. */
function isHostEntry(entry: string): boolean {
  const [address = '', prefix, more] = entry.split('/');
  const family = isIP(unbracketed(address));
  if (more !== undefined) return false;
  if (prefix !== undefined)
    return family !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
  if (family !== 0) return true;
  const [, name = '', port = '0'] = /^([^:]+|\[.+\])(?::(\d{1,5}))?$/.exec(entry.toLowerCase()) ?? [];
  return Number(port) < 65_536 && (NAME.test(name) || isIP(unbracketed(name)) !== 0);
}

function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** Variables of keys that hold nothing: the engines that need them are not asked (docs/language-engines.md). */
export function emptyKeys(of: readonly LlmProvider[], env: Environment): readonly string[] {
  return [...new Set(of.map(({ api_key_env }) => api_key_env))].filter((name) => (env[name] ?? '').trim() === '');
}

function isProvider(entry: unknown): entry is LlmProvider {
  if (typeof entry !== 'object' || entry === null) return false;
  const { base_url: url, api_key_env: key, model, timeout_ms: timeout } = entry as Record<string, unknown>;
  const texts = [url, key, model].every((text) => typeof text === 'string' && text !== '');
  return (
    texts &&
    URL.canParse(url as string) &&
    Number.isInteger(timeout) &&
    Number(timeout) >= 1 &&
    Number(timeout) <= 600_000
  );
}
