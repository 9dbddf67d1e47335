import {
  EventStoreDbUrlError,
  parseEventStoreDbUrl,
  parseRedisUrl,
  type RedisUrl,
  RedisUrlError,
  type VaultTransitOptions,
} from '#lib/event-store';
import { MongoUrlError, parseMongoUrl } from '#lib/mongodb';
import { COSIGNATURE, isOrigin, parseVkey, type VerifierKey } from '#lib/verifier';

import { ConfigError, type Environment, given, secret } from './platform.environment.js';
import { type Role, roleOf, sharing } from './platform.role.js';

export { ConfigError };

/** The process's settings, from the environment and nowhere else (spec/api.md, "Configuration"). */
export interface Config {
  readonly mode: 'development' | 'production';
  readonly role: Role;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Where metrics are served, there and nowhere else; undefined where they are with everything. */
  readonly metricsPort: number | undefined;
  /** Where the Negotiation Room takes gRPC calls. */
  readonly grpc: GrpcSettings;
  readonly dataDir: string;
  readonly eventStore: 'embedded' | 'eventstoredb';
  /** Where events are kept outside this process; undefined for the embedded store. */
  readonly eventStoreDb: EventStoreDbSettings | undefined;
  /** Where read models, people's data keys and artifacts are kept; undefined where they are in the data folder. */
  readonly mongoDb: MongoDbSettings | undefined;
  /** What keeps what memory reads for all processes; undefined where each keeps its own. */
  readonly redis: RedisUrl | undefined;
  readonly keysFile: string | undefined;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  /** Where an OIDC issuer publishes its keys; undefined where tokens are signed with a key of the ring. */
  readonly jwksUrl: URL | undefined;
  /** Undefined where there is no limit. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | undefined;
  /** The key service that holds the key-encryption key; undefined where it is in the key file. */
  readonly kms: VaultTransitOptions | undefined;
  readonly storageQuotaBytes: number | undefined;
  /** Where several processes run projections and reactors: after how long a silent owner's are taken over; undefined where one does. */
  readonly projectionLeaseMs: number | undefined;
  /** Where several processes run jobs: after how long one that its process does not renew counts as left behind. */
  readonly jobLeaseMs: number;
  /** What becomes of an event that a projection cannot take. */
  readonly projectionPoison: 'halt' | 'park';
  /** What names the log in its checkpoints; undefined where it is drawn at the first start. */
  readonly origin: string | undefined;
  /** Who cosigns checkpoints; undefined where nobody does. */
  readonly witness: { readonly url: string; readonly key: VerifierKey } | undefined;
  /** Whose HitlService rules on escalated negotiations; undefined where nobody's does. */
  readonly hitl: { readonly address: string; readonly isTls: boolean } | undefined;
  readonly logLevel: LogLevel;
  readonly llmProviders: readonly LlmProvider[];
  /** Whether /graphql tells its schema. */
  readonly graphqlIntrospection: boolean;
}

export interface GrpcSettings {
  /** 0 lets the system choose. */
  readonly port: number;
  /** False where nobody named the port: then a start goes on where another process has it. */
  readonly isGiven: boolean;
  /** Paths of PEM files; undefined where calls are taken without TLS. */
  readonly tls: { readonly cert: string; readonly key: string; readonly clientCa: string | undefined } | undefined;
}

export interface EventStoreDbSettings {
  /** The connection string, with its password. */
  readonly url: string;
  /** The same without it, for people. */
  readonly shown: string;
  /** How long a start waits for the server. */
  readonly waitMs: number;
}

export interface MongoDbSettings {
  /** The connection string, with its password. */
  readonly url: string;
  /** The same without it, for people. */
  readonly shown: string;
  /** How long a start waits for the server. */
  readonly waitMs: number;
}

