import type { Folded, StateCache } from './state-cache.js';

/** Told when a cache goes out of reach and when it answers again: once each, whatever the number of calls. */
export interface CacheWatch {
  /** @param fault the kind of error, such as CacheTimeoutError; never a key or a value */
  down(fault: string): void;
  up(): void;
}

export interface GuardOptions {
  readonly watch: CacheWatch;
  /** How long one call may take; default 50. */
  readonly timeoutMs?: number;
  /** How long a cache that failed is left alone before one call tries it again; default 1000. */
  readonly pauseMs?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** The cache did not answer in time. */
export class CacheTimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = 'CacheTimeoutError';
  }
}

/** The cache answered with what was never put there. */
export class CacheEntryError extends Error {
  constructor() {
    super('the entry is not a state of this stream');
    this.name = 'CacheEntryError';
  }
}

const HASH = /^[0-9a-f]{64}$/;
const DEFAULTS = { timeoutMs: 50, pauseMs: 1000, now: Date.now };

/**
 * A cache that cannot get in the way: what fails, is late or makes no sense is a miss. After a fault nothing is asked of
 * it for a while, then one call tries it again while the others go on without (a circuit breaker).
 */
export class GuardedStateCache {
  private readonly settings: Required<GuardOptions>;
  private isDown = false;
  private triesAt = 0;

  constructor(
    private readonly inner: StateCache,
    options: GuardOptions,
  ) {
    this.settings = { ...DEFAULTS, ...options };
  }

  /** What is kept of a stream under a key; undefined where there is nothing that can be used. Never rejects. */
  async get(key: string, stream: string): Promise<Folded<unknown> | undefined> {
    return this.asked(async () => {
      const entry = await this.inTime(this.inner.get(key));
      if (entry !== undefined && !isStateOf(entry, stream)) throw new CacheEntryError();
      return entry;
    });
  }

  /** Nobody waits for it. */
  put(key: string, entry: Folded<unknown>): void {
    void this.asked(() => this.inTime(this.inner.put(key, entry)));
  }

  private async asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
    const { watch, now, pauseMs } = this.settings;
    if (this.isDown) {
      if (now() < this.triesAt) return undefined;
      this.triesAt = now() + pauseMs;
    }
    try {
      const answer = await ask();
      if (this.isDown) {
        this.isDown = false;
        watch.up();
      }
      return answer;
    } catch (error) {
      this.triesAt = now() + pauseMs;
      if (!this.isDown) {
        this.isDown = true;
        watch.down(error instanceof Error ? error.name : typeof error);
      }
      return undefined;
    }
  }

  private async inTime<T>(answer: T | Promise<T>): Promise<T> {
    if (!(answer instanceof Promise)) return answer;
    const { timeoutMs } = this.settings;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CacheTimeoutError(timeoutMs)), timeoutMs);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether an entry can be what was put: its content is confirmed by version, its form here. */
function isStateOf(entry: unknown, stream: string): entry is Folded<unknown> {
  if (typeof entry !== 'object' || entry === null) return false;
  const { head, state } = entry as Partial<Folded<unknown>>;
  return (
    state !== undefined &&
    typeof head === 'object' &&
    head !== null &&
    head.stream === stream &&
    Number.isSafeInteger(head.version) &&
    head.version > 0 &&
    HASH.test(head.lastHash)
  );
}
