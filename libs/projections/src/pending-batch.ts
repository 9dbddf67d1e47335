import { type Page, type RecordedEvent } from '#lib/event-store';
import { type Change } from '#lib/read-store';
import { type EventReference, PoisonEventError } from './errors.js';
import { comparePositions } from './positions.js';
import { type Decode, type Projection } from './projection.js';

/** Events turned into changes, not written yet, with the position that writing them leads to. */
export class PendingBatch {
  readonly changes: Change[] = [];
  /**
   * Which changes are whose: event i made those from `ends[i - 1]` to `ends[i]`. Without the texts, which would outlive
   * the young generation and cost more to collect than to project.
   */
  private readonly sources: EventReference[] = [];
  private readonly ends: number[] = [];
  private characters = 0;

  constructor(public to: string) {}

  get events(): number {
    return this.sources.length;
  }

  isFull(maxEvents: number, maxCharacters: number): boolean {
    return this.sources.length >= maxEvents || this.characters >= maxCharacters;
  }

  /**
   * Takes a page's events up to `until`, all where absent. What was taken stays where one of them is refused.
   * @throws PoisonEventError
   */
  take(page: Page, projection: Projection, decode: Decode, until?: string): void {
    for (const event of page.events) {
      if (until !== undefined && comparePositions(event.position, until) > 0) {
        this.to = until;
        return;
      }
      const changes = changesOf(event, projection, decode);
      for (const change of changes) this.changes.push(change);
      const { id, type, stream, revision, position } = event;
      this.sources.push({ id, type, stream, revision, position });
      this.ends.push(this.changes.length);
      this.characters += event.text.length;
      this.to = position;
    }
    this.to = until !== undefined && comparePositions(page.scannedTo, until) > 0 ? until : page.scannedTo;
  }

  /** The same event by event, to find the one whose changes cannot be stored. */
  *singly(): Generator<{ readonly event: EventReference; readonly changes: readonly Change[] }> {
    for (const [i, event] of this.sources.entries()) {
      yield { event, changes: this.changes.slice(this.ends[i - 1] ?? 0, this.ends[i]) };
    }
  }
}

function changesOf(event: RecordedEvent, projection: Projection, decode: Decode): readonly Change[] {
  try {
    return projection.project(decode(event));
  } catch (error) {
    throw new PoisonEventError(projection.name, event, error);
  }
}
