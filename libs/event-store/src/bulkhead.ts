import { RateLimitedError } from '#lib/kernel';

export interface BulkheadLimits {
  /** So many tasks run at once. */
  readonly inAll: number;
  /** So many of them for one who asks. */
  readonly ofOne: number;
  /** So many more wait for one who asks; further ones are refused. By default any number. */
  readonly waiting?: number;
}

interface Asker {
  running: number;
  readonly waiting: (() => void)[];
}

const RETRY_MS = 1000;

/**
 * Bounds how many tasks run at once, in all and for each who asks. Those that wait are let in by turns of who asks, so that
 * somebody's hundred tasks hold up nobody else's one.
 */
export class Bulkhead {
  private running = 0;
  /** In the order of their turns: who was let in goes to the end. */
  private readonly askers = new Map<string, Asker>();

  /** @param what what the tasks are, in words: "reads of histories" */
  constructor(
    private readonly what: string,
    private readonly limits: BulkheadLimits,
  ) {}

  /**
   * @param who id of the principal that asks
   * @throws RateLimitedError where too many wait already; what the task throws
   */
  async run<T>(who: string, task: () => Promise<T>): Promise<T> {
    const asker = this.askers.get(who) ?? { running: 0, waiting: [] };
    this.askers.set(who, asker);
    if (this.isFree(asker)) this.start(asker);
    else await this.turn(asker);
    try {
      return await task();
    } finally {
      asker.running--;
      this.running--;
      if (asker.running === 0 && asker.waiting.length === 0) this.askers.delete(who);
      this.letIn();
    }
  }

  private isFree({ running }: Asker): boolean {
    return this.running < this.limits.inAll && running < this.limits.ofOne;
  }

  private start(asker: Asker): void {
    asker.running++;
    this.running++;
  }

  private turn({ waiting }: Asker): Promise<void> {
    const most = this.limits.waiting ?? Infinity;
    if (waiting.length >= most)
      throw new RateLimitedError(`at most ${most} ${this.what} of a principal wait for their turn`, RETRY_MS);
    return new Promise((resolve) => waiting.push(resolve));
  }

  private letIn(): void {
    for (const [who, asker] of this.askers) {
      if (asker.waiting.length === 0 || !this.isFree(asker)) continue;
      this.askers.delete(who);
      this.askers.set(who, asker);
      this.start(asker);
      asker.waiting.shift()!();
      return;
    }
  }
}
