import type { EventLog } from '#lib/event-store';

import type { AccessDenied } from './domain/denials.events.js';
import { EventCounts } from './event-counts.js';

const MOST_COUNTERS = 10_000;

/**
 * Counts refusals of permissions in memory and appends them to `access-{principal}` afterwards, so that a refusal takes the
 * same time whatever its reason.
 */
export class Denials {
  private readonly counts: EventCounts<Omit<AccessDenied['data'], 'count'>>;

  /** @param onFault told of what could not be appended, which is counted on, and of null once it is appended */
  constructor(log: EventLog, onFault: (error: unknown) => void, now?: () => number) {
    this.counts = new EventCounts(log, {
      type: 'ACCESS_DENIED',
      component: 'access',
      most: MOST_COUNTERS,
      isFirstAtOnce: true,
      onFault,
      ...(now && { now }),
    });
  }

  /** Call it after the answer has left. */
  count(principal: string, permission: string, reason: string): void {
    const counter = { key: `${principal} ${permission}`, stream: `access-${principal}`, actorId: principal };
    this.counts.count(counter, { permission, reason });
  }

  /** Appends what was counted and not yet written. */
  close(): Promise<void> {
    return this.counts.close();
  }
}
