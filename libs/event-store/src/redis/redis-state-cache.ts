import type { Socket } from 'node:net';

import type { Redis, RedisOptions } from 'ioredis';

import { CacheEntryError } from '../cache/guarded-state-cache.js';
import type { Folded, StateCache } from '../cache/state-cache.js';
import { faultOf, RedisFault } from './redis-faults.js';
import type { RedisUrl } from './redis-url.js';
import { PURGE, PUT } from './scripts.js';
import { SEAL_BYTES, SealedEntries } from './sealed-entries.js';

/** How long an entry is kept at most, ms (spec/memory.md, "Cache"). */
export const CACHE_LEASE_MS = 1000;

export interface RedisCacheOptions {
  readonly url: RedisUrl;
  /** What names the log; its entries lie beside those of other logs. */
  readonly origin: string;
  /** 32 bytes that only the processes of this log, of one release, have. */
  readonly secret: Buffer;
  /** Default CACHE_LEASE_MS. */
  readonly leaseMs?: number;
  /** Entries at most; the oldest make room. Default 10,000. */
  readonly capacity?: number;
  /** A larger entry is not put, and not taken. Default 256 KiB. */
  readonly maxEntryBytes?: number;
  /** How long a connection may take. Default 1000. */
  readonly connectTimeoutMs?: number;
}

/** Our commands, as ioredis calls them. */
interface Scripts {
  macePut(
    entry: string,
    index: string,
    revision: string,
    sealed: Buffer,
    lease: number,
    most: number,
  ): Promise<unknown>;
  macePurge(index: string): Promise<unknown>;
}

const DEFAULTS = { leaseMs: CACHE_LEASE_MS, capacity: 10_000, maxEntryBytes: 256 * 1024, connectTimeoutMs: 1000 };
const DISCONNECT_MS = 50;
const RECONNECT_MS = { from: 50, to: 5_000 };
/** Bytes beyond one entry that may come before an answer is whole. */
const REPLY_SLACK = 1024 * 1024;
const PROBE = 'probe';

/**
 * States in a Redis that several processes share. It waits for nothing and asks nothing twice: what cannot be sent now
 * fails now, and whoever uses it stands behind a GuardedStateCache, which keeps time. Entries are sealed (SealedEntries),
 * so what Redis or anybody who writes to it makes up is a CacheEntryError, and is dropped there.
 */
export class RedisStateCache implements StateCache {
  readonly leaseMs: number;
  private readonly options: Required<RedisCacheOptions>;
  private readonly entries: SealedEntries;
  private readonly index: string;
  private readonly redis: Redis & Scripts;
  /** Connections made since one last answered. */
  private attempts = 0;
  private received = 0;
  private lastFault: RedisFault | undefined;
  private probing = false;
  /** Probes that found this connection without an answer to our first words. */
  private greetings = 0;

  private constructor(options: RedisCacheOptions, Client: typeof Redis) {
    this.options = { ...DEFAULTS, ...options };
    this.leaseMs = this.options.leaseMs;
    this.entries = new SealedEntries(options.secret);
    this.index = this.placeOf('index');
    this.redis = new Client(this.connection()) as Redis & Scripts;
    this.redis.defineCommand('macePut', { numberOfKeys: 2, lua: PUT });
    this.redis.defineCommand('macePurge', { numberOfKeys: 1, lua: PURGE });
    this.redis.on('error', (error) => void (this.lastFault = faultOf(error)));
    this.redis.on('ready', () => void (this.lastFault = undefined));
    this.redis.on('connect', () => {
      this.greetings = 0;
      this.bound(this.redis.stream);
    });
  }

  /** Settles once the first connection stands, has failed or takes too long; it is tried again for ever, ever later. */
  static async open(options: RedisCacheOptions): Promise<RedisStateCache> {
    // Loaded where there is a Redis: threads and commands that never meet one start in half the time without it.
    const { Redis: Client } = await import('ioredis');
    const cache = new RedisStateCache(options, Client);
    // Why it failed is told where it is asked for something.
    const connected = cache.redis.connect().catch(() => undefined);
    await within(cache.options.connectTimeoutMs, connected);
    return cache;
  }

