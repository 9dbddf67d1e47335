import { RateLimitedError } from '#lib/kernel';

/** How much may be held at once, bytes. */
export interface Share {
  readonly inAll: number;
  readonly each: number;
}

/** When a call that was refused for want of room may be tried again, ms. */
const RETRY_MS = 1_000;

/** Counts what calls hold in memory, for all of them and for each caller. */
export class BytesInHand {
  private readonly held = new Map<string, number>();
  private total = 0;

  /** @param what names in a refusal what is held, such as `calls without a token` */
  constructor(
    private readonly share: Share,
    private readonly what: string,
  ) {}

  /** @throws RateLimitedError where it is more than the caller's share, or than there is for all */
  take(who: string, bytes: number): void {
    const own = (this.held.get(who) ?? 0) + bytes;
    if (own > this.share.each) throw this.refusal(this.share.each, 'of one caller');
    if (this.total + bytes > this.share.inAll) throw this.refusal(this.share.inAll, 'in all');
    this.held.set(who, own);
    this.total += bytes;
  }

  give(who: string, bytes: number): void {
    const own = (this.held.get(who) ?? 0) - bytes;
    if (own > 0) this.held.set(who, own);
    else this.held.delete(who);
    this.total -= bytes;
  }

  private refusal(bytes: number, whose: string): RateLimitedError {
    return new RateLimitedError(`${this.what}: at most ${bytes} bytes at once ${whose}`, RETRY_MS);
  }
}
