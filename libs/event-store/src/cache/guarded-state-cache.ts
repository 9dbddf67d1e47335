import { types } from 'node:util';

import { type Admission, type CacheWatch, Circuit } from './circuit.js';
import type { Folded, StateCache } from './state-cache.js';

export type { CacheWatch } from './circuit.js';

export interface GuardOptions {
  readonly watch: CacheWatch;
  /** How long whoever reads waits for an answer; default 50. */
  readonly timeoutMs?: number;
  /** How long a call may take for which nobody waits; default as `timeoutMs`. */
  readonly unawaitedMs?: number;
  /** Faults in a row after which a cache is left alone; default 1. */
  readonly faultsToOpen?: number;
  /** How long a cache that failed is left alone before it is tried again; default 1000. */
  readonly pauseMs?: number;
  /** What that pause grows to at most while it keeps failing; default as `pauseMs`. */
  readonly maxPauseMs?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** The cache did not answer in time. */
export class CacheTimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = 'CacheTimeoutError';
  }
}

/** The cache answered with what was never put there. */
export class CacheEntryError extends Error {
  constructor() {
    super('the entry is not a state of this stream');
    this.name = 'CacheEntryError';
  }
}

const HASH = /^[0-9a-f]{64}$/;
/** What a cache has not taken yet when it slows down; further puts are left out, as a cache may forget. */
const MAX_PENDING_PUTS = 256;

/**
 * A cache that cannot get in the way: what fails, is late or makes no sense is a miss. After some faults nothing is asked
 * of it for a while (Circuit). A cache that can be probed is tried again by a timer, so that no request pays for it; of
 * any other, one call tries it while the others go on without.
 */
export class GuardedStateCache {
  private readonly settings: Required<GuardOptions>;
  private readonly circuit: Circuit;
  private timer: NodeJS.Timeout | undefined;
  private pendingPuts = 0;
  private closed = false;

  constructor(
    private readonly inner: StateCache,
    options: GuardOptions,
  ) {
    const { timeoutMs = 50, pauseMs = 1000 } = options;
    const defaults = { unawaitedMs: timeoutMs, faultsToOpen: 1, maxPauseMs: pauseMs, now: Date.now };
    this.settings = { ...defaults, ...options, timeoutMs, pauseMs };
    const watch: CacheWatch = {
      down: (fault) => {
        if (this.closed) return;
        options.watch.down(fault);
        this.scheduleTrial();
      },
      up: () => void (this.closed || options.watch.up()),
    };
    this.circuit = new Circuit({ ...this.settings, watch });
  }

  get state(): 'up' | 'down' {
    return this.circuit.open ? 'down' : 'up';
  }

  /** Asks a cache that can be probed once, so that one that is not there is known before the first request. */
  async start(): Promise<void> {
    if (!this.inner.probe) return;
    try {
      await this.inTime(this.inner.probe(), this.settings.unawaitedMs);
    } catch (error) {
      this.circuit.trip(error);
    }
  }

  /** What is kept of a stream under a key; undefined where there is nothing that can be used. Never rejects. */
  async get(key: string, stream: string): Promise<Folded<unknown> | undefined> {
    const admission = this.admitted();
    if (admission === null) return undefined;
    return this.asked('get', admission, async () => {
      const entry = await this.inTime(this.inner.get(key), this.settings.timeoutMs);
      if (entry !== undefined && !isStateOf(entry, stream)) throw new CacheEntryError();
      return entry;
    });
  }

  /** Nobody waits for it. */
  put(key: string, entry: Folded<unknown>): void {
    if (this.pendingPuts >= MAX_PENDING_PUTS) return;
    const admission = this.admitted();
    if (admission === null) return;
    this.pendingPuts++;
    const put = async (): Promise<void> => this.inTime(this.inner.put(key, entry), this.settings.unawaitedMs);
    void this.asked('put', admission, put).finally(() => this.pendingPuts--);
  }

  /**
   * Settles once nothing is kept any more that was put before the call. Also asked of a cache that is out of reach; where
   * it does not answer, what it keeps has lapsed after its lease. Never rejects.
   */
  async purge(): Promise<void> {
    try {
      await this.inTime(this.inner.purge(), this.settings.unawaitedMs);
    } catch {
      const { leaseMs } = this.inner;
      if (leaseMs !== undefined) await new Promise((lapsed) => setTimeout(lapsed, leaseMs));
    }
  }

  /** Tells nothing any more, and tries nothing again. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private admitted(): Admission | null {
    if (this.closed || (this.inner.probe && this.circuit.open)) return null;
    return this.circuit.admit();
  }

  private async asked<T>(kind: string, admission: Admission, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      this.circuit.answered(kind, admission);
      return answer;
    } catch (error) {
      this.circuit.failed(kind, admission, error);
      return undefined;
    }
  }

  private scheduleTrial(): void {
    if (!this.inner.probe || this.closed) return;
    this.timer = setTimeout(() => void this.trial(), this.circuit.untilTrial).unref();
  }

  private async trial(): Promise<void> {
    const admission = this.circuit.admit();
    if (admission !== null) {
      const probe = async (): Promise<void> => this.inTime(this.inner.probe!(), this.settings.unawaitedMs);
      await this.asked('probe', admission, probe);
    }
    if (this.circuit.open) this.scheduleTrial();
  }

  private async inTime<T>(answer: T | Promise<T>, ms: number): Promise<T> {
    if (!types.isPromise(answer)) return answer;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // Timers come before sockets in a turn of the loop: an answer that is here already, while this process was busy,
      // is read before it is called late.
      timer = setTimeout(() => setImmediate(() => reject(new CacheTimeoutError(ms))), ms);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether an entry can be what was put: its content is confirmed by version, its form here. */
function isStateOf(entry: unknown, stream: string): entry is Folded<unknown> {
  if (typeof entry !== 'object' || entry === null) return false;
  const { head, state } = entry as Partial<Folded<unknown>>;
  return (
    state !== undefined &&
    typeof head === 'object' &&
    head !== null &&
    head.stream === stream &&
    Number.isSafeInteger(head.version) &&
    head.version > 0 &&
    HASH.test(head.lastHash)
  );
}
