import { setTimeout as sleep } from 'node:timers/promises';

import type { Clock } from '#lib/dsr';

const LOOK_MS = 250;

/** Time as it is told, looked at now and then: who tells it may move it on. */
export class ProcessClock implements Clock {
  constructor(
    readonly now: () => number,
    private readonly stopping: AbortSignal,
  ) {}

  async waitUntil(until: number): Promise<void> {
    for (let left = until - this.now(); left > 0; left = until - this.now()) {
      await sleep(Math.min(left, LOOK_MS), undefined, { signal: this.stopping });
    }
    this.stopping.throwIfAborted();
  }
}
