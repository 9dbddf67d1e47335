/** Told when a cache goes out of reach and when it answers again: once each, whatever the number of calls. */
export interface CacheWatch {
  /** @param fault the kind of error, such as CacheTimeoutError; never a key or a value */
  down(fault: string): void;
  up(): void;
}

export interface CircuitOptions {
  readonly watch: CacheWatch;
  /** Faults of one kind of call in a row after which nothing is asked any more. */
  readonly faultsToOpen: number;
  /** How long it is left alone before one call tries it again; doubled with each try that fails, up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** How a call came to be made: as any other, or as the one that tries whether the service is back. */
export type Admission = 'usual' | 'trial';

/**
 * A circuit breaker: after some faults in a row nobody asks any more, but for one trial a pause. An outage is told once
 * at each end. A service that keeps failing soon after it came back is left alone longer each time.
 */
export class Circuit {
  private readonly faults = new Map<string, number>();
  private isOpen = false;
  private pause: number;
  private triesAt = 0;
  private closedAt = -Infinity;

  constructor(private readonly options: CircuitOptions) {
    this.pause = options.pauseMs;
  }

  get open(): boolean {
    return this.isOpen;
  }

  /** Milliseconds until the next trial is due; 0 where it is. */
  get untilTrial(): number {
    return Math.max(0, this.triesAt - this.options.now());
  }

  /** Null where nothing may be asked now. Of those who come when a trial is due, one is let through. */
  admit(): Admission | null {
    if (!this.isOpen) return 'usual';
    if (this.untilTrial > 0) return null;
    this.triesAt = this.options.now() + this.pause;
    return 'trial';
  }

  /** @param kind of call; faults are counted for each, so that reads that work do not hide writes that fail */
  answered(kind: string, admission: Admission): void {
    if (admission === 'usual') {
      // An answer to a call from before the outage says nothing of now.
      if (!this.isOpen) this.faults.delete(kind);
      return;
    }
    if (!this.isOpen) return;
    this.isOpen = false;
    this.closedAt = this.options.now();
    this.faults.clear();
    this.options.watch.up();
  }

  failed(kind: string, admission: Admission, error: unknown): void {
    const { faultsToOpen, maxPauseMs, now } = this.options;
    if (admission === 'trial') {
      this.pause = Math.min(this.pause * 2, maxPauseMs);
      this.triesAt = now() + this.pause;
      return;
    }
    if (this.isOpen) return;
    const faults = (this.faults.get(kind) ?? 0) + 1;
    this.faults.set(kind, faults);
    if (faults >= faultsToOpen) this.trip(error);
  }

  /** Opens at once. */
  trip(error: unknown): void {
    if (this.isOpen) return;
    const { pauseMs, maxPauseMs, now, watch } = this.options;
    const cameBackLately = now() - this.closedAt < maxPauseMs;
    this.pause = cameBackLately ? Math.min(this.pause * 2, maxPauseMs) : pauseMs;
    this.isOpen = true;
    this.faults.clear();
    this.triesAt = now() + this.pause;
    watch.down(error instanceof Error ? error.name : typeof error);
  }
}
