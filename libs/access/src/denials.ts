import { randomUUID } from 'node:crypto';

import { type EventLog, NO_STATE } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import type { AccessDenied } from './domain/denials.events.js';

const INTERVAL_MS = 60_000;
const MAX_WAITING = 10_000;

interface Waiting {
  readonly principal: string;
  readonly permission: string;
  reason: string;
  count: number;
  /** No event of this pair before this moment. */
  notBefore: number;
}

/**
 * Counts refusals in memory and appends them to `access-{principal}` afterwards, at most one event a minute for each
 * permission, so that a refusal takes the same time whatever its reason and a flood of them does not fill the log.
 */
export class Denials {
  private readonly waiting = new Map<string, Waiting>();
  private readonly appends = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly onFault: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Call it after the answer has left. */
  count(principal: string, permission: string, reason: string): void {
    const key = `${principal} ${permission}`;
    const entry = this.waiting.get(key) ?? { principal, permission, reason, count: 0, notBefore: 0 };
    entry.count += 1;
    entry.reason = reason;
    if (!this.waiting.has(key)) {
      if (this.waiting.size >= MAX_WAITING) this.makeRoom();
      this.waiting.set(key, entry);
    }
    if (this.now() >= entry.notBefore) this.flush(entry);
    else this.schedule();
  }

  /** Appends what was counted and not yet written. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const entry of this.waiting.values()) if (entry.count > 0) this.flush(entry);
    await Promise.all(this.appends);
  }

  private schedule(): void {
    this.timer ??= setInterval(() => this.flushDue(), INTERVAL_MS / 4).unref();
  }

  private flushDue(): void {
    for (const entry of this.waiting.values()) if (entry.count > 0 && this.now() >= entry.notBefore) this.flush(entry);
    this.forgetIdle();
  }

  /** Where nobody is idle, who has waited longest is written early, so that no flood of names fills the memory. */
  private makeRoom(): void {
    this.forgetIdle();
    for (const [key, entry] of this.waiting) {
      if (this.waiting.size < MAX_WAITING) return;
      this.waiting.delete(key);
      if (entry.count > 0) this.flush(entry);
    }
  }

  private forgetIdle(): void {
    for (const [key, entry] of this.waiting)
      if (entry.count === 0 && this.now() >= entry.notBefore) this.waiting.delete(key);
  }

  private flush(entry: Waiting): void {
    const { principal, permission, reason, count } = entry;
    entry.count = 0;
    entry.notBefore = this.now() + INTERVAL_MS;
    const event: AccessDenied = { type: 'ACCESS_DENIED', data: { permission, reason, count } };
    const append = this.append(principal, event)
      .catch((error: unknown) => {
        // Nothing of it is lost while this process runs: it is counted with what comes.
        entry.count += count;
        this.schedule();
        this.onFault(error);
      })
      .finally(() => this.appends.delete(append));
    this.appends.add(append);
  }

  private async append(principal: string, event: AccessDenied): Promise<void> {
    const stream = `access-${principal}`;
    const seed = systemSeed('access', randomUUID());
    await this.log.execute({
      stream,
      fold: NO_STATE,
      provenance: { jobSeed: seed, sequenceIndex: 0, actor: { id: principal, role: 'system' }, traceId: traceId(seed) },
      decide: () => [event],
    });
  }
}
