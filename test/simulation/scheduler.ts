import type { Draw } from './draw.js';

/** A process, as far as the scheduler is concerned: what it owns goes with it. */
export interface Owner {
  readonly name: string;
  alive: boolean;
}

export interface Timer {
  cancel(): void;
}

interface Task {
  readonly label: string;
  readonly owner: Owner | null;
  /** Whether it may be on its way already when its owner dies: then it happens, and nobody hears of it. */
  readonly outlives: boolean;
  run(): void;
}

interface Due extends Task {
  readonly at: number;
}

/** What is under way between a process and its stores: it arrives, whoever sent it. */
export const NETWORK: Owner = { name: 'network', alive: true };

export interface CallOptions {
  readonly outlives?: boolean;
  /** Whose it is; of whoever's turn it is where absent. */
  readonly owner?: Owner;
}

/** 2026-01-01T12:00:00.000Z: where a history's time begins. */
export const BEGINNING = Date.UTC(2026, 0, 1, 12);
const MOST_STEPS = 200_000;
/** Share of answers that are under way for a while before they are heard. */
const SLOW_ANSWERS = 0.25;
/** Share of steps at which whatever is pending takes so long that the next timer comes first. */
const STALLS = 0.004;
const LONGEST_STALL_MS = 30_000;

// Jest's own, before anything is replaced.
const nextTurn = globalThis.setImmediate;

/**
 * Owns every operation that is pending and every timer, and lets them happen one at a time in an order that follows from
 * the seed. Its clock moves by what happens and never by itself. A step, with all that follows from it at once, is one
 * owner's, so that whatever is begun in it is that owner's too.
 */
export class Scheduler {
  readonly trace: string[] = [];
  now = BEGINNING;
  private readonly tasks: Task[] = [];
  private timers: Due[] = [];
  /** Whose the step is that runs now, with all that follows from it before the next one. */
  private current: Owner | null = null;

  constructor(private readonly draw: Draw) {}

  /**
   * Begins work of another owner's, and answers here: whoever asks goes on as what they were. Never where the owner dies.
   */
  enter<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    const asker = this.current;
    return new Promise<T>((resolve, reject) => {
      const tell = (answer: () => void): void => {
        if (owner.alive) this.push({ label: 'told', owner: asker, outlives: false, run: answer });
      };
      const run = (): void => {
        work().then(
          (result) => tell(() => resolve(result)),
          (error: Error) => tell(() => reject(error)),
        );
      };
      this.push({ label: 'begin', owner, outlives: false, run });
    });
  }

  /** An operation that happens, and is answered, when its turn comes. Never where its owner is dead. */
  call<T>(label: string, perform: () => Promise<T>, options: CallOptions = {}): Promise<T> {
    const { outlives = false, owner = this.current } = options;
    return new Promise<T>((resolve, reject) => {
      const answer = (deliver: () => void): void => {
        // What comes of it is its owner's, also where it became ready in a step of another's.
        if (isAlive(owner) && owner === this.current && !this.draw.chance(SLOW_ANSWERS)) return deliver();
        this.push({ label: `answer ${label}`, owner, outlives: false, run: deliver });
      };
      const run = (): void => {
        perform().then(
          (result) => answer(() => resolve(result)),
          (error: Error) => answer(() => reject(error)),
        );
      };
      this.push({ label, owner, outlives, run });
    });
  }

  timer(label: string, afterMs: number, run: () => void): Timer {
    const at = this.now + Math.max(0, Math.trunc(afterMs) || 0);
    const due: Due = { label, owner: this.current, outlives: false, at, run };
    if (isAlive(due.owner)) {
      const next = this.timers.findIndex((other) => other.at > at);
      this.timers.splice(next < 0 ? this.timers.length : next, 0, due);
    }
    return { cancel: () => void (this.timers = this.timers.filter((other) => other !== due)) };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.timer('sleep', ms, resolve));
  }

  /** What is on its way may arrive all the same; nothing else of the owner's happens any more. */
  kill(owner: Owner): void {
    owner.alive = false;
    this.timers = this.timers.filter((timer) => timer.owner !== owner);
    const kept = this.tasks.filter((task) => task.owner !== owner || (task.outlives && this.draw.chance(0.5)));
    this.tasks.splice(0, this.tasks.length, ...kept);
  }

  /** @throws Error where nothing is left that could happen, or it goes on without end */
  async runUntil(isDone: () => boolean): Promise<void> {
    while (await this.settled(isDone)) {
      if (!this.step(Infinity)) throw new Error(`nothing is left that could happen\n${this.lastSteps()}`);
    }
  }

  /** Until nothing is pending and no timer is due before the horizon. */
  async runUntilQuiet(horizonMs: number): Promise<void> {
    const horizon = this.now + horizonMs;
    while (await this.settled(() => false)) {
      if (!this.step(horizon)) return;
    }
  }

  lastSteps(count = 40): string {
    return this.trace.slice(-count).join('\n');
  }

  /** Lets everything run that waits for nothing of ours. */
  private async settled(isDone: () => boolean): Promise<boolean> {
    await new Promise((resolve) => void nextTurn(resolve));
    this.current = null;
    if (this.trace.length > MOST_STEPS) throw new Error(`no end after ${MOST_STEPS} steps\n${this.lastSteps()}`);
    return !isDone();
  }

  private step(horizon: number): boolean {
    const next = this.timers[0];
    if (next && next.at > this.now) {
      const stalls = next.at - this.now <= LONGEST_STALL_MS && this.draw.chance(STALLS);
      if (this.tasks.length === 0 ? next.at <= horizon : stalls) this.now = next.at;
    }
    const task = this.take();
    if (!task) return false;
    this.now += this.draw.between(0, 2);
    this.trace.push(`${this.now - BEGINNING} ${task.owner?.name ?? 'outside'} ${task.label}`);
    this.current = task.owner;
    task.run();
    return true;
  }

  private push(task: Task): void {
    if (isAlive(task.owner)) this.tasks.push(task);
  }

  private take(): Task | undefined {
    const due = this.timers.filter(({ at }) => at <= this.now).length;
    if (this.tasks.length + due === 0) return undefined;
    const at = this.draw.between(0, this.tasks.length + due - 1);
    return at < due ? this.timers.splice(at, 1)[0] : this.tasks.splice(at - due, 1)[0];
  }
}

function isAlive(owner: Owner | null): boolean {
  return owner === null || owner.alive;
}
