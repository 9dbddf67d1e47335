import { comparePositions } from './positions.js';

interface Waiter {
  readonly position: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Those who wait for a checkpoint; woken by whoever moves it. */
export class Waiters {
  private readonly waiting = new Set<Waiter>();

  /** Settles when `reached` or `fail` says so; rejects with what `late` makes after `timeoutMs`. */
  add(position: string, timeoutMs: number, late: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiter);
        reject(late());
      }, timeoutMs);
      const waiter: Waiter = { position, resolve, reject, timer };
      this.waiting.add(waiter);
    });
  }

  /** Whether anybody waits. */
  get any(): boolean {
    return this.waiting.size > 0;
  }

  /** Whether somebody waits for a position that lies at or before this one. */
  wants(position: string): boolean {
    for (const waiter of this.waiting) if (comparePositions(waiter.position, position) <= 0) return true;
    return false;
  }

  reached(position: string): void {
    for (const waiter of this.waiting) {
      if (comparePositions(waiter.position, position) > 0) continue;
      this.settle(waiter);
      waiter.resolve();
    }
  }

  fail(error: (position: string) => Error): void {
    for (const waiter of this.waiting) {
      this.settle(waiter);
      waiter.reject(error(waiter.position));
    }
  }

  private settle(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.waiting.delete(waiter);
  }
}
