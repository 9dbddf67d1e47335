import { inTurns, type LeaseOptions } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { keepWindows, takeUpWindows, type WindowParts } from './kept-windows.js';

/** Where due times are kept. */
export interface Keeping {
  /** Unique among projections, reactors and the rest. */
  readonly name: string;
  /** False where other processes keep them. */
  readonly isHere: boolean;
  /** Undefined where no other process may. */
  readonly lease: LeaseOptions | undefined;
  readonly documents: ReadStore;
  /** Told each time that what is open could not be looked for, which is tried again; null once it could. */
  readonly onFault: (error: unknown) => void;
}

/** Keeps due times while the process runs; of several processes one does, which learns of all of them from the log. */
export class WindowKeeping {
  private readonly stopping = new AbortController();
  private kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: WindowParts,
    private readonly keeping: Keeping,
  ) {}

  start(): void {
    this.kept = this.keep();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.parts.windows.stop();
    await this.kept;
  }

  private async keep(): Promise<void> {
    const { parts, keeping } = this;
    const { isHere, lease, name, documents, onFault } = keeping;
    const turns = { documents, name, lease, stopping: this.stopping.signal, onFault };
    // No stop waits for the list; who opens something here adds it by itself.
    if (isHere && !lease) return void inTurns(turns, () => takeUpWindows(parts));
    await parts.windows.stop();
    if (!isHere) return;
    await inTurns(turns, (signal, goes) => keepWindows(parts, signal, goes));
  }
}
