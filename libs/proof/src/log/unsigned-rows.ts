import { comparePositions, type Page, type Position, type RowSignatures } from '#lib/event-store';

/** A row of the event store that no key of the server signed. */
export interface UnsignedRow {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly reason: string;
}

/**
 * The first row that a Merkle log follows and that nobody signed: no checkpoint may cover it, because whoever goes by
 * checkpoints would take it for an event. What this process appended itself is not looked at again.
 */
export class UnsignedRows {
  private met: UnsignedRow | null = null;
  private readonly told = new Map<string, UnsignedRow>();
  private readonly listeners: ((row: UnsignedRow) => void)[] = [];

  /** @param onFirst told each time that there is one, also where it was met before */
  constructor(
    private readonly signatures: Pick<RowSignatures, 'faultOf'>,
    private readonly onFirst: (row: UnsignedRow) => void,
  ) {}

  get first(): UnsignedRow | null {
    return this.met;
  }

  /** Looks for one where none is known yet: those behind it are a walk's to name. */
  look({ events, isOwn }: Pick<Page, 'events' | 'isOwn'>): void {
    if (isOwn || this.met) return;
    for (const row of events) {
      const fault = this.signatures.faultOf(row);
      if (fault !== null) return this.tell({ ...placeOf(row), reason: fault });
    }
  }

  /** Whether a checkpoint up to a position would cover it. */
  isWithin(position: Position): boolean {
    return this.met !== null && comparePositions(this.met.position, position) <= 0;
  }

  /** What stands there is read once more. */
  forget(): void {
    this.met = null;
  }

  /** Tells what there was by now, and what comes, once a place. */
  onMet(listener: (row: UnsignedRow) => void): void {
    this.told.forEach((row) => listener(row));
    this.listeners.push(listener);
  }

  private tell(row: UnsignedRow): void {
    this.met = row;
    this.onFirst(row);
    if (this.told.has(row.position)) return;
    this.told.set(row.position, row);
    for (const listener of this.listeners) listener(row);
  }
}

function placeOf({ stream, revision, position }: Omit<UnsignedRow, 'reason'>): Omit<UnsignedRow, 'reason'> {
  return { stream, revision, position };
}
