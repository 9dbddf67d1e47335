import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadStore } from '#lib/read-store';
import { FencedError } from './errors.js';
import { awaitTurn, Heartbeat, type LeaseOptions } from './lease.js';
import { Ownership, type ProjectionVersion } from './ownership.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** One process's turn at what one at a time does: held by a beat, given back at the end, taken over where the beat stops. */
export class Turn {
  private readonly losing = new AbortController();
  private readonly heartbeat: Heartbeat;
  private beaten = performance.now();

  private constructor(
    private readonly ownership: Ownership,
    private readonly durationMs: number,
  ) {
    this.heartbeat = new Heartbeat(
      durationMs / 4,
      () => this.beat(),
      (error) => this.beatFailed(error),
      () => this.expire(),
    );
  }

  /**
   * Settles once it is this process's turn at what is called so.
   * @param name [a-z][a-z0-9_-]*, at most 60; unique among projections, reactors and the rest
   * @throws the signal's reason, and what the store throws
   */
  static async await(documents: ReadStore, name: string, lease: LeaseOptions, signal: AbortSignal): Promise<Turn> {
    const what: ProjectionVersion = { name, version: 1 };
    for (;;) {
      await awaitTurn(documents, what, lease, signal);
      try {
        return new Turn(await Ownership.take(documents, what, lease.holder), lease.durationMs);
      } catch (error) {
        // Of several who found it free at once one has it, and the others wait again.
        if (!(error instanceof FencedError)) throw error;
      }
    }
  }

  /** Aborted once another has it, or may have: nobody has heard of this process for as long as the lease. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** Who waits need not wait any longer. */
  async end(): Promise<void> {
    await this.heartbeat.end();
    // Who has lost it has nothing to give back; a store that is away is found silent by who waits.
    if (!this.lost.aborted) await this.ownership.release().catch(() => undefined);
  }

  private async beat(): Promise<void> {
    await this.ownership.beat();
    this.beaten = performance.now();
  }

  private beatFailed(error: unknown): void {
    if (error instanceof FencedError) this.losing.abort();
    else this.expire();
  }

  private expire(): void {
    if (performance.now() - this.beaten >= this.durationMs) this.losing.abort();
  }
}

export interface TurnsOptions {
  readonly documents: ReadStore;
  /** As of `Turn.await`. */
  readonly name: string;
  /** Undefined where no other process does it. */
  readonly lease: LeaseOptions | undefined;
  readonly stopping: AbortSignal;
  /** Told of what `work` and the store throw, each time; it is begun again. Told null once it goes again. */
  readonly onFault: (error: unknown) => void;
  /** Pause after the first fault, doubled with each further one in a row up to 30 s; default 1,000. */
  readonly firstPauseMs?: number;
}

/** @param goes to be called whenever something has come of it: then no fault before it counts any more */
export type Work = (signal: AbortSignal, goes: () => void) => Promise<void>;

/**
 * Does what one process at a time does: from each turn on until its signal is aborted, and again at the next. Settles at
 * the stop, or once the work is done.
 */
export async function inTurns(options: TurnsOptions, work: Work): Promise<void> {
  const { documents, name, lease, stopping, onFault, firstPauseMs = FIRST_PAUSE_MS } = options;
  let faults = 0;
  const goes = (): void => {
    if (faults > 0) onFault(null);
    faults = 0;
  };
  while (!stopping.aborted) {
    let turn: Turn | undefined;
    try {
      turn = lease && (await Turn.await(documents, name, lease, stopping));
      await work(turn ? AbortSignal.any([stopping, turn.lost]) : stopping, goes);
      if (turn?.lost.aborted) continue;
      if (!stopping.aborted) goes();
      return;
    } catch (error) {
      if (stopping.aborted) return;
      if (!turn?.lost.aborted) {
        onFault(error);
        // The only way in which this sleep fails is the stop.
        const pause = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** Math.min(faults++, 20));
        await sleep(pause, undefined, { signal: stopping }).catch(() => undefined);
      }
    } finally {
      await turn?.end();
    }
  }
}