export interface LlmProvider {
  readonly base_url: string;
  readonly api_key_env: string;
  readonly model: string;
  readonly timeout_ms: number;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** @throws ConfigError */
export function readConfig(env: Environment): Config {
  const mode = oneOf(env, 'MACE_MODE', ['development', 'production']);
  const keysFile = given(env, 'MACE_KEYS_FILE');
  if (mode === 'production' && keysFile === undefined) {
    throw new ConfigError(
      'MACE_KEYS_FILE',
      'the path of the key file; MACE_MODE=production does not draw keys of its own',
    );
  }
  const readStore = oneOf(env, 'MACE_READ_STORE', ['embedded', 'mongodb']);
  const cache = oneOf(env, 'MACE_CACHE', ['memory', 'redis']);
  const eventStore = oneOf(env, 'MACE_EVENT_STORE', ['embedded', 'eventstoredb']);
  const quota = wholeNumber(env, 'MACE_STORAGE_QUOTA_MB', { from: 1, to: 1_000_000_000 });
  return sharing({
    mode,
    role: roleOf(env),
    host: given(env, 'MACE_HOST') ?? '127.0.0.1',
    port: wholeNumber(env, 'MACE_PORT', { from: 0, to: 65535 }) ?? 3000,
    metricsPort: wholeNumber(env, 'MACE_METRICS_PORT', { from: 0, to: 65535 }),
    grpc: grpc(env),
    dataDir: given(env, 'MACE_DATA_DIR') ?? './data',
    eventStore,
    eventStoreDb: eventStore === 'eventstoredb' ? eventStoreDb(env) : undefined,
    mongoDb: readStore === 'mongodb' ? mongoDb(env) : undefined,
    redis: cache === 'redis' ? redis(env) : undefined,
    keysFile,
    jwtIssuer: given(env, 'MACE_JWT_ISSUER') ?? 'mace',
    jwtAudience: given(env, 'MACE_JWT_AUDIENCE') ?? 'mace',
    jwksUrl: jwksUrl(env, mode),
    rateLimit: rateLimit(env, mode),
    kms: kms(env, mode),
    projectionLeaseMs: wholeNumber(env, 'MACE_PROJECTION_LEASE_MS', { from: 1000, to: 600_000 }),
    jobLeaseMs: wholeNumber(env, 'MACE_JOB_LEASE_MS', { from: 1000, to: 600_000 }) ?? 60_000,
    projectionPoison: oneOf(env, 'MACE_PROJECTION_POISON', ['halt', 'park']),
    storageQuotaBytes: quota === undefined ? undefined : quota * 1024 * 1024,
    origin: origin(env),
    witness: witness(env),
    hitl: hitl(env),
    logLevel: given(env, 'MACE_LOG_LEVEL') === undefined ? 'info' : oneOf(env, 'MACE_LOG_LEVEL', LOG_LEVELS),
    llmProviders: providers(env),
    graphqlIntrospection: introspection(env, mode),
  });
}

const GRPC_PORT = 3001;

function grpc(env: Environment): GrpcSettings {
  const port = wholeNumber(env, 'MACE_GRPC_PORT', { from: 0, to: 65535 });
  // Who lets the system choose the one port has no wish for the other.
  const unsaid = given(env, 'MACE_PORT') === '0' ? 0 : GRPC_PORT;
  return { port: port ?? unsaid, isGiven: port !== undefined, tls: grpcTls(env) };
}

function grpcTls(env: Environment): GrpcSettings['tls'] {
  const [cert, key] = [given(env, 'MACE_GRPC_TLS_CERT'), given(env, 'MACE_GRPC_TLS_KEY')];
  const clientCa = given(env, 'MACE_GRPC_TLS_CLIENT_CA');
  if (cert === undefined && key === undefined && clientCa === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'MACE_GRPC_TLS_CERT' : 'MACE_GRPC_TLS_KEY';
    throw new ConfigError(missing, 'the path of a PEM file; the certificate and its key are given together');
  }
  return { cert, key, clientCa };
}

const DEFAULT_WAIT_S = 30;

function eventStoreDb(env: Environment): EventStoreDbSettings {
  const url = secret(env, 'EVENTSTORE_URL');
  const form = 'the connection string of EventStoreDB, such as esdb://user:password@host:2113?tls=true';
  if (url === undefined) throw new ConfigError('EVENTSTORE_URL', `${form}; MACE_EVENT_STORE=eventstoredb needs it`);
  const wait = wholeNumber(env, 'MACE_EVENT_STORE_WAIT_S', { from: 0, to: 3600 }) ?? DEFAULT_WAIT_S;
  try {
    return { url, shown: parseEventStoreDbUrl(url).shown, waitMs: wait * 1000 };
  } catch (error) {
    if (!(error instanceof EventStoreDbUrlError)) throw error;
    throw new ConfigError('EVENTSTORE_URL', error.message);
  }
}

function mongoDb(env: Environment): MongoDbSettings {
  const url = secret(env, 'MONGODB_URL');
  const form = 'the connection string of MongoDB, such as mongodb://user:password@host:27017/mace?replicaSet=rs0';
  if (url === undefined) throw new ConfigError('MONGODB_URL', `${form}; MACE_READ_STORE=mongodb needs it`);
  const wait = wholeNumber(env, 'MACE_READ_STORE_WAIT_S', { from: 0, to: 3600 }) ?? DEFAULT_WAIT_S;
  try {
    return { url, shown: parseMongoUrl(url).shown, waitMs: wait * 1000 };
  } catch (error) {
    if (!(error instanceof MongoUrlError)) throw error;
    throw new ConfigError('MONGODB_URL', error.message);
  }
}

function redis(env: Environment): RedisUrl {
  const url = secret(env, 'REDIS_URL');
  const form = 'the address of a Redis, such as rediss://user:password@host:6379/0';
  if (url === undefined) throw new ConfigError('REDIS_URL', `${form}; MACE_CACHE=redis needs it`);
  try {
    return parseRedisUrl(url);
  } catch (error) {
    if (!(error instanceof RedisUrlError)) throw error;
    throw new ConfigError('REDIS_URL', error.message);
  }
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

function kms(env: Environment, mode: Config['mode']): VaultTransitOptions | undefined {
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

function origin(env: Environment): string | undefined {
  const value = given(env, 'MACE_ORIGIN');
  if (value === undefined || isOrigin(value)) return value;
  throw new ConfigError('MACE_ORIGIN', 'a name such as example.com/mace: 1-200 of A-Za-z0-9._/-');
}

/** What a witness says is signed, so that plain http tells nobody anything wrong. */
function witness(env: Environment): Config['witness'] {
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

function hitl(env: Environment): Config['hitl'] {
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

function pathPart(env: Environment, name: string): string | undefined {
  const value = given(env, name);
  if (value !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(value)) throw new ConfigError(name, '1-64 of A-Za-z0-9_-');
  return value;
}

function oneOf<const T extends string>(env: Environment, name: string, allowed: readonly [T, ...T[]]): T {
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

/** On in development, off in production, unless it is said. */
function introspection(env: Environment, mode: Config['mode']): boolean {
  const name = 'MACE_GRAPHQL_INTROSPECTION';
  return given(env, name) === undefined ? mode === 'development' : oneOf(env, name, ['on', 'off']) === 'on';
}

function wholeNumber(env: Environment, name: string, { from, to }: { from: number; to: number }): number | undefined {
  const value = given(env, name);
  if (value === undefined) return undefined;
  const number = /^[0-9]{1,12}$/.test(value) ? Number(value) : NaN;
  if (!(number >= from && number <= to)) throw new ConfigError(name, `a whole number from ${from} to ${to}`);
  return number;
}

/** No limit in development, where nothing else is said. */
function rateLimit(env: Environment, mode: Config['mode']): Config['rateLimit'] {
  const value = given(env, 'MACE_RATE_LIMIT') ?? (mode === 'production' ? '6000/60' : 'off');
  if (value === 'off') return undefined;
  const [, requests, seconds] = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})$/.exec(value) ?? [];
  if (requests === undefined) throw new ConfigError('MACE_RATE_LIMIT', 'off, or requests per seconds such as 600/60');
  return { requests: Number(requests), seconds: Number(seconds) };
}

/** Keys that came in clear text over a network could be anybody's. */
function jwksUrl(env: Environment, mode: Config['mode']): URL | undefined {
  const value = given(env, 'MACE_JWKS_URL');
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHere = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && (isHere || mode === 'development'));
  if (url === undefined || !secure || url.username !== '' || url.password !== '') {
    throw new ConfigError('MACE_JWKS_URL', 'an https URL of the issuer’s key set, without a password in it');
  }
  return url;
}

function providers(env: Environment): readonly LlmProvider[] {
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
