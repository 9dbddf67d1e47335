import { setTimeout as sleep } from 'node:timers/promises';

import type { EventStore } from '#lib/event-store';

import { principalRemoved, tokenRevoked } from './domain/revocation.events.js';
import type { RevocationList } from './revocations.js';

const TYPES = [tokenRevoked.type, principalRemoved.type];
const PAUSE_MS = 1_000;
const BELIEVED_ATTEMPTS = 60;

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

  /** @param onFault told of each time the store could not be followed */
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
    const { pauseMs = PAUSE_MS, believedAttempts = BELIEVED_ATTEMPTS } = this.pace;
    while (!signal.aborted) {
      try {
        await this.followFromHere(signal);
      } catch (error) {
        if (!signal.aborted) this.onFault(error);
      }
      this.failures += 1;
      if (this.failures >= believedAttempts) this.list.lookAgain();
      if (!signal.aborted) await pause(pauseMs, signal);
    }
  }

  private async followFromHere(signal: AbortSignal): Promise<void> {
    const after = await this.store.head();
    // What was remembered before may have been revoked before; what is looked at from now on is looked at after `after`.
    this.list.lookAgain();
    for await (const item of this.store.subscribeAll({ after, types: TYPES, signal })) {
      this.failures = 0;
      if (item.kind === 'page' && item.page.events.length > 0) this.list.lookAgain();
    }
  }
}

/** The only way in which this sleep fails is the end. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
