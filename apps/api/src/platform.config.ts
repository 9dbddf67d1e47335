import { ProxyAddressError, TrustedProxies } from '#lib/access';
import type { RedisUrl, VaultTransitOptions } from '#lib/event-store';
import { isOrigin } from '#lib/verifier';

import { ConfigError, type Environment, given } from './platform.environment.js';
import { type Role, roleOf, sharing } from './platform.role.js';
import { grpc, type GrpcSettings } from './settings/grpc.js';
import {
  type HitlService,
  hitl,
  jwksUrl,
  kms,
  type LlmProvider,
  type Oidc,
  oidc,
  agentHosts,
  providers,
  type Witness,
  witness,
} from './settings/services.js';
import { eventStoreDb, mongoDb, redis, type StoreSettings } from './settings/stores.js';
import { oneOf, wholeNumber } from './settings/values.js';

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
  /** Where browsers reach this server, with a slash at its end; undefined where that is where it listens. */
  readonly publicUrl: URL | undefined;
  /** Where the Negotiation Room takes gRPC calls. */
  readonly grpc: GrpcSettings;
  readonly dataDir: string;
  readonly eventStore: 'embedded' | 'eventstoredb';
  /** Where events are kept outside this process; undefined for the embedded store. */
  readonly eventStoreDb: StoreSettings | undefined;
  /** Where read models, people's data keys and artifacts are kept; undefined where they are in the data folder. */
  readonly mongoDb: StoreSettings | undefined;
  /** What keeps what memory reads for all processes; undefined where each keeps its own. */
  readonly redis: RedisUrl | undefined;
  readonly keysFile: string | undefined;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  /** Where an OIDC issuer publishes its keys; undefined where tokens are signed with a key of the ring. */
  readonly jwksUrl: URL | undefined;
  /** By whom people sign in to the console; undefined where links of the command line let them in, or nothing does. */
  readonly oidc: Oidc | undefined;
  /** Undefined where there is no limit. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | undefined;
  /** Whose X-Forwarded-For is believed. */
  readonly trustProxy: TrustedProxies;
  /** The key service that holds the key-encryption key; undefined where it is in the key file. */
  readonly kms: VaultTransitOptions | undefined;
  /** Most bytes that all stores of the data folder may take; undefined where there is no limit. */
  readonly storageQuotaBytes: number | undefined;
  /** Most bytes of one principal's events, jobs and artifacts. */
  readonly principalQuotaBytes: number;
  /** Where several processes run projections and reactors: after how long a silent owner's are taken over; undefined where one does. */
  readonly projectionLeaseMs: number | undefined;
  /** Where several processes run jobs: after how long one that its process does not renew counts as left behind. */
  readonly jobLeaseMs: number;
  /** What becomes of an event that a projection cannot take. */
  readonly projectionPoison: 'halt' | 'park';
  /** What names the log in its checkpoints; undefined where it is drawn at the first start. */
  readonly origin: string | undefined;
  /** Who cosigns checkpoints; undefined where nobody does. */
  readonly witness: Witness | undefined;
  /** Whose HitlService rules on escalated negotiations; undefined where nobody's does. */
  readonly hitl: HitlService | undefined;
  readonly logLevel: LogLevel;
  readonly llmProviders: readonly LlmProvider[];
  /** Hosts where agents of other people may be called. */
  readonly agentHosts: readonly string[];
  /** Whether /graphql tells its schema. */
  readonly graphqlIntrospection: boolean;
}

const MIB = 1024 * 1024;
/** Of one principal, where neither its limit nor that of the whole is given. */
const PRINCIPAL_QUOTA_BYTES = 1024 * MIB;
/** Of the whole. With its read models an event takes up to twice as much and more, so that no fewer than four principals fill it. */
const PRINCIPAL_QUOTA_SHARE = 10;

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
  const quota = megabytes(env, 'MACE_STORAGE_QUOTA_MB');
  const ofPrincipal = quota === undefined ? PRINCIPAL_QUOTA_BYTES : Math.floor(quota / PRINCIPAL_QUOTA_SHARE);
  return sharing({
    mode,
    role: roleOf(env),
    host: given(env, 'MACE_HOST') ?? '127.0.0.1',
    port: wholeNumber(env, 'MACE_PORT', { from: 0, to: 65535 }) ?? 3000,
    metricsPort: wholeNumber(env, 'MACE_METRICS_PORT', { from: 0, to: 65535 }),
    publicUrl: publicUrl(env),
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
    oidc: oidc(env, mode),
    rateLimit: rateLimit(env, mode),
    trustProxy: trustProxy(env),
    kms: kms(env, mode),
    projectionLeaseMs: wholeNumber(env, 'MACE_PROJECTION_LEASE_MS', { from: 1000, to: 600_000 }),
    jobLeaseMs: wholeNumber(env, 'MACE_JOB_LEASE_MS', { from: 1000, to: 600_000 }) ?? 10_000,
    projectionPoison: oneOf(env, 'MACE_PROJECTION_POISON', ['halt', 'park']),
    storageQuotaBytes: quota,
    principalQuotaBytes: megabytes(env, 'MACE_PRINCIPAL_QUOTA_MB') ?? ofPrincipal,
    origin: origin(env),
    witness: witness(env),
    hitl: hitl(env),
    logLevel: given(env, 'MACE_LOG_LEVEL') === undefined ? 'info' : oneOf(env, 'MACE_LOG_LEVEL', LOG_LEVELS),
    llmProviders: providers(env),
    agentHosts: agentHosts(env),
    graphqlIntrospection: introspection(env, mode),
  });
}

/** In bytes. */
function megabytes(env: Environment, name: string): number | undefined {
  const value = wholeNumber(env, name, { from: 1, to: 1_000_000_000 });
  return value === undefined ? undefined : value * MIB;
}

/** @throws ConfigError */
function trustProxy(env: Environment): TrustedProxies {
  try {
    return TrustedProxies.of(given(env, 'MACE_TRUST_PROXY') ?? 'off');
  } catch (error) {
    if (error instanceof ProxyAddressError) throw new ConfigError('MACE_TRUST_PROXY', error.message);
    throw error;
  }
}

/** @throws ConfigError */
function publicUrl(env: Environment): URL | undefined {
  const value = given(env, 'MACE_PUBLIC_URL');
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !/^[A-Za-z0-9._~/-]*$/.test(url.pathname))
    throw new ConfigError('MACE_PUBLIC_URL', 'where browsers reach this server, such as https://example.com/mace');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function origin(env: Environment): string | undefined {
  const value = given(env, 'MACE_ORIGIN');
  if (value === undefined || isOrigin(value)) return value;
  throw new ConfigError('MACE_ORIGIN', 'a name such as example.com/mace: 1-200 of A-Za-z0-9._/-');
}

/** On in development, off in production, unless it is said. */
function introspection(env: Environment, mode: Config['mode']): boolean {
  const name = 'MACE_GRAPHQL_INTROSPECTION';
  return given(env, name) === undefined ? mode === 'development' : oneOf(env, name, ['on', 'off']) === 'on';
}

/** No limit in development, where nothing else is said. */
function rateLimit(env: Environment, mode: Config['mode']): Config['rateLimit'] {
  const value = given(env, 'MACE_RATE_LIMIT') ?? (mode === 'production' ? '6000/60' : 'off');
  if (value === 'off') return undefined;
  const [, requests, seconds] = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})$/.exec(value) ?? [];
  if (requests === undefined) throw new ConfigError('MACE_RATE_LIMIT', 'off, or requests per seconds such as 600/60');
  return { requests: Number(requests), seconds: Number(seconds) };
}
