import { setTimeout as sleep } from 'node:timers/promises';

import type { EventStore } from '#lib/event-store';

import { policyEvents } from './domain/policy.events.js';
import type { Policies } from './policies.js';

const TYPES = policyEvents.map(({ type }) => type);
const PAUSE_MS = 1_000;

/** Follows what other processes that share the log put in force, so that it holds here too. */
export class PolicyWatch {
  private readonly ended = new AbortController();
  private following: Promise<void> | undefined;
  private isFaulty = false;

  /**
   * @param onFault told of each time that the log could not be followed, or a policy not be read; null once both go again
   * @param pauseMs between two attempts
   */
  constructor(
    private readonly store: EventStore,
    private readonly policies: Pick<Policies, 'lookAgain'>,
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
        if (!signal.aborted) this.failed(error);
      }
      // The only way in which this sleep fails is the end.
      if (!signal.aborted) await sleep(this.pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async followFromHere(signal: AbortSignal): Promise<void> {
    const after = await this.store.head();
    // What changed before is in force as well, and nobody tells of it any more.
    await this.policies.lookAgain();
    for await (const item of this.store.subscribeAll({ after, types: TYPES, signal })) {
      if (item.kind === 'page' && item.page.events.length > 0) await this.policies.lookAgain();
      this.goes();
    }
  }

  private failed(error: unknown): void {
    this.isFaulty = true;
    this.onFault(error);
  }

  private goes(): void {
    if (this.isFaulty) this.onFault(null);
    this.isFaulty = false;
  }
}
