import type { ReplayStep } from './domain/replay.events.js';

/** Milliseconds, monotonic, with fractions. */
export type Clock = () => number;

/** Verification steps as they are made; each is told with the time since the one before it. */
export class StepList {
  readonly steps: ReplayStep[] = [];
  private mark: number;

  constructor(private readonly clock: Clock) {
    this.mark = clock();
  }

  /** Microseconds since the last step or lap. */
  lap(): number {
    const now = this.clock();
    const passed = (now - this.mark) * 1000;
    this.mark = now;
    return passed;
  }

  ok(step: string, checked: number, detail: string, cost = this.lap()): void {
    this.add(step, 'ok', checked, detail, cost);
  }

  erased(step: string, checked: number, detail: string, cost = this.lap()): void {
    this.add(step, 'erased', checked, detail, cost);
  }

  unchecked(step: string, detail: string, cost = this.lap()): void {
    this.add(step, 'unchecked', 0, detail, cost);
  }

  failed(step: string, detail: string, checked = 0, cost = this.lap()): void {
    this.add(step, 'failed', checked, detail, cost);
  }

  get hasFailed(): boolean {
    return this.steps.some(({ verdict }) => verdict === 'failed');
  }

  private add(step: string, verdict: ReplayStep['verdict'], checked: number, detail: string, cost: number): void {
    this.steps.push({ step, verdict, checked, detail, cost_us: Math.max(0, Math.round(cost)) });
  }
}
