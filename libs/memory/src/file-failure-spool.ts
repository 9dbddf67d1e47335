import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

import { MemoryFailureSpool } from './failure-spool.js';
import type { SpooledEvent } from './ports.js';
import { SpoolLineError, type SpoolLines } from './spool-lines.js';

/** Lines that were passed over when an earlier process's file was read, and moved aside. */
export interface RefusedLines {
  readonly file: string;
  /** Where they are now. */
  readonly aside: string;
  /** Numbers of the first of them, from 1; none where the whole file is too large to be what a server wrote. */
  readonly lines: readonly number[];
  readonly count: number;
  /** What the first of them is. */
  readonly reason: string;
}

export interface SpoolListener {
  /** Told of what the file could not take or give, once until it takes something again; the events stay in memory then. */
  onFault(error: unknown): void;
  onRefused(refused: RefusedLines): void;
}

/** A thousand events of some hundred bytes, twice: a server writes no larger file. */
const MOST_BYTES = 64 * 1024 * 1024;
const NAMED_LINES = 20;

/**
 * A spool that a restart does not empty: one JSON line an event, in a file for its owner only. What stands there is
 * appended under the ids it had, so that a crash between an append and its removal here appends nothing twice.
 */
export class FileFailureSpool extends MemoryFailureSpool {
  private written = 0;
  /** The last write failed, perhaps in the middle of a line: nothing may stand behind that. */
  private isTorn = false;

  /**
   * Takes over what an earlier process left.
   * @param file its path; made at the first event
   * @throws the system's error, which names the file, where it is there and cannot be read
   */
  constructor(
    private readonly file: string,
    private readonly lines: SpoolLines,
    private readonly listener: SpoolListener,
    limit?: number,
  ) {
    super(limit);
    const refused = this.takeOver();
    this.written = this.waiting.length;
    if (refused.length > 0) this.setAside(refused);
  }

  override add(event: SpooledEvent): void {
    super.add(event);
    this.write(() => {
      // The file holds what was let go too, until there is twice as much as can be kept.
      if (this.isTorn || this.written >= 2 * Math.max(1, this.waiting.length)) return this.rewrite();
      appendFileSync(this.file, `${this.lines.lineOf(event)}\n`, { mode: 0o600, flush: true });
      this.written++;
    });
  }

  override async drain(append: (event: SpooledEvent) => Promise<void>): Promise<void> {
    try {
      await super.drain(append);
    } finally {
      if (this.isTorn || this.waiting.length !== this.written) this.write(() => this.rewrite());
    }
  }

  private rewrite(): void {
    if (this.waiting.length === 0) rmSync(this.file, { force: true });
    else {
      const beside = `${this.file}.new`;
      const lines = this.waiting.map((event) => `${this.lines.lineOf(event)}\n`);
      writeFileSync(beside, lines.join(''), { mode: 0o600, flush: true });
      renameSync(beside, this.file);
    }
    this.written = this.waiting.length;
  }

  /** Answers the lines that are none of this server's. */
  private takeOver(): readonly RefusedLine[] {
    if (!existsSync(this.file)) return [];
    if (statSync(this.file).size > MOST_BYTES) {
      const aside = this.aside;
      renameSync(this.file, aside);
      this.listener.onRefused({ file: this.file, aside, lines: [], count: 0, reason: 'larger than a server makes it' });
      return [];
    }
    const refused: RefusedLine[] = [];
    for (const [i, text] of this.text().split('\n').entries()) {
      if (text === '') continue;
      try {
        super.add(this.lines.eventIn(text));
      } catch (error) {
        if (!(error instanceof SpoolLineError)) throw error;
        refused.push({ number: i + 1, text, reason: error.message });
      }
    }
    return refused;
  }

  private text(): string {
    try {
      return readFileSync(this.file, 'utf8');
    } catch (error) {
      // The system does not name what it could open and not read, as a folder.
      (error as NodeJS.ErrnoException).path ??= this.file;
      throw error;
    }
  }

  /** Out of the way, so that the next start does not meet them again, and where somebody can look at them. */
  private setAside(refused: readonly RefusedLine[]): void {
    const { file, aside } = this;
    this.write(() => {
      appendFileSync(aside, refused.map(({ text }) => `${text}\n`).join(''), { mode: 0o600, flush: true });
      this.rewrite();
    });
    const lines = refused.slice(0, NAMED_LINES).map(({ number }) => number);
    this.listener.onRefused({ file, aside, lines, count: refused.length, reason: refused[0]!.reason });
  }

  private get aside(): string {
    return `${this.file}.refused`;
  }

  private write(work: () => void): void {
    try {
      work();
      this.isTorn = false;
    } catch (error) {
      if (!this.isTorn) this.listener.onFault(error);
      this.isTorn = true;
    }
  }
}

interface RefusedLine {
  readonly number: number;
  readonly text: string;
  readonly reason: string;
}
