import type { CommandContext } from '#lib/access';

import type { SweepRecord } from './sweep-record.js';
import type { SweepView } from './sweep-view.js';

/** Milliseconds of a sweep that the end of its process takes away at most, beside the ranges that are under way. */
const EVERY_MS = 10_000;

interface NotesParts {
  readonly record: Pick<SweepRecord, 'note'>;
  readonly ctx: CommandContext;
  /** How many of the jobs that it lists are on record when it begins. */
  readonly listed: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** Notes in the log how far a sweep is, now and then and one note at a time; a sweep does not wait for it, nor end by it. */
export class ProgressNotes {
  private last: number;
  private nth = 0;
  private listed: number;
  private noting: Promise<void> | undefined;

  constructor(private readonly parts: NotesParts) {
    this.last = parts.now();
    this.listed = parts.listed;
  }

  take(view: SweepView): void {
    const { record, ctx, now, onTrouble } = this.parts;
    const at = now();
    if (this.noting || at - this.last < EVERY_MS) return;
    this.last = at;
    const { sweep_id, position, processed: jobs, counts, unmatched_total, authoritative } = view;
    const reached_at = new Date(at).toISOString();
    const unmatched = view.unmatched.slice(this.listed);
    const progress = { sweep_id, position, jobs, counts, unmatched, unmatched_total, authoritative, reached_at };
    this.noting = record
      .note(progress, this.nth++, ctx)
      .then(() => void (this.listed = view.unmatched.length))
      .catch(onTrouble)
      .finally(() => (this.noting = undefined));
  }

  /** Once nothing is being noted: what comes after it stands behind it. */
  async settled(): Promise<void> {
    await this.noting;
  }
}
