interface Anchor {
  write(note: string): Promise<void>;
}

const LEAST_PAUSE_MS = 250;

/**
 * Keeps the last note outside the store. Two syncs of a file cost as much as a hundred leaves: while checkpoints follow
 * each other closely, only the newest of a quarter of a second is kept.
 */
export class PacedAnchor {
  private kept = -Infinity;
  private waiting: string | null = null;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(
    private readonly anchor: Anchor,
    /** Told of each outcome. A checkpoint that could not be kept stands all the same, and is kept later, or the next one. */
    private readonly onOutcome: (fault: Error | null) => void,
    /** How long after what could not be kept it is tried again. */
    private readonly retryMs: number,
  ) {}

  /** Settles once the note is kept, or waits for its turn. */
  async keep(note: string): Promise<void> {
    this.waiting = note;
    const rest = this.kept + LEAST_PAUSE_MS - performance.now();
    if (rest <= 0) return this.flush();
    this.timer ??= setTimeout(() => void this.flush(), rest).unref();
  }

  /** Keeps what waits, now. */
  async settle(): Promise<void> {
    await this.flush();
  }

  /** The same, and what cannot be kept then is given up. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.flush();
  }

  /** One at a time, the newest. */
  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private async write(): Promise<void> {
    const note = this.waiting;
    if (note === null) return;
    this.waiting = null;
    try {
      await this.anchor.write(note);
      this.onOutcome(null);
    } catch (error) {
      this.onOutcome(error as Error);
      if (!this.isOver) this.again(note);
    }
    this.kept = performance.now();
  }
  private again(note: string): void {
    this.waiting ??= note;
    this.timer ??= setTimeout(() => void this.flush(), this.retryMs).unref();
  }
}
