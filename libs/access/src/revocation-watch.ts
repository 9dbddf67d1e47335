import type { EventStore } from '#lib/event-store';

import { principalRemoved, tokenRevoked } from './domain/revocation.events.js';
import type { RevocationList } from './revocations.js';

const TYPES = [tokenRevoked.type, principalRemoved.type];
const PAUSE_MS = 1_000;

/**
 * Follows what other processes revoke in a store that several share, so that a token which this process remembers falls
 * there as well. Where the store cannot be followed, nothing that is remembered is believed.
 */
export class RevocationWatch {
  private readonly ended = new AbortController();
  private following: Promise<void> | undefined;

  /** @param onFault told of each time the store could not be followed */
  constructor(
    private readonly store: EventStore,
    private readonly list: RevocationList,
    private readonly onFault: (error: unknown) => void,
    private readonly pauseMs = PAUSE_MS,
  ) {}

  start(): void {
    this.following ??= this.follow(this.ended.signal);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.following;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.followFromHere(signal);
      } catch (error) {
        if (!signal.aborted) this.onFault(error);
      }
      this.list.lookAgain();
      if (!signal.aborted) await pause(this.pauseMs, signal);
    }
  }

  private async followFromHere(signal: AbortSignal): Promise<void> {
    const after = await this.store.head();
    // What was remembered before may have been revoked before; what is looked at from now on is looked at after `after`.
    this.list.lookAgain();
    for await (const item of this.store.subscribeAll({ after, types: TYPES, signal })) {
      if (item.kind === 'page' && item.page.events.length > 0) this.list.lookAgain();
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        done();
      },
      { once: true },
    );
  });
}
