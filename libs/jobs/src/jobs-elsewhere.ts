import type { ReadStore } from '#lib/read-store';

import { LeftJobs } from './job-leases.js';

/** After so many leases in which nobody asked for a job it is not looked for any more. */
const FORGOTTEN_AFTER = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Jobs that another process may be running, as those see them who are asked for the same one again: a job without a seal
 * is another's until nobody has renewed its lease (`JobLeases`), so that no effect of it is performed twice while both live.
 */
export class JobsElsewhere {
  private readonly left: LeftJobs;
  /** By job, when it was last asked for. */
  private readonly asked = new Map<string, number>();
  private looking: Promise<unknown> = Promise.resolve();

  /** @param now ms, of a clock that nobody sets */
  constructor(
    documents: ReadStore,
    private readonly leaseMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = new LeftJobs(documents, leaseMs, now);
  }

  /** How long to wait before looking again, ms. */
  get pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, this.leaseMs / 8);
  }

  /** Whether whoever began it was silent for a lease, since it was first asked for here. @throws what the store throws */
  isLeft(jobId: string): Promise<boolean> {
    this.asked.set(jobId, this.now());
    // One look after another: each is told of every job, or the others would be seen anew by the next.
    const look = this.looking.then(() => this.look(jobId));
    this.looking = look.catch(() => undefined);
    return look;
  }

  private async look(jobId: string): Promise<boolean> {
    const since = this.now() - FORGOTTEN_AFTER * this.leaseMs;
    for (const [job, at] of this.asked) if (at < since) this.asked.delete(job);
    return (await this.left.among([...this.asked.keys()])).includes(jobId);
  }
}
