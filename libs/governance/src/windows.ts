/** Calls back when a due time has come; one timer for all of them, whatever their number. */

interface Due {
  readonly id: string;
  readonly at: number;
}

/**
 * Never longer than a minute, so that a clock that was set or a machine that slept makes a window no later than that;
 * and so never longer than Node can hold (2^31 - 1 ms).
 */
export const MAX_TIMER_MS = 60_000;
const RETRY_MS = 5_000;
const AT_ONCE = 32;

export class Windows {
  /** A heap: the earliest first. */
  private readonly heap: Due[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closing: Promise<void> | undefined;
  private stopped = false;
  private readonly failed = new Set<string>();

  /**
   * @param close closes what is due under an id; asked again after a fault
   * @param onFault told of the fault; of null where one that could not be closed is
   */
  constructor(
    private readonly close: (id: string) => Promise<void>,
    private readonly onFault: (id: string, error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** @param dueAt ISO 8601. Adding an id again is no error: closing is idempotent. */
  add(id: string, dueAt: string): void {
    // Whoever keeps them learns of this one too.
    if (this.stopped) return;
    push(this.heap, { id, at: Date.parse(dueAt) });
    const [first] = this.heap as [Due];
    // Where the clock was set on, the timer is of a time that has come already.
    if (first.id === id || first.at <= this.now()) this.schedule();
  }

  get size(): number {
    return this.heap.length;
  }

  /** From now on, after a stop. */
  begin(): void {
    this.stopped = false;
  }

  /** Nothing is called back any more, and nothing kept; settles when what is being closed is closed. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.heap.length = 0;
    await this.closing;
    this.failed.clear();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    const next = this.heap[0];
    if (!next || this.stopped || this.closing) return;
    const wait = Math.min(Math.max(0, next.at - this.now()), MAX_TIMER_MS);
    this.timer = setTimeout(() => this.run(), wait).unref();
  }

  private run(): void {
    if (this.closing || this.stopped) return;
    this.closing = this.closeDue().finally(() => {
      this.closing = undefined;
      this.schedule();
    });
  }

  private async closeDue(): Promise<void> {
    while (!this.stopped && this.heap.length > 0 && this.heap[0]!.at <= this.now()) {
      const due: Due[] = [];
      while (due.length < AT_ONCE && this.heap.length > 0 && this.heap[0]!.at <= this.now()) due.push(pop(this.heap)!);
      await Promise.all(due.map((one) => this.closeOne(one)));
    }
  }

  private async closeOne({ id }: Due): Promise<void> {
    try {
      await this.close(id);
      if (this.failed.delete(id)) this.onFault(id, null);
    } catch (error) {
      this.failed.add(id);
      this.onFault(id, error);
      if (this.stopped) return;
      push(this.heap, { id, at: this.now() + RETRY_MS });
    }
  }
}

function push(heap: Due[], due: Due): void {
  let at = heap.push(due) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (heap[above]!.at <= due.at) break;
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = due;
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && heap[below + 1]!.at < heap[below]!.at) below++;
    if (heap[below]!.at >= last.at) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = last;
  return first;
}
