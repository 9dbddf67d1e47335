import { LruMap } from '#lib/event-store';
import { RateLimitedError } from '#lib/kernel';

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
 * Token buckets in memory, one for each principal and each address without a token (spec/privacy.md, "Rate limit"). Who
 * has not been seen for long is forgotten: by then the bucket would be full again, or 10,000 others have come since.
 */
export class RateLimits {
  private readonly principals: Buckets;
  private readonly addresses: Buckets;

  constructor({ requests, seconds }: RateLimit) {
    this.principals = new Buckets(requests, requests / (seconds * 1000), 'this principal');
    const tenth = Math.max(1, Math.floor(requests / 10));
    this.addresses = new Buckets(tenth, tenth / (seconds * 1000), 'this address, without a token');
  }

  /** @throws RateLimitedError */
  takeOfPrincipal(id: string, now: number): void {
    this.principals.take(id, now);
  }

  /** @throws RateLimitedError */
  takeOfAddress(address: string, now: number): void {
    this.addresses.take(networkOf(address), now);
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
