import { setTimeout as sleep } from 'node:timers/promises';

import type { EventStore, Page } from '#lib/event-store';

import { principalRemoved, tokenRevoked } from './domain/revocation.events.js';
import type { RevocationList } from './revocations.js';

const TYPES = [tokenRevoked.type, principalRemoved.type];
const OWNED = 'principal-';
const PAUSE_MS = 1_000;
const BELIEVED_ATTEMPTS = 60;
/** Pauses between two questions beside a subscription; one that fails counts as so many attempts. */
const PROBED_EVERY = 10;

export interface WatchPace {
  /** Ms between two attempts to follow; default 1,000. */
  readonly pauseMs?: number;
  /** Attempts in a row that may fail before nothing that is remembered is believed; default 60. */
  readonly believedAttempts?: number;
}

/**
 * Follows what other processes revoke in a store that several share, so that a token which this process remembers falls
 * there as well. A store that is out of reach takes no revocation either, so that what is remembered is believed for a
 * minute: whoever was let in can still read what needs no store. After that, and at the return, all are looked at again.
 */
export class RevocationWatch {
  private readonly ended = new AbortController();
  private following: Promise<void> | undefined;
  private failures = 0;
  private isFaulty = false;

  /** @param onFault told of each time the store could not be followed; null once it can be again */
  constructor(
    private readonly store: EventStore,
    private readonly list: RevocationList,
    private readonly onFault: (error: unknown) => void,
    private readonly pace: WatchPace = {},
  ) {}

  start(): void {
    this.following ??= this.follow(this.ended.signal);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.following;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { pauseMs = PAUSE_MS } = this.pace;
    while (!signal.aborted) {
      try {
        await this.followFromHere(signal);
      } catch (error) {
        if (!signal.aborted) this.told(error);
      }
      this.failed(1);
      if (!signal.aborted) await pause(pauseMs, signal);
    }
  }

  private async followFromHere(signal: AbortSignal): Promise<void> {
    const after = await this.store.head();
    // What was remembered before may have been revoked before; what is looked at from now on is looked at after `after`.
    this.list.lookAgain(null);
    const over = new AbortController();
    void this.probe(AbortSignal.any([signal, over.signal]));
    try {
      for await (const item of this.store.subscribeAll({ after, types: TYPES, signal })) {
        this.failures = 0;
        if (this.isFaulty) this.told(null);
        if (item.kind === 'page') for (const owner of ownersIn(item.page)) this.list.lookAgain(owner);
      }
    } finally {
      over.abort();
    }
  }

  /**
   * A subscription may mend itself without a word, for as long as it takes: whether the store is there is asked beside it.
   * It may be away for this process alone, and take revocations from the others.
   */
  private async probe(signal: AbortSignal): Promise<void> {
    const { pauseMs = PAUSE_MS } = this.pace;
    for (let asked = performance.now(); ; asked = performance.now()) {
      await pause(PROBED_EVERY * pauseMs, signal);
      if (signal.aborted) return;
      const isThere = await this.store.head().then(
        () => true,
        () => false,
      );
      if (signal.aborted) return;
      if (isThere) this.failures = 0;
      else this.failed(Math.floor((performance.now() - asked) / pauseMs));
    }
  }

  private told(error: unknown): void {
    this.isFaulty = error !== null;
    this.onFault(error);
  }

  private failed(attempts: number): void {
    this.failures += attempts;
    if (this.failures >= (this.pace.believedAttempts ?? BELIEVED_ATTEMPTS)) this.list.lookAgain(null);
  }
}

/** Whose tokens became void; null for anybody's. */
function ownersIn({ events }: Page): ReadonlySet<string | null> {
  return new Set(events.map(({ stream }) => (stream.startsWith(OWNED) ? stream.slice(OWNED.length) : null)));
}

/** The only way in which this sleep fails is the end. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
