import { type CacheWatch, GuardedStateCache, RedisStateCache, type StateCache } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import { systemVersion } from './configuration-files.js';
import type { Logger } from './edge/log.js';
import type { Config } from './platform.config.js';

/** A cache that this process shares with others. */
export interface SharedCache {
  readonly states: GuardedStateCache;
  close(): Promise<void>;
}

export interface SharedCacheOptions {
  readonly ring: KeyRing;
  /** What names the log. */
  readonly origin: string;
  readonly watch: CacheWatch;
  readonly log: Logger;
  readonly limits?: Partial<CacheLimits>;
  /** What is put before the cache, so that what is read from it is counted. */
  readonly counted: (cache: StateCache) => StateCache;
}

/** How long and how often a cache outside this process is asked; see GuardOptions. */
export interface CacheLimits {
  readonly timeoutMs: number;
  readonly unawaitedMs: number;
  readonly faultsToOpen: number;
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

/** A read that Redis does not serve within a few milliseconds is not worth waiting for: the log serves it. */
const LIMITS: CacheLimits = { timeoutMs: 5, unawaitedMs: 250, faultsToOpen: 5, pauseMs: 1_000, maxPauseMs: 15_000 };

/** The cache that the configuration names, or the one that is given; undefined where each process keeps its own only. */
export async function openSharedCache(
  { redis }: Pick<Config, 'redis'>,
  given: StateCache | undefined,
  options: SharedCacheOptions,
): Promise<SharedCache | undefined> {
  const { watch, counted } = options;
  if (given) return closing(new GuardedStateCache(counted(given), { watch }), () => Promise.resolve());
  if (redis === undefined) return undefined;
  const { ring, origin, log, limits } = options;
  const cache = await RedisStateCache.open({ url: redis, origin, secret: secretOf(ring, origin) });
  const states = new GuardedStateCache(counted(cache), { watch, ...LIMITS, ...limits });
  await states.start();
  log.info({ cache: redis.shown, state: states.state }, 'states are shared by a cache');
  return closing(states, () => cache.close());
}

/** Another log, another event key and another release, which may fold to another form, read none of these entries. */
function secretOf(ring: KeyRing, origin: string): Buffer {
  return ring.subkey(ring.active('event-hmac'), `state cache of ${origin} in ${systemVersion()}`);
}

function closing(states: GuardedStateCache, close: () => Promise<void>): SharedCache {
  return {
    states,
    close: () => {
      states.close();
      return close();
    },
  };
}
