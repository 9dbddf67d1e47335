import { LruMap } from '#lib/event-store';
import { MaceError, RateLimitedError } from '#lib/kernel';

import { networkOf } from './network.js';

/** At most `requests` in `seconds`, for each principal. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

const MAX_BUCKETS = 20_000;

/** What is left of somebody's allowance: a bucket that refills evenly. */
interface Bucket {
  left: number;
  /** Ms. */
  at: number;
}

/**
 * Token buckets in memory, for each principal and each address without a token (spec/privacy.md, "Rate limit"). Who
 * has not been seen for long is forgotten: by then the bucket would be full again, or 10,000 others have come since.
 */
export class RateLimits {
  private readonly principals: Buckets;
  private readonly addresses: Buckets;
  private readonly unproven: Buckets;
  private readonly upgrades: Buckets;

  constructor({ requests, seconds }: RateLimit) {
    this.principals = new Buckets(requests, requests / (seconds * 1000), 'this principal');
    const tenth = Math.max(1, Math.floor(requests / 10));
    this.addresses = new Buckets(tenth, tenth / (seconds * 1000), 'this address, without a token');
    this.unproven = new Buckets(requests, requests / (seconds * 1000), 'this address, with tokens that are not taken');
    this.upgrades = new Buckets(requests, requests / (seconds * 1000), 'this address, for sockets without a token');
  }

  /** @throws RateLimitedError */
  takeOfPrincipal(id: string, now: number): void {
    this.principals.take(id, now);
  }

  /** @throws RateLimitedError */
  takeOfAddress(address: string, now: number): void {
    this.addresses.take(networkOf(address), now);
  }

  /**
   * Counts a token that nobody knows yet for the address it comes from, before it costs a look. Apart from what comes
   * without a token, or a stranger without one would keep out whoever shares the address and shows a good one.
   * @throws RateLimitedError
   */
  takeOfUnproven(address: string, now: number): void {
    this.unproven.take(networkOf(address), now);
  }

  /** The token is good, and costs its address nothing. */
  giveToUnproven(address: string): void {
    this.unproven.give(networkOf(address));
  }

  /**
   * Counts a socket that may show its token later, apart from tokens that are looked at: whoever opens sockets and says
   * nothing keeps no good token of the same address out.
   * @throws RateLimitedError
   */
  takeOfUpgrades(address: string, now: number): void {
    this.upgrades.take(networkOf(address), now);
  }

  /** Somebody was let in over the socket, which costs its address nothing. */
  giveToUpgrades(address: string): void {
    this.upgrades.give(networkOf(address));
  }

  /**
   * Looks at a token that nobody knows yet.
   * @param look rejects with UNAUTHENTICATED where the token is not taken; any other fault costs the address nothing
   * @throws RateLimitedError
   */
  async prove<T>(address: string, now: number, look: () => Promise<T>): Promise<T> {
    this.takeOfUnproven(address, now);
    let isBad = false;
    try {
      return await look();
    } catch (error) {
      isBad = error instanceof MaceError && error.code === 'UNAUTHENTICATED';
      throw error;
    } finally {
      if (!isBad) this.giveToUnproven(address);
    }
  }
}

class Buckets {
  private readonly buckets = new LruMap<string, Bucket>(MAX_BUCKETS);

  constructor(
    private readonly capacity: number,
    private readonly perMs: number,
    private readonly whose: string,
  ) {}

  take(key: string, now: number): void {
    const bucket = this.filled(key, now);
    if (bucket.left < 1) throw this.refusal(bucket);
    bucket.left -= 1;
  }

  give(key: string): void {
    const bucket = this.buckets.get(key);
    if (bucket) bucket.left = Math.min(this.capacity, bucket.left + 1);
  }

  private filled(key: string, now: number): Bucket {
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      bucket = { left: this.capacity, at: now };
      this.buckets.set(key, bucket);
    } else if (now > bucket.at) {
      bucket.left = Math.min(this.capacity, bucket.left + (now - bucket.at) * this.perMs);
      bucket.at = now;
    } else if (now < bucket.at - CLOCK_JUMP_MS) {
      // A clock that was set back must not keep anybody waiting until it has caught up.
      bucket.at = now;
    }
    return bucket;
  }

  private refusal({ left }: Bucket): RateLimitedError {
    return new RateLimitedError(`too many requests of ${this.whose}`, (1 - left) / this.perMs);
  }
}

const CLOCK_JUMP_MS = 1000;
