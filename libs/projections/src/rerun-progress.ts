export interface RerunProgress {
  /** Positions passed and to be passed; where positions are dense, events of every type. */
  readonly processed: number;
  readonly total: number;
  /** Events that the projection read. */
  readonly events: number;
  /** Positions a second since the beginning. */
  readonly rate: number;
  /** Null before anything can be said. */
  readonly eta_seconds: number | null;
}

const REPORT_EVERY_MS = 200;

/** Tells how far a rerun is: what is written, not what is read. */
export class ProgressMeter {
  private readonly started: number;
  private reported = Number.NEGATIVE_INFINITY;
  private goal: string;

  constructor(
    private readonly from: string,
    private readonly clock: () => number,
    private readonly report: ((progress: RerunProgress) => void) | undefined,
  ) {
    this.started = clock();
    this.goal = from;
  }

  aimAt(goal: string): void {
    this.goal = goal;
  }

  /** Reports now and then, and always at the goal. */
  reached(position: string, events: number): void {
    const now = this.clock();
    if (!this.report || (position !== this.goal && now - this.reported < REPORT_EVERY_MS)) return;
    this.reported = now;
    const processed = distance(this.from, position);
    const total = distance(this.from, this.goal);
    const seconds = (now - this.started) / 1000;
    const rate = seconds > 0 ? Math.round(processed / seconds) : 0;
    this.report({
      processed,
      total,
      events,
      rate,
      eta_seconds: rate > 0 ? Math.ceil((total - processed) / rate) : null,
    });
  }
}

function distance(from: string, to: string): number {
  return Number(BigInt(to) - BigInt(from));
}
