import type { FailureSpool, SpooledEvent } from './ports.js';

const CAPACITY = 1000;

/** Keeps the newest events of an outage in memory, and counts what it had to let go. */
export class MemoryFailureSpool implements FailureSpool {
  private readonly events: SpooledEvent[] = [];
  private lost = 0;

  constructor(private readonly capacity = CAPACITY) {}

  add(event: SpooledEvent): void {
    this.events.push(event);
    if (this.events.length <= this.capacity) return;
    this.events.shift();
    this.lost++;
  }

  get waiting(): readonly SpooledEvent[] {
    return this.events;
  }

  get dropped(): number {
    return this.lost;
  }

  /** Hands over, oldest first, until one cannot be appended; that one and the later ones stay. */
  async drain(append: (event: SpooledEvent) => Promise<void>): Promise<void> {
    for (let next = this.events[0]; next !== undefined; next = this.events[0]) {
      await append(next);
      if (this.events[0] === next) this.events.shift();
    }
  }
}
