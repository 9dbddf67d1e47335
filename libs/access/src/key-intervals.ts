import { comparePositions, type EventLog, type Position, type Signers } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import { retiredKeys } from './key-history.js';

/** Since when the keys of events sign no more, looked up once for each that does not sign now. */
export class KeyIntervals implements Signers {
  private readonly past: ReadonlySet<string>;
  private retired: Readonly<Record<string, string>> = {};

  constructor(
    private readonly log: Pick<EventLog, 'store' | 'codec'>,
    ring: KeyRing,
  ) {
    const former = ring.all().filter(({ purpose, state }) => purpose === 'event-hmac' && state !== 'active');
    this.past = new Set(former.map(({ kid }) => kid));
  }

  wasRetired(kid: string, position: Position): boolean | Promise<boolean> {
    if (!this.past.has(kid)) return false;
    return this.isPast(kid, position) ?? this.lookUp(kid, position);
  }

  /** When a key was retired never changes; until it is known, another process may have put it on record meanwhile. */
  private async lookUp(kid: string, position: Position): Promise<boolean> {
    this.retired = await retiredKeys(this.log, 'event-hmac');
    return this.isPast(kid, position) ?? false;
  }

  private isPast(kid: string, position: Position): boolean | undefined {
    const since = this.retired[kid];
    return since === undefined ? undefined : comparePositions(position, since as Position) > 0;
  }
}
