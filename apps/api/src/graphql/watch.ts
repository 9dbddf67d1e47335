import { setTimeout as sleep } from 'node:timers/promises';

import type { LiveItem, LiveSource } from './followed.js';

/** Between two looks at a thing that is watched, ms. */
export const LOOK_MS = 1_000;

/** A thing that is asked for again and again, and told of whenever it has changed, until it will change no more. */
export class Watch implements LiveSource {
  private told: string | undefined;
  private readonly over = new AbortController();

  /**
   * @param thing as it is now
   * @param again asks for it as anybody would; what it throws ends the watch
   */
  constructor(
    private thing: object,
    private readonly again: () => Promise<object>,
    private readonly isOver: (thing: object) => boolean,
    private readonly lookMs = LOOK_MS,
  ) {}

  readonly mark = undefined;

  get mustEnd(): boolean {
    return this.over.signal.aborted;
  }

  async next(): Promise<LiveItem> {
    const { signal } = this.over;
    while (this.told === JSON.stringify(this.thing)) {
      if (signal.aborted) return { kind: 'ended', data: { reason: 'closed' } };
      if (this.isOver(this.thing)) return { kind: 'ended', data: { reason: 'ended' } };
      // The only way in which this sleep fails is the end.
      await sleep(this.lookMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) this.thing = await this.again();
    }
    this.told = JSON.stringify(this.thing);
    return { kind: 'frames', things: [{ kind: 'progress', position: '', value: this.thing }] };
  }

  close(): void {
    this.over.abort();
  }
}
