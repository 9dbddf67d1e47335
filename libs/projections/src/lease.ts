import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadStore } from '#lib/read-store';
import { ownerSign, type OwnerSign, type ProjectionVersion } from './ownership.js';

/** Where several processes may own a projection, one at a time. */
export interface LeaseOptions {
  /** Who holds it, unique among all processes. */
  readonly holder: string;
  /** An owner whose beat has not moved for so long is taken for dead; a beat comes every quarter of it. */
  readonly durationMs: number;
}

/** A lease under a name that nobody else has. */
export function newLease(durationMs: number): LeaseOptions {
  return { holder: randomUUID(), durationMs };
}

/**
 * Settles once nobody holds the projection, or its holder's beat stood still for the lease's length by the clock of who
 * waits: no two machines' clocks are compared. A holder that only slept is fenced by who comes after it.
 * @throws the signal's reason, and what the store throws
 */
export async function awaitTurn(
  documents: ReadStore,
  projection: ProjectionVersion,
  { durationMs }: LeaseOptions,
  signal: AbortSignal,
): Promise<void> {
  let seen: OwnerSign | null = null;
  for (let since = performance.now(); ;) {
    signal.throwIfAborted();
    const sign = await ownerSign(documents, projection);
    if (!sign || sign.holder === null) return;
    if (sign.epoch !== seen?.epoch || sign.beat !== seen.beat) [seen, since] = [sign, performance.now()];
    else if (performance.now() - since >= durationMs) return;
    await sleep(durationMs / 4, undefined, { signal });
  }
}

/** Beats until it is ended; what it meets is told, and does not end it. */
export class Heartbeat {
  private readonly timer: NodeJS.Timeout;
  private beating: Promise<void> = Promise.resolve();
  private isBusy = false;

  /** @param onLate told at the time of each beat for which the one before has no answer yet */
  constructor(everyMs: number, beat: () => Promise<void>, onFault: (error: unknown) => void, onLate?: () => void) {
    this.timer = setInterval(() => {
      if (this.isBusy) return onLate?.();
      this.isBusy = true;
      this.beating = beat()
        .catch(onFault)
        .finally(() => (this.isBusy = false));
    }, everyMs).unref();
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }
}
