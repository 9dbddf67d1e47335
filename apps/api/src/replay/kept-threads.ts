import type { RangeWorker, SweepThreads } from '#lib/replay';

import type { SweepTask } from './sweep-thread-data.js';

/** A thread that replays, for one sweep at a time. */
export interface SweepThread extends RangeWorker {
  /** Whether it ended, by itself or because it was stopped. */
  readonly isGone: boolean;
  begin(task: SweepTask): void;
  /** Lets go of whatever the sweep took. */
  end(): void;
  stop(): Promise<void>;
}

/** How long a thread is kept that no sweep needs: it holds the memory of a sweep. */
const KEPT_MS = 60_000;

/**
 * Threads that are kept for a while after a sweep, for the next: what one runs is optimised anew in each thread, which is
 * half of the work of its first seconds. Of an earlier sweep it keeps that code alone, and nothing that it read.
 */
export class KeptThreads {
  private readonly kept: SweepThread[] = [];
  private ending: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly start: () => SweepThread,
    private readonly keptMs = KEPT_MS,
  ) {}

  open(threads: number, task: SweepTask): SweepThreads {
    clearTimeout(this.ending);
    const workers = Array.from({ length: threads }, () => this.next());
    for (const worker of workers) worker.begin(task);
    return { workers, stop: () => this.takeBack(workers) };
  }

  /** Again is no error. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.endKept();
  }

  private next(): SweepThread {
    const kept = this.kept.pop();
    return kept && !kept.isGone ? kept : this.start();
  }

  private async takeBack(threads: readonly SweepThread[]): Promise<void> {
    for (const thread of threads) thread.end();
    this.kept.push(...threads);
    if (this.isClosed) return this.endKept();
    clearTimeout(this.ending);
    this.ending = setTimeout(() => void this.endKept(), this.keptMs).unref();
  }

  private async endKept(): Promise<void> {
    clearTimeout(this.ending);
    await Promise.all(this.kept.splice(0).map((thread) => thread.stop()));
  }
}
