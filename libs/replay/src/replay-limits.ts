import { developerMessage } from '#lib/kernel';

import type { ReplayTimeout } from './domain/replay.events.js';
import type { Clock } from './step-list.js';

/** Constants of the job's own governance snapshot (spec/replay.md). */
export interface ReplayLimits {
  readonly max_replay_ms: number;
  readonly max_iterations: number;
}

/** As long as the job's own are not known, or cannot be: those of config/ (spec/replay.md). */
export const LIMITS_UNKNOWN: ReplayLimits = { max_replay_ms: 60_000, max_iterations: 10 };

export class ReplayTimeoutError extends Error {
  constructor(readonly timeout: ReplayTimeout) {
    const { limit, allowed } = timeout;
    super(developerMessage('REPLAY_TIMEOUT', 'over', { limit, allowed }));
    this.name = 'ReplayTimeoutError';
  }
}

/** The time that a replay has left. */
export class Deadline {
  private readonly due: number;

  constructor(
    private readonly clock: Clock,
    begun: number,
    private readonly limits: ReplayLimits,
  ) {
    this.due = begun + limits.max_replay_ms;
  }

  /** Milliseconds, at least 0. */
  get left(): number {
    return Math.max(0, this.due - this.clock());
  }

  /** @param eventNumber the event that was compared last @throws ReplayTimeoutError */
  check(eventNumber: number | null): void {
    if (this.clock() <= this.due) return;
    throw this.over('max_replay_ms', eventNumber);
  }

  /** @throws ReplayTimeoutError where the record holds more iterations than its own snapshot allows */
  checkIterations(count: number): void {
    if (count > this.limits.max_iterations) throw this.over('max_iterations', null);
  }

  private over(limit: keyof ReplayLimits, event_number: number | null): ReplayTimeoutError {
    return new ReplayTimeoutError({ limit, allowed: this.limits[limit], event_number });
  }
}
