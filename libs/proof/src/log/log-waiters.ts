import { comparePositions, type Position } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

/** What of an event is waited for: that it is a leaf, or that a checkpoint covers it. */
type Need = 'leaf' | 'checkpoint';

interface Waiter {
  readonly position: Position;
  readonly needs: Need;
  readonly wake: () => void;
}

/** The log, as far as those who wait for it must know it. */
interface AwaitedLog {
  /** Position of the last event that is a leaf, or is covered; undefined before the first. */
  at(needs: Need): Position | undefined;
  /** Told that somebody waits. */
  hurry(): void;
  /** Number of leaves. */
  readonly leaves: number;
  /** Why the log does not grow, or is not signed; null while it does. */
  readonly problem: string | null;
}

/** Who waits for leaves and checkpoints. */
export class LogWaiters {
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly log: () => AwaitedLog) {}

  /** Whether anybody waits. */
  get isWanted(): boolean {
    return this.waiters.size > 0;
  }

  wants(needs: Need): boolean {
    return [...this.waiters].some((waiter) => waiter.needs === needs);
  }

  isReached(position: Position, needs: Need): boolean {
    const at = this.log().at(needs);
    return at !== undefined && comparePositions(position, at) <= 0;
  }

  /** @throws MaceError WAIT_TIMEOUT */
  async until(position: Position, needs: Need, timeoutMs: number): Promise<void> {
    if (this.isReached(position, needs)) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.late(position, needs));
      }, timeoutMs);
      const waiter: Waiter = {
        position,
        needs,
        wake: () => {
          leave();
          resolve();
        },
      };
      this.waiters.add(waiter);
      this.log().hurry();
    });
  }

  wake(needs: Need, at: Position): void {
    for (const waiter of [...this.waiters]) {
      if (waiter.needs === needs && comparePositions(waiter.position, at) <= 0) waiter.wake();
    }
  }

  /** WAIT_TIMEOUT, with why it may be. */
  late(position: Position, needs: Need): MaceError {
    const { leaves, problem } = this.log();
    const what = needs === 'leaf' ? 'the Merkle log' : 'a checkpoint';
    const why = problem === null ? '' : `: ${problem}`;
    return new MaceError('WAIT_TIMEOUT', `${what} has not reached position ${position} yet${why}`, { leaves });
  }
}
