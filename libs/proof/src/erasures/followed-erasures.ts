import type { EventStore, Position, RecordedEvent } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import type { ErasedKeys } from '../erased-keys.js';
import { DESTROYED, erasureFault, PURGED, type Said } from './erasure-rule.js';
import { retiredSigners } from './retired-signers.js';
import { type Signers, signedUpTo, UnsignedError } from './signed-up-to.js';

/** An event that says that something of a person was destroyed, and by which nothing may be. */
export interface FalseErasure {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** False where a key of the ring has signed it all the same. */
  readonly isUnsigned: boolean;
  readonly reason: string;
}

/**
 * Takes up from the events what was destroyed. What is on the list is destroyed again in each copy, for good, so that only
 * what the server itself signed and decided comes on it: whoever can write to the event store holds no key.
 */
export class FollowedErasures {
  private readonly met: FalseErasure[] = [];
  private readonly listeners: ((found: FalseErasure) => void)[] = [];

  constructor(
    private readonly list: Pick<ErasedKeys, 'take'>,
    private readonly events: EventStore,
    private readonly ring: KeyRing,
  ) {}

  /** Tells what there is by now, and what comes, once each. */
  onFalse(listener: (found: FalseErasure) => void): void {
    this.met.forEach(listener);
    this.listeners.push(listener);
  }

  /** Takes up what the events say, before they count as followed. @throws what the store throws */
  async follow(events: readonly RecordedEvent[]): Promise<void> {
    const named = events.filter(({ type }) => type === DESTROYED || type === PURGED);
    if (named.length === 0) return;
    const signers = { ring: this.ring, retired: await retiredSigners(this.events, this.ring) };
    const taken: Said[] = [];
    for (const event of named) {
      const said = await this.said(event, signers);
      if (said) taken.push(said);
    }
    await this.list.take(taken);
  }

  private async said(event: RecordedEvent, signers: Signers): Promise<Said | null> {
    try {
      const upTo = await signedUpTo(this.events, event, signers);
      const reason = erasureFault(event.stream, upTo);
      if (reason === null) return upTo.at(-1)!;
      this.tell(event, false, reason);
    } catch (error) {
      if (!(error instanceof UnsignedError)) throw error;
      this.tell(event, true, error.message);
    }
    return null;
  }

  private tell({ type, stream, revision, position }: RecordedEvent, isUnsigned: boolean, why: string): void {
    if (this.met.some((one) => one.position === position)) return;
    const reason = `nothing is destroyed by this ${type}: ${why}`;
    const found = { stream, revision, position, isUnsigned, reason };
    this.met.push(found);
    for (const listener of this.listeners) listener(found);
  }
}
