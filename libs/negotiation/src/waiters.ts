import { MaceError } from '#lib/kernel';

import { timerDelay } from './domain/window.js';

/** More than these wait on no artifact. */
export const MAX_WAITERS = 256;

/** Calls that wait for a decision, by artifact. */
export class Waiters {
  private readonly byArtifact = new Map<string, Set<() => void>>();
  private ended = false;

  /** Whoever waits on an artifact looks again. */
  wake(artifactId: string): void {
    for (const look of [...(this.byArtifact.get(artifactId) ?? [])]) look();
  }

  /** Everybody looks again: something may have been missed. */
  wakeAll(): void {
    for (const artifactId of [...this.byArtifact.keys()]) this.wake(artifactId);
  }

  /** Nobody waits any more: the process stops. */
  end(): void {
    this.ended = true;
    this.wakeAll();
  }

  get size(): number {
    let size = 0;
    for (const waiting of this.byArtifact.values()) size += waiting.size;
    return size;
  }

  /**
   * Asks `look` at once and after each wake, until it finds something.
   * @param until ms, of the clock that nobody sets (`performance.now`); however far, no timer is longer than Node holds
   * @throws MaceError RATE_LIMITED where too many wait already; WAIT_TIMEOUT; DATA_UNAVAILABLE at the end; the signal's reason
   */
  async wait<T>(artifactId: string, until: number, signal: AbortSignal, look: () => Promise<T | null>): Promise<T> {
    const place = this.take(artifactId);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.ended) throw new MaceError('DATA_UNAVAILABLE', 'this process stops; ask again');
        // Taken before looking, so that what happens in between is not slept through.
        const woken = place.next();
        const found = await look();
        if (found !== null) return found;
        if (performance.now() >= until) throw new MaceError('WAIT_TIMEOUT', 'there is no decision yet; ask again');
        await sleepUntil(until, woken, signal);
      }
    } finally {
      place.leave();
    }
  }

  private take(artifactId: string): { next(): Promise<void>; leave(): void } {
    const waiting = this.byArtifact.get(artifactId) ?? new Set();
    if (waiting.size >= MAX_WAITERS)
      throw new MaceError('RATE_LIMITED', `at most ${MAX_WAITERS} calls wait for the decision on one artifact`);
    this.byArtifact.set(artifactId, waiting);
    let resume = (): void => undefined;
    const look = (): void => resume();
    waiting.add(look);
    return {
      next: () => new Promise((resolve) => (resume = resolve)),
      leave: () => {
        waiting.delete(look);
        if (waiting.size === 0 && this.byArtifact.get(artifactId) === waiting) this.byArtifact.delete(artifactId);
      },
    };
  }
}

/** Until woken, due or broken off; a due time further away than a timer holds is looked at in between. */
function sleepUntil(until: number, woken: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // Broken off while it looked: who listens only now is told of nothing.
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timerDelay(until, performance.now()));
    signal.addEventListener('abort', done, { once: true });
    void woken.then(done);
  });
}
