import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { MemoryFailureSpool } from './failure-spool.js';
import type { SpooledEvent } from './ports.js';

/** Told of what the file could not take or give, once until it takes something again; the events stay in memory then. */
export type OnSpoolFault = (error: unknown) => void;

/**
 * A spool that a restart does not empty: one JSON line an event, in a file for its owner only. What stands there is
 * appended under the ids it had, so that a crash between an append and its removal here appends nothing twice.
 */
export class FileFailureSpool extends MemoryFailureSpool {
  private lines = 0;
  /** The last write failed, perhaps in the middle of a line: nothing may stand behind that. */
  private isTorn = false;

  /** Takes over what an earlier process left. @param file its path; made at the first event */
  constructor(
    private readonly file: string,
    private readonly onFault: OnSpoolFault,
    limit?: number,
  ) {
    super(limit);
    for (const event of this.left()) super.add(event);
    this.lines = this.waiting.length;
  }

  override add(event: SpooledEvent): void {
    super.add(event);
    this.write(() => {
      // The file holds what was let go too, until there is twice as much as can be kept.
      if (this.isTorn || this.lines >= 2 * Math.max(1, this.waiting.length)) return this.rewrite();
      appendFileSync(this.file, `${JSON.stringify(event)}\n`, { mode: 0o600, flush: true });
      this.lines++;
    });
  }

  override async drain(append: (event: SpooledEvent) => Promise<void>): Promise<void> {
    try {
      await super.drain(append);
    } finally {
      if (this.isTorn || this.waiting.length !== this.lines) this.write(() => this.rewrite());
    }
  }

  private rewrite(): void {
    if (this.waiting.length === 0) rmSync(this.file, { force: true });
    else {
      const beside = `${this.file}.new`;
      const lines = this.waiting.map((event) => `${JSON.stringify(event)}\n`);
      writeFileSync(beside, lines.join(''), { mode: 0o600, flush: true });
      renameSync(beside, this.file);
    }
    this.lines = this.waiting.length;
  }

  private left(): readonly SpooledEvent[] {
    if (!existsSync(this.file)) return [];
    const events: SpooledEvent[] = [];
    for (const line of readFileSync(this.file, 'utf8').split('\n')) {
      try {
        if (line !== '') events.push(spooledIn(line));
      } catch (error) {
        this.onFault(error);
      }
    }
    return events;
  }

  private write(work: () => void): void {
    try {
      work();
      this.isTorn = false;
    } catch (error) {
      if (!this.isTorn) this.onFault(error);
      this.isTorn = true;
    }
  }
}

/** @throws Error for a line that is no spooled event: nothing could ever append it, and all after it would wait */
function spooledIn(line: string): SpooledEvent {
  const { stream, event, provenance } = JSON.parse(line) as Partial<SpooledEvent>;
  const texts = [stream, event?.type, provenance?.jobSeed, provenance?.traceId, provenance?.actor?.id];
  const isComplete = texts.every((text) => typeof text === 'string') && typeof event?.data === 'object';
  if (!isComplete || !Number.isSafeInteger(provenance?.sequenceIndex)) throw new Error('a line is no spooled event');
  return { stream, event, provenance } as SpooledEvent;
}
