import { setTimeout as sleep } from 'node:timers/promises';

import type { EventStore } from '#lib/event-store';
import type { Waiters } from '#lib/negotiation';

const PAUSE_MS = 1000;
const STREAM = 'negotiation-';

/**
 * Wakes who waits for a decision, whichever process makes it. Who is woken looks into the stream itself, where what nobody
 * signed counts for nothing.
 */
export class DecisionWatch {
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private isFaulty = false;

  /** @param onFault told where the log cannot be followed, which is tried again; null once it can be */
  constructor(
    private readonly store: EventStore,
    private readonly waiters: Waiters,
    private readonly onFault: (error: unknown) => void,
  ) {}

  start(): void {
    this.watching = this.watch();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private told(error: unknown): void {
    this.isFaulty = error !== null;
    this.onFault(error);
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const after = await this.store.head();
        // Decided while nobody followed.
        this.waiters.wakeAll();
        for await (const item of this.store.subscribeAll({ after, types: ['NEGOTIATION_DECIDED'], signal })) {
          if (this.isFaulty) this.told(null);
          if (item.kind !== 'page') continue;
          for (const { stream } of item.page.events)
            if (stream.startsWith(STREAM)) this.waiters.wake(stream.slice(STREAM.length));
        }
      } catch (error) {
        if (!signal.aborted) this.told(error);
      }
      // The only way in which this sleep fails is the stop.
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
