import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the data folder that stands there while a process serves it, and after one that ended without stopping. */
export class RunMark {
  private readonly file: string;
  private isOurs = false;

  /**
   * Since when the process before this one served, ISO 8601, where it ended without stopping; undefined where none did.
   */
  readonly left: string | undefined;

  constructor(folder: string) {
    this.file = join(folder, 'running.json');
    this.left = readMark(this.file);
  }

  /** @throws Error where it cannot be written */
  set(): void {
    writeFileSync(this.file, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }));
    this.isOurs = true;
  }

  /** What an earlier process left is on record. */
  takeUp(): void {
    rmSync(this.file, { force: true });
  }

  /** This process stops in order. */
  clear(): void {
    if (this.isOurs) rmSync(this.file, { force: true });
    this.isOurs = false;
  }
}

const UNKNOWN = 'an unknown time';

function readMark(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    const { since } = JSON.parse(text) as { readonly since?: unknown };
    return typeof since === 'string' && !Number.isNaN(Date.parse(since)) ? since : UNKNOWN;
  } catch {
    // Cut short by a machine that went off.
    return UNKNOWN;
  }
}
