import {
  EventStoreDbUrlError,
  parseEventStoreDbUrl,
  parseRedisUrl,
  type RedisUrl,
  RedisUrlError,
} from '#lib/event-store';
import { MongoUrlError, parseMongoUrl } from '#lib/mongodb';

import { ConfigError, type Environment, secret } from '../platform.environment.js';
import { wholeNumber } from './values.js';

/** A server that a start cannot do without. */
export interface StoreSettings {
  /** The connection string, with its password. */
  readonly url: string;
  /** The same without it, for people. */
  readonly shown: string;
  /** How long a start waits for the server. */
  readonly waitMs: number;
}

const DEFAULT_WAIT_S = 30;

/** @throws ConfigError */
export function eventStoreDb(env: Environment): StoreSettings {
  const url = address(env, 'EVENTSTORE_URL', {
    form: 'the connection string of EventStoreDB, such as esdb://user:password@host:2113?tls=true',
    neededBy: 'MACE_EVENT_STORE=eventstoredb',
  });
  const { shown } = parsed('EVENTSTORE_URL', EventStoreDbUrlError, () => parseEventStoreDbUrl(url));
  return { url, shown, waitMs: waitMs(env, 'MACE_EVENT_STORE_WAIT_S') };
}

/** @throws ConfigError */
export function mongoDb(env: Environment): StoreSettings {
  const url = address(env, 'MONGODB_URL', {
    form: 'the connection string of MongoDB, such as mongodb://user:password@host:27017/mace?replicaSet=rs0',
    neededBy: 'MACE_READ_STORE=mongodb',
  });
  const { shown } = parsed('MONGODB_URL', MongoUrlError, () => parseMongoUrl(url));
  return { url, shown, waitMs: waitMs(env, 'MACE_READ_STORE_WAIT_S') };
}

/** A start waits for no cache. @throws ConfigError */
export function redis(env: Environment): RedisUrl {
  const url = address(env, 'REDIS_URL', {
    form: 'the address of a Redis, such as rediss://user:password@host:6379/0',
    neededBy: 'MACE_CACHE=redis',
  });
  return parsed('REDIS_URL', RedisUrlError, () => parseRedisUrl(url));
}

function address(env: Environment, name: string, { form, neededBy }: { form: string; neededBy: string }): string {
  const url = secret(env, name);
  if (url === undefined) throw new ConfigError(name, `${form}; ${neededBy} needs it`);
  return url;
}

function parsed<T>(name: string, Fault: new (message: string) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ConfigError(name, error.message);
  }
}

function waitMs(env: Environment, name: string): number {
  return (wholeNumber(env, name, { from: 0, to: 3600 }) ?? DEFAULT_WAIT_S) * 1000;
}
