import { performance } from 'node:perf_hooks';

/** When something was asked for, by both clocks. */
export interface Taken {
  /** Ms since the Unix epoch. */
  readonly at: number;
  /** Ms of the clock that nobody sets. */
  readonly since: number;
}

interface Held<T> {
  readonly value: T;
  readonly taken: Taken;
}

/**
 * What may be in memory for so long and no longer. Time is over when either clock says so: one that was set back prolongs
 * nothing, and neither does a machine that slept. What is over is dropped then, whether or not anybody asks for it.
 */
export class Leases<T> {
  private readonly held = new Map<string, Held<T>>();
  /** The next, and when it comes, by the clock that nobody sets. */
  private sweep: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined;

  /** @param now ms since the Unix epoch */
  constructor(
    private readonly ms: number,
    private readonly now: () => number,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** Called before what is to be kept is asked for, so that its time does not begin with the answer. */
  take(): Taken {
    return { at: this.now(), since: this.elapsed() };
  }

  get(name: string): T | undefined {
    const held = this.held.get(name);
    return held && this.isDue(held) ? undefined : held?.value;
  }

  /** What came after its time is not kept. */
  set(name: string, value: T, taken: Taken): void {
    const held = { value, taken };
    if (this.isDue(held)) return;
    this.held.set(name, held);
    this.sweepAt(this.endOf(held));
  }

  delete(isMeant: (name: string) => boolean): void {
    for (const name of this.held.keys()) if (isMeant(name)) this.held.delete(name);
  }

  /** How much is in memory. */
  get size(): number {
    return this.held.size;
  }

  private isDue({ taken: { at, since } }: Held<T>): boolean {
    const age = this.now() - at;
    return age < 0 || age >= this.ms || this.elapsed() - since >= this.ms;
  }

  private endOf({ taken: { since } }: Held<T>): number {
    return since + this.ms;
  }

  /** Then or sooner. */
  private sweepAt(at: number): void {
    if (this.sweep && this.sweep.at <= at) return;
    clearTimeout(this.sweep?.timer);
    // A timer may come a moment too early.
    const timer = setTimeout(() => this.drop(), Math.max(1, at - this.elapsed())).unref();
    this.sweep = { timer, at };
  }

  private drop(): void {
    this.sweep = undefined;
    for (const [name, held] of this.held) {
      if (this.isDue(held)) this.held.delete(name);
      else this.sweepAt(this.endOf(held));
    }
  }
}
