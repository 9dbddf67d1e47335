import { IntegrityError, type Page, type RecordedEvent } from '#lib/event-store';
import { type Change } from '#lib/read-store';
import { type AsideList } from './aside.js';
import { type EventReference, PoisonEventError } from './errors.js';
import { partitionOf } from './partition.js';
import { comparePositions } from './positions.js';
import { type Decode, type Projection } from './projection.js';

/** How recorded events become changes. */
export interface Reading {
  readonly projection: Projection;
  readonly decode: Decode;
  /** Events that are left out. */
  readonly aside: AsideList;
}

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

  /** Position of its last event; null where it has none. */
  get last(): string | null {
    return this.sources.at(-1)?.position ?? null;
  }

  isFull(maxEvents: number, maxCharacters: number): boolean {
    return this.sources.length >= maxEvents || this.characters >= maxCharacters;
  }

  /**
   * Takes a page's events up to `until`, all where absent. What was delivered before is not taken again. What was taken
   * stays where one of them is refused.
   * @throws PoisonEventError
   */
  take(page: Page, reading: Reading, until?: string): void {
    for (const event of page.events) {
      if (comparePositions(event.position, this.to) <= 0) continue;
      if (until !== undefined && comparePositions(event.position, until) > 0) break;
      this.add(event, reading, page.isOwn);
      this.to = event.position;
    }
    const reached = until !== undefined && comparePositions(page.scannedTo, until) > 0 ? until : page.scannedTo;
    if (comparePositions(reached, this.to) > 0) this.to = reached;
  }

  /** Takes one event, without moving on. @throws PoisonEventError */
  add(event: RecordedEvent, reading: Reading, isOwn = false): void {
    const changes = changesOf(event, reading, isOwn);
    if (!changes) return;
    for (const change of changes) this.changes.push(change);
    const { id, type, stream, revision, position } = event;
    this.sources.push({ id, type, stream, revision, position });
    this.ends.push(this.changes.length);
    this.characters += event.utf8?.length ?? event.text.length;
  }

  /** The same event by event, to find the one whose changes cannot be stored. */
  *singly(): Generator<{ readonly event: EventReference; readonly changes: readonly Change[] }> {
    for (const [i, event] of this.sources.entries()) {
      yield { event, changes: this.changes.slice(this.ends[i - 1] ?? 0, this.ends[i]) };
    }
  }
}

/** Null for an event that is left out, and for a row that nobody signed. @throws PoisonEventError */
function changesOf(
  event: RecordedEvent,
  { projection, decode, aside }: Reading,
  isOwn: boolean,
): readonly Change[] | null {
  if (aside.names(event.position)) return null;
  let isDecoded = false;
  try {
    if (aside.hasRanges && aside.holds(event.position, partitionOf(projection, decode, event))) return null;
    const decoded = decode(event, isOwn);
    isDecoded = true;
    return projection.project(decoded);
  } catch (error) {
    if (error instanceof IntegrityError && !isDecoded) return null;
    throw new PoisonEventError(projection.name, event, isDecoded ? 'projecting' : 'decoding', error);
  }
}
