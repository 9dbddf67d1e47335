import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** What part of one processor a walk takes where the thread that answers requests is busy all the time. */
const SHARE = 1 / 6;
/** Less than this is nobody's traffic: the timers of a server that nobody asks, and what the walk itself asks it for. */
const QUIET = 0.2;
const ASKED_EVERY_MS = 100;
/** Whoever waited for a processor has worked for a shorter time than has passed. */
const LONGEST_REST_MS = 150;

export interface CourtesyOptions {
  /** How busy the thread that answers requests has been lately, 0 to 1. */
  readonly busy: () => Promise<number>;
  /** How many threads of the walk take turns so. */
  readonly threads: number;
  /** Milliseconds, from any time on. */
  readonly now?: () => number;
  readonly rest?: (ms: number) => Promise<unknown>;
}

/**
 * Rests between two parts of a walk, the longer the busier those are who answer requests. A low priority is not enough:
 * what a walk does on a processor that is free takes memory, caches and the runtime's own threads from everybody else.
 */
export class Courtesy {
  private busyness = 0;
  private askedAt = -Infinity;
  private resumedAt: number;
  private readonly now: () => number;
  private readonly rest: (ms: number) => Promise<unknown>;

  constructor(private readonly options: CourtesyOptions) {
    this.now = options.now ?? (() => performance.now());
    this.rest = options.rest ?? ((ms) => sleep(ms));
    this.resumedAt = this.now();
  }

  /** Between two parts of some milliseconds each. @throws what asking throws, the first time */
  async turn(): Promise<void> {
    const isFirst = this.askedAt === -Infinity;
    if (this.now() - this.askedAt >= ASKED_EVERY_MS) {
      this.askedAt = this.now();
      const asked = this.options.busy().then((busyness) => void (this.busyness = busyness));
      if (isFirst) return this.begin(asked);
      // The same thread is asked for more than this, and there its end is noticed.
      else asked.catch(() => undefined);
    }
    if (this.busyness >= QUIET) await this.rest(this.due());
    this.resumedAt = this.now();
  }

  private async begin(asked: Promise<void>): Promise<void> {
    await asked;
    this.resumedAt = this.now();
  }

  private due(): number {
    const worked = this.now() - this.resumedAt;
    return Math.min(LONGEST_REST_MS, worked * this.busyness * (this.options.threads / SHARE - 1));
  }
}

/** How busy this thread has been since it was last looked, a twentieth of a second before at least; 0 to 1. */
export function ownBusyness(): () => number {
  const LEAST_MS = 50;
  let last = performance.eventLoopUtilization();
  let lookedAt = performance.now();
  let busyness = last.utilization;
  return () => {
    if (performance.now() - lookedAt < LEAST_MS) return busyness;
    const now = performance.eventLoopUtilization();
    busyness = performance.eventLoopUtilization(now, last).utilization;
    [last, lookedAt] = [now, performance.now()];
    return busyness;
  };
}
