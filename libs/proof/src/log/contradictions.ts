/** What the log's own key has signed, and the log does not hold: another history of it was shown to somebody. */
export interface Contradiction {
  readonly reason: string;
  /** Number of events that were signed for. */
  readonly size: number;
}

/** All of them that were met, each reason once. */
export class Contradictions {
  private readonly met: Contradiction[] = [];
  private readonly listeners: ((found: Contradiction) => void)[] = [];

  /** Tells what there is by now, and what comes, once each. */
  onEach(listener: (found: Contradiction) => void): void {
    this.met.forEach(listener);
    this.listeners.push(listener);
  }

  add(found: Contradiction): void {
    if (this.met.some(({ reason }) => reason === found.reason)) return;
    this.met.push(found);
    for (const listener of this.listeners) listener(found);
  }
}