  /** @throws RedisFault, CacheEntryError */
  async get(key: string): Promise<Folded<unknown> | undefined> {
    const name = this.entries.nameOf(key);
    const place = this.placeOf(name);
    const last = this.options.maxEntryBytes + SEAL_BYTES;
    const stored: unknown = await this.answered(this.redis.getrangeBuffer(place, 0, last), place);
    try {
      if (!Buffer.isBuffer(stored) || stored.length > last) throw new CacheEntryError();
      return stored.length === 0 ? undefined : this.entries.open(name, stored);
    } catch (error) {
      this.drop(place);
      throw error;
    }
  }

  /** @throws RedisFault, CacheEntryError */
  async put(key: string, entry: Folded<unknown>): Promise<void> {
    const name = this.entries.nameOf(key);
    const { revision, sealed } = this.entries.seal(name, entry);
    const { maxEntryBytes, leaseMs, capacity } = this.options;
    if (sealed.length > maxEntryBytes) return;
    const place = this.placeOf(name);
    const sent = this.redis.macePut(place, this.index, revision, sealed, leaseMs, capacity);
    const done = await this.answered(sent, place, this.index);
    if (done !== 0 && done !== 1) throw new CacheEntryError();
  }

  /** @throws RedisFault */
  async purge(): Promise<void> {
    const done = await this.answered(this.redis.macePurge(this.index), this.index);
    if (typeof done !== 'number') throw new CacheEntryError();
  }

  /**
   * Puts an entry and has it back: a Redis that is full or read-only answers a ping all the same. Where the probe before
   * is still without an answer the connection is made anew, since its other end may be gone without a word.
   */
  async probe(): Promise<void> {
    const isGreeting = this.redis.status === 'connect' && this.greetings++ > 0;
    if (isGreeting || (this.probing && this.redis.status === 'ready')) {
      this.redis.disconnect(true);
      throw new RedisFault('HANGS');
    }
    this.probing = true;
    try {
      await this.put(PROBE, { state: PROBE, head: { stream: PROBE, version: 1, lastHash: '0'.repeat(64) } });
      if ((await this.get(PROBE)) === undefined) throw new RedisFault('FORGETS');
    } finally {
      this.probing = false;
    }
  }

  /** Settles once the connection is closed. */
  async close(): Promise<void> {
    if (this.redis.status === 'end') return;
    const ended = new Promise<void>((resolve) => this.redis.once('end', () => resolve()));
    this.redis.disconnect();
    // Between two connections there is none that could end.
    await within(2 * DISCONNECT_MS, ended);
  }

  /** In a cluster of Redis all of one log lie in one slot. */
  private placeOf(name: string): string {
    return `mace:{${this.options.origin}}:${name}`;
  }

  /** @param places dropped where something else than an entry lies there */
  private async answered<T>(answer: Promise<T>, ...places: string[]): Promise<T> {
    try {
      const value = await answer;
      this.attempts = 0;
      this.received = 0;
      return value;
    } catch (error) {
      const fault = this.redis.status === 'ready' ? faultOf(error) : (this.lastFault ?? new RedisFault('CLOSED'));
      if (fault.kind === 'WRONGTYPE') this.drop(...places);
      throw fault;
    }
  }

  /** So that what somebody put there is in nobody's way longer than until it is met. */
  private drop(...places: string[]): void {
    this.redis.unlink(...places).catch(() => undefined);
  }

  /** An answer that never ends would be gathered until the memory is full. */
  private bound(stream: Socket): void {
    this.received = 0;
    stream.on('data', (bytes: Buffer) => {
      this.received += bytes.length;
      if (this.received > this.options.maxEntryBytes + REPLY_SLACK) stream.destroy();
    });
  }

  private connection(): RedisOptions {
    const { url, connectTimeoutMs } = this.options;
    return {
      host: url.host,
      port: url.port,
      db: url.db,
      ...(url.username === undefined ? {} : { username: url.username }),
      ...(url.password === undefined ? {} : { password: url.password }),
      ...(url.tls ? { tls: {} } : {}),
      protocol: 2,
      connectTimeout: connectTimeoutMs,
      disconnectTimeout: DISCONNECT_MS,
      // Nothing waits for a connection: a command that cannot be sent fails, and is not sent again.
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: () => Math.min(RECONNECT_MS.from * 2 ** Math.min(this.attempts++, 16), RECONNECT_MS.to),
    };
  }
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([done, over]);
  clearTimeout(timer);
}
